import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { owned, related } from './models.ts'

const users = defineResources({
  user: { fields: { mail: Type.String(), nick: Type.Optional(Type.String()) }, unique: [['mail'], ['nick']] },
})

const twenty = (request: (n: number) => Request) => Array.from({ length: 20 }, (_, n) => request(n))
const oneOf = (status: string) => [status, ...Array(19).fill('409 CRUD_ERR_NOT_UNIQUE')]

describeServersOnDatabases('one unique value, wanted by 20 at the same time', (database) => {
  const servers = useServers(database, users)

  test('POST: one is 201, nineteen are 409 and name the field', async () => {
    const answers = await servers.atOnce(...twenty(() => ['POST', '/api/user', { mail: 'a@b.c' }]))
    expect(answers.map(resultOf).sort()).toEqual(oneOf('201'))
    for (const { body, status } of answers) {
      if (status !== 201) expect(body).toMatchObject({ errors: [{ pointer: '/mail' }] })
    }
    expect((await servers.one.read('/api/user')).count).toBe(1)
  })

  test('PATCH and PUT of 20 records: one is 200, nineteen are 409 and unchanged', async () => {
    const paths: string[] = []
    for (let n = 0; n < 20; n++) {
      paths.push(`/api/user/${(await servers.one.add('/api/user', { mail: `${n}@b.c`, nick: `${n}` })).id}`)
    }
    const answers = await servers.atOnce(
      ...twenty((n) =>
        n % 2 === 0
          ? ['PATCH', String(paths[n]), { nick: 'same' }]
          : ['PUT', String(paths[n]), { mail: `${n}@b.c`, nick: 'same' }],
      ),
    )
    expect(answers.map(resultOf).sort()).toEqual(oneOf('200'))
    const { rows } = await servers.one.read('/api/user')
    expect(rows.filter((row: { nick: string }) => row.nick === 'same')).toHaveLength(1)
  })

  test('the same value given up by one and taken by the others: at most one has it', async () => {
    const { id } = await servers.one.add('/api/user', { mail: 'a@b.c' })
    const [first, ...others] = await servers.atOnce(
      ['DELETE', `/api/user/${id}`],
      ...twenty((): Request => ['POST', '/api/user', { mail: 'a@b.c' }]),
    )
    expect(first?.status).toBe(204)
    const added = others.filter(({ status }) => status === 201)
    expect(added.length).toBeLessThanOrEqual(1)
    for (const one of others) if (!added.includes(one)) expect(resultOf(one)).toBe('409 CRUD_ERR_NOT_UNIQUE')
    expect((await servers.one.read('/api/user')).rows).toEqual(added.map(({ body }) => body))
  })
})

describeServersOnDatabases('one unique value below one owner, wanted by 20 at the same time', (database) => {
  const servers = useServers(database, owned)

  test('POST of a child: one is 201, nineteen are 409', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'o' })
    const answers = await servers.atOnce(...twenty(() => ['POST', `/api/owner/${id}/item`, { name: 'i', rank: 1 }]))
    expect(answers.map(resultOf).sort()).toEqual(oneOf('201'))
  })

  test('PATCH of the owner with one more child: one is 200, nineteen are 409 and point to the child', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'o' })
    const items = [{ name: 'h' }, { name: 'i', rank: 1 }]
    const answers = await servers.atOnce(...twenty(() => ['PATCH', `/api/owner/${id}`, { items }]))
    expect(answers.map(resultOf).sort()).toEqual(oneOf('200'))
    for (const { body, status } of answers) if (status !== 200) expect(body.errors[0].pointer).toBe('/items/1/rank')
    expect((await servers.one.read(`/api/owner/${id}`)).items).toHaveLength(2)
  })
})

describeServersOnDatabases('one record that serves one at most, wanted by many at the same time', (database) => {
  const servers = useServers(database, related)

  async function addTargets() {
    const add = async (path: string, body: object) => (await servers.one.add(path, body)).id as number
    const placeId = await add('/api/place', { name: 'p' })
    const { things } = await servers.one.add('/api/box', { name: 'b', things: [{ name: 't' }] })
    return { placeId, things: [{ id: things[0].id }], add }
  }

  test('needs.one with `unique`: one is 201, the others are 409', async () => {
    const { placeId, things, add } = await addTargets()
    const seatId = await add('/api/seat', { name: 's' })
    const requests: Request[] = []
    for (let n = 0; n < 8; n++) {
      const keys = [{ id: await add('/api/key', { name: `${n}` }) }]
      requests.push(['POST', '/api/guest', { name: `${n}`, placeId, seatId, keys, things }])
    }
    const answers = await servers.atOnce(...requests)
    expect(answers.map(resultOf).sort()).toEqual(['201', ...Array(7).fill('409 CRUD_ERR_NOT_UNIQUE')])
  })

  test('needs.many facing neededBy.one: one is 201, the others are 409 and nothing of them is stored', async () => {
    const { placeId, things, add } = await addTargets()
    const keys = [{ id: await add('/api/key', { name: 'k' }) }]
    const requests: Request[] = []
    for (let n = 0; n < 8; n++) {
      const seatId = await add('/api/seat', { name: `${n}` })
      requests.push(['POST', '/api/guest', { name: `${n}`, placeId, seatId, keys, things }])
    }
    const answers = await servers.atOnce(...requests)
    expect(answers.map(resultOf).sort()).toEqual(['201', ...Array(7).fill('409 CRUD_ERR_NOT_UNIQUE')])
    const { guest_keys, guest_things } = await servers.one.snapshot(['guest_keys', 'guest_things'])
    expect([guest_keys?.length, guest_things?.length]).toEqual([1, 1])
  })

  test('needs.many facing neededBy.one, two that exchange what they have: each keeps at least one', async () => {
    const { placeId, things, add } = await addTargets()
    const keyIds = [await add('/api/key', { name: 'k' }), await add('/api/key', { name: 'l' })]
    const paths: string[] = []
    for (const id of keyIds) {
      const seatId = await add('/api/seat', { name: 's' })
      paths.push(`/api/guest/${await add('/api/guest', { name: 'g', placeId, seatId, keys: [{ id }], things })}`)
    }
    const [first, second] = await Promise.all(paths.map((path) => servers.one.read(path)))
    const answers = await servers.atOnce(
      ['PUT', String(paths[0]), { ...first, keys: second.keys }],
      ['PUT', String(paths[1]), { ...second, keys: first.keys }],
    )
    expect(answers.map(resultOf)).toEqual(Array(2).fill('409 CRUD_ERR_NOT_UNIQUE'))
    expect(await servers.one.read(String(paths[0]))).toEqual(first)
    expect(await servers.one.read(String(paths[1]))).toEqual(second)
  })
})
