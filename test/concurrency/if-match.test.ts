import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import type { JsonBody } from '../support/json-body.ts'
import { useServers } from '../support/servers.ts'

const counters = defineResources({
  counter: { fields: { count: Type.Integer() }, relations: { marks: owns.many('mark') } },
  mark: { fields: { count: Type.Integer() }, relations: { counter: ownedBy('counter') } },
})

const CLIENTS = 6
const STEPS = 4

/** Reads the record, adds one, and writes it back with the tag, until that has gone well so many times. */
async function countUp(server: TestApp, path: string, write: Write, steps: number): Promise<void> {
  for (let done = 0; done < steps; ) {
    const { body, headers } = await server.request('GET', path)
    const [method, sent] = write(body)
    const answer = await server.request(method, path, sent, { 'if-match': String(headers.etag) })
    if (answer.status === 200) done++
    // Nothing is done then, on a machine that is too busy either.
    else expect([412, 503], JSON.stringify(answer.body)).toContain(answer.status)
  }
}

type Write = (record: JsonBody) => readonly [method: string, body: unknown]

describeServersOnDatabases('writes at the same time with `If-Match`', (database) => {
  const servers = useServers(database, counters)
  const twoServers = () => [servers.one, servers.other] as const

  const checkCounts = async (path: string, ofClient: (index: number) => Write) => {
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      countUp(twoServers()[index % 2] as TestApp, path, ofClient(index), STEPS),
    )
    await Promise.all(clients)
    return await servers.one.read(path)
  }

  test.each<[string, Write]>([
    ['PATCH of a field', ({ count }) => ['PATCH', { count: count + 1 }]],
    ['PUT of the record', (counter) => ['PUT', { ...counter, count: counter.count + 1 }]],
    [
      'PUT with a new child',
      ({ id, count, marks }) => ['PUT', { id, count: count + 1, marks: [...marks, { count: count + 1 }] }],
    ],
  ])('lose no update: each success of a %s is one step of the counter', async (_title, write) => {
    const { id } = await servers.one.add('/api/counter', { count: 0 })
    const { count, marks } = await checkCounts(`/api/counter/${id}`, () => write)
    expect(count).toBe(CLIENTS * STEPS)
    const counts = marks.map((mark: JsonBody) => mark.count)
    if (marks.length > 0) expect(counts).toEqual(Array.from({ length: CLIENTS * STEPS }, (_, step) => step + 1))
  })

  test('lose no update, whatever the method, also of a child', async () => {
    const { id, marks } = await servers.one.add('/api/counter', { count: 0, marks: [{ count: 0 }] })
    const writes: readonly Write[] = [
      ({ count }) => ['PATCH', { count: count + 1 }],
      ({ count }) => ['PUT', { count: count + 1 }],
    ]
    const path = `/api/counter/${id}/mark/${marks[0].id}`
    const { count } = await checkCounts(path, (index) => writes[index % 2] as Write)
    expect(count).toBe(CLIENTS * STEPS)
  })

  test('let only one of several deletes and changes of the same state through', async () => {
    for (let round = 0; round < 4; round++) {
      const created = await servers.one.post('/api/counter', { count: 0, marks: [{ count: 1 }] })
      const path = `/api/counter/${created.body.id}`
      const condition = { 'if-match': String(created.headers.etag) }
      const answers = await Promise.all(
        Array.from({ length: CLIENTS }, (_, index) => {
          const [method, body] = index % 2 === 0 ? ['DELETE', undefined] : ['PATCH', { count: index }]
          return (twoServers()[index % 2] as TestApp).request(method as string, path, body, condition)
        }),
      )
      const statuses = answers.map(({ status }) => status)
      expect(
        statuses.filter((status) => status < 300),
        statuses.join(),
      ).toHaveLength(1)
      expect(
        statuses.every((status) => [200, 204, 404, 412].includes(status)),
        statuses.join(),
      ).toBe(true)
    }
  })
})
