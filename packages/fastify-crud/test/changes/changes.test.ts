import { Type } from '@sinclair/typebox'
import { defineResources, knows, type Model, ownedBy, owns, pruneHistory } from 'fastify-crud'
import { afterEach, describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type Follower, follow } from './support/follow.ts'

const resources = defineResources({
  tag: { fields: { name: Type.String() } },
  list: {
    fields: { title: Type.String(), secret: Type.Optional(Type.String({ writeOnly: true })) },
    relations: { items: owns.many('item'), tags: knows.many('tag') },
    history: { within: '2 days' },
  },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})

const open: Follower[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function followed(app: TestApp, path: string, headers?: Record<string, string>): Promise<Follower> {
  const one = await follow(app.fastify, path, headers)
  open.push(one)
  return one
}

/** The same, once there are not too many streams any more. */
async function whenFree(app: TestApp, path: string): Promise<Follower> {
  for (;;) {
    const one = await followed(app, path)
    if (one.status !== 503) return one
  }
}

/** Long enough for a test never to see it. */
const changes = { poll: 1_000_000 }

describeOnBoth('GET /$changes', (database) => {
  const app = useApp(database, resources, { plugin: { changes } })
  const add = (title: string, items: string[] = []) =>
    app.add('/api/list', { title, items: items.map((text) => ({ text })) })

  test('tells of each write as it is committed, with what it did', async () => {
    const all = await followed(app, '/api/$changes')
    expect(all.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'private, no-cache, no-transform',
    })
    await add('Shop', ['milk'])
    await app.put('/api/list/1', { title: 'Shop', items: [{ text: 'salt' }] })
    await app.delete('/api/list/1')
    const [first, second, third] = await all.until(3)
    expect(first?.data).toMatchObject({
      effects: 1,
      position: first?.id,
      operation: 'create',
      resource: 'list',
      id: 1,
      changes: [
        { action: 'Add', resource: 'list' },
        { action: 'Add', resource: 'item' },
      ],
    })
    expect(second?.data.changes.map((one: { action: string }) => one.action).sort()).toEqual(['Add', 'Delete'])
    expect(third?.data.operation).toBe('delete')
    expect([first, second, third].map((one) => one?.id)).toEqual(
      [...new Set([first, second, third].map((one) => one?.id))].sort(),
    )
  })

  test('goes on where a client was, by Last-Event-ID or by after, without a gap or a double', async () => {
    const before = await followed(app, '/api/$changes')
    const start = before.lastId() as number
    await add('one')
    const [first] = await before.until(1)
    before.close()
    await add('two')
    await add('three')
    const titles = (one: Follower) => one.events.map(({ data }) => data.changes[0].after.title)
    const again = await followed(app, `/api/$changes?after=${start}`, { 'last-event-id': String(first?.id) })
    await again.until(2)
    await add('four')
    await again.until(3)
    expect(titles(again)).toEqual(['two', 'three', 'four'])
    const all = await followed(app, `/api/$changes?after=${start}`)
    await all.until(4)
    expect(titles(all)).toEqual(['one', 'two', 'three', 'four'])
  })

  test('of a collection and of a record tells of these alone, and of what they own', async () => {
    const first = await add('one', ['a'])
    const second = await add('two')
    const path = `/api/list/${first.id}`
    const own = `${path}/item/${first.items[0].id}`
    const lists = await followed(app, '/api/list/$changes')
    const one = await followed(app, `${path}/$changes`)
    const items = await followed(app, `${path}/item/$changes`)
    const item = await followed(app, `${own}/$changes`)
    const tag = await app.add('/api/tag', { name: 'red' })
    for (const [at, body] of [
      [`/api/list/${second.id}`, { title: 'changed', items: [{ text: 'b' }] }],
      [path, { tags: [{ id: tag.id }] }],
      [own, { text: 'aa' }],
    ] as const) {
      expect(await app.patch(at, body)).toMatchObject({ status: 200 })
    }
    await app.add(`${path}/item`, { text: 'c' })
    await lists.until(4)
    expect((await one.until(3)).map(({ data }) => data.changes[0].action)).toEqual(['Link', 'Edit', 'Add'])
    expect((await items.until(2)).map(({ data }) => data.operation)).toEqual(['patch', 'create'])
    expect((await item.until(1)).map(({ data }) => data.changes)).toEqual([
      [expect.objectContaining({ action: 'Edit', before: { text: 'a' }, after: { text: 'aa' } })],
    ])
  })

  test('never tells what nobody may see, or what was undone', async () => {
    const all = await followed(app, '/api/$changes')
    await app.request('POST', '/api/list', { title: 'dry', items: [] }, { prefer: 'tx=rollback' })
    await app.add('/api/list', { title: 'kept', secret: 'hush', items: [] })
    const [only] = await all.until(1)
    expect(only?.data.changes).toMatchObject([{ after: { title: 'kept' } }])
    expect(JSON.stringify(only)).not.toContain('hush')
  })

  test('is 404 for a record or an owner that is not there, and 400 for what is no position', async () => {
    expect((await followed(app, '/api/list/7/$changes')).status).toBe(404)
    expect((await followed(app, '/api/list/7/item/$changes')).status).toBe(404)
    expect((await followed(app, '/api/list/x/$changes')).status).toBe(400)
    const wrong = await followed(app, '/api/$changes?after=x&since=1')
    expect(wrong.problem).toMatchObject({
      code: 'CRUD_ERR_INVALID',
      errors: [{ parameter: 'since' }, { parameter: 'after' }],
    })
    const header = await followed(app, '/api/$changes', { 'last-event-id': 'x' })
    expect(header.problem.errors).toMatchObject([{ parameter: 'Last-Event-ID' }])
    expect((await app.request('POST', '/api/$changes', {})).status).toBe(405)
    expect((await app.request('GET', '/api/tag/$changes')).status).toBe(400)
  })

  test('is 410 behind a position whose changes were removed as too old', async () => {
    const all = await followed(app, '/api/$changes')
    await add('one')
    await add('two')
    const [first] = await all.until(2)
    const later = new Date(Date.now() + 3 * 24 * 60 * 60 * 1_000)
    await pruneHistory(app.db, resources as Model, { now: later })
    const again = await followed(app, `/api/$changes?after=${first?.id}`)
    expect(again).toMatchObject({ status: 410, problem: { code: 'CRUD_ERR_GONE' } })
  })

  test('answers HEAD with its head alone', async () => {
    const { status, body, headers } = await app.request('HEAD', '/api/$changes')
    expect([status, body, headers['content-type']]).toEqual([200, undefined, 'text/event-stream; charset=utf-8'])
  })
})

describeOnBoth('Streams of changes', (database) => {
  const app = useApp(database, resources, { plugin: { changes: { ...changes, maxStreams: 2 } } })

  test('are 503 beyond the most that there may be, and free their place when a client goes', async () => {
    const [one] = [await followed(app, '/api/$changes'), await followed(app, '/api/$changes')]
    const third = await followed(app, '/api/$changes')
    expect(third).toMatchObject({ status: 503, problem: { code: 'CRUD_ERR_BUSY' } })
    one?.close()
    expect((await whenFree(app, '/api/$changes')).status).toBe(200)
  })
})

describeOnBoth('Streams of changes, with a short heartbeat', (database) => {
  const app = useApp(database, resources, { plugin: { changes: { ...changes, heartbeat: 200, maxStreams: 1 } } })
  const crud = () => (app.fastify as unknown as JsonBody).crud

  test('say where they are, though nothing of what is written is told', async () => {
    const first = await app.add('/api/list', { title: 'one', items: [] })
    const second = await app.add('/api/list', { title: 'two', items: [] })
    const one = await whenFree(app, `/api/list/${first.id}/$changes`)
    const start = one.lastId() as number
    await app.patch(`/api/list/${second.id}`, { title: 'not told' })
    while (one.lastId() === start) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(one.events).toEqual([])
  })

  test('drop a client that takes nothing, and tell it all when it comes back', async () => {
    const all = await whenFree(app, '/api/$changes')
    const start = all.lastId() as number
    all.stopReading()
    const title = 'x'.repeat(1_000_000)
    for (let write = 0; write < 20; write += 1) await crud().list.create({ title: `${write} ${title}`, items: [] })
    const numbers: number[] = []
    // On a busy machine it may take too little again, and comes back once more.
    for (let after = start; numbers.length < 20; ) {
      // There is a place for the next one when this one was dropped.
      const again = await whenFree(app, `/api/$changes?after=${after}`)
      await again.until(20 - numbers.length).catch(() => undefined)
      numbers.push(...again.events.map(({ data }) => Number.parseInt(data.changes[0].after.title, 10)))
      after = again.lastId() ?? after
    }
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, write) => write))
  })
})

describe('A service that closes', () => {
  describeOnBoth('with streams of changes', (database) => {
    const app = useApp(database, resources, { plugin: { changes } })

    test('ends them at once', async () => {
      const all = await followed(app, '/api/$changes')
      await app.fastify.close()
      await all.ended
    })
  })
})
