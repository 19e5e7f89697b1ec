import { Type } from '@sinclair/typebox'
import { type Authorize, defineResources, ownedBy, owns } from 'fastify-crud'
import { afterEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type Follower, follow } from './support/follow.ts'

const text = Type.String()

const resources = defineResources({
  book: {
    fields: {
      title: text,
      owner: text,
      price: Type.Integer({ default: 0, access: { View: ['boss'], Edit: ['boss'] } }),
    },
    relations: { pages: owns.many('page') },
    history: true,
  },
  page: { fields: { text }, relations: { book: ownedBy('book') } },
})

const caller = ({ headers }: { headers: Record<string, unknown> }) => ({
  name: String(headers['x-name'] ?? 'ada'),
  roles: String(headers['x-roles'] ?? '').split(','),
})
const policies = {
  book: { View: ({ eb, my }: JsonBody) => eb('owner', 'in', [my('name'), 'all']), Add: true, Edit: true, Delete: true },
  page: { View: ({ eb }: JsonBody) => eb('text', '!=', 'zebra'), Add: true, Edit: true, Delete: true },
}

const changes = { poll: 1_000_000, askAgain: 0 }

const open: Follower[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function followed(app: TestApp, path: string, headers?: Record<string, string>): Promise<Follower> {
  const one = await follow(app.fastify, path, headers)
  open.push(one)
  return one
}

/** What a stream has told, in short. */
function told({ events }: Follower): unknown[] {
  return events.flatMap(({ data }) =>
    data.changes.map((one: JsonBody) => [one.action, one.resource, one.id, one.after ?? one.before ?? 'no values']),
  )
}

describeOnBoth('A stream of changes, where policies hide some rows', (database) => {
  const app = useApp(database, resources, { plugin: { policies: policies as never, caller, changes } })
  const system = () => (app.fastify as unknown as JsonBody).crud.asSystem()

  test('shows what the caller may see: a record that leaves its sight is gone, one that enters it is new', async () => {
    const [ada, bob] = [await followed(app, '/api/$changes'), await followed(app, '/api/$changes', { 'x-name': 'bob' })]
    const { book } = system()
    const { id } = await book.create({ title: 'A', owner: 'ada', pages: [] })
    await ada.until(1)
    await book.patch(id, { owner: 'bob' })
    await ada.until(2)
    await bob.until(1)
    await book.patch(id, { title: 'B' })
    await bob.until(2)
    await book.patch(id, { owner: 'ada' })
    await ada.until(3)
    await book.delete(id)
    const end = await book.create({ title: 'end', owner: 'all', pages: [] })
    await ada.until(5)
    await bob.until(4)
    expect(told(ada)).toEqual([
      ['Add', 'book', id, { title: 'A', owner: 'ada' }],
      ['Delete', 'book', id, 'no values'],
      ['Add', 'book', id, { title: 'B', owner: 'ada' }],
      ['Delete', 'book', id, { title: 'B', owner: 'ada' }],
      ['Add', 'book', end.id, { title: 'end', owner: 'all' }],
    ])
    expect(told(bob)).toEqual([
      ['Add', 'book', id, { title: 'A', owner: 'bob' }],
      ['Edit', 'book', id, { title: 'B' }],
      ['Delete', 'book', id, 'no values'],
      ['Add', 'book', end.id, { title: 'end', owner: 'all' }],
    ])
  })

  test('has the hidden rows of a write, and hidden fields, neither as values nor as changes', async () => {
    const ada = await followed(app, '/api/$changes')
    const boss = await followed(app, '/api/$changes', { 'x-roles': 'boss' })
    const { book } = system()
    const { id, pages } = await book.create({
      title: 'A',
      owner: 'ada',
      price: 7,
      pages: [{ text: 'zebra' }, { text: 'seen' }],
    })
    await book.patch(id, { price: 8 })
    await book.patch(id, { title: 'end' })
    await ada.until(2)
    await boss.until(3)
    expect(told(ada)).toEqual([
      ['Add', 'book', id, { title: 'A', owner: 'ada' }],
      ['Add', 'page', pages[1].id, expect.objectContaining({ text: 'seen' })],
      ['Edit', 'book', id, { title: 'end' }],
    ])
    expect(told(boss)).toContainEqual(['Edit', 'book', id, { price: 8 }])
    expect(JSON.stringify([ada.events, boss.events])).not.toContain('zebra')
  })

  test('of a record ends when the caller does not see it any more', async () => {
    const { book } = system()
    const { id } = await book.create({ title: 'A', owner: 'ada', pages: [] })
    const ada = await followed(app, `/api/book/${id}/$changes`)
    await book.patch(id, { owner: 'bob' })
    await ada.ended
    expect(ada.events).toEqual([])
    expect((await followed(app, `/api/book/${id}/$changes`)).status).toBe(404)
  })
})

describeOnBoth('A stream of changes that ends as the database fails', (database) => {
  let fails = false
  const asked = ({ headers }: { headers: Record<string, unknown> }) => ({
    get name() {
      if (fails && headers['x-name'] === undefined) throw new Error('a value that no database takes')
      return headers['x-name'] ?? 'ada'
    },
    roles: [],
  })
  const app = useApp(database, resources, {
    plugin: { policies: policies as never, caller: asked as never, changes: { poll: 5 } },
  })

  test('tells the client that follows again what it has missed', async () => {
    const { book } = (app.fastify as unknown as JsonBody).crud.asSystem()
    const first = await followed(app, '/api/$changes')
    const other = await followed(app, '/api/$changes', { 'x-name': 'other' })
    fails = true
    const { id } = await book.create({ title: 'A', owner: 'all', pages: [] })
    await Promise.all([first.ended, other.until(1)])
    fails = false
    const second = await followed(app, '/api/$changes', { 'last-event-id': String(first.lastId()) })
    await second.until(1)
    expect(told(second)).toEqual([['Add', 'book', id, { title: 'A', owner: 'all' }]])
  })
})

describeOnBoth('A stream of changes, with authorize', (database) => {
  let allowed: ReadonlySet<string> = new Set(['book', 'page'])
  const asked: JsonBody[] = []
  const authorize: Authorize = (request, question) => {
    if (request.method === 'GET') asked.push({ ...question })
    return request.method !== 'GET' || allowed.has(question.resource)
  }
  const app = useApp(database, resources, { plugin: { authorize, caller, changes } })
  const add = (title: string) => app.add('/api/book', { title, owner: 'x', pages: [{ text: 'one' }] })

  test('asks it for View by the operation changes, and leaves out what it hides', async () => {
    allowed = new Set(['book'])
    const all = await followed(app, '/api/$changes')
    const books = await followed(app, '/api/book/$changes')
    await add('A')
    await Promise.all([all.until(1), books.until(1)])
    for (const one of [all, books]) expect(told(one).map((change) => (change as string[])[1])).toEqual(['book'])
    expect(new Set(asked.map(({ action, operation }) => `${action} ${operation}`))).toEqual(new Set(['View changes']))
    allowed = new Set(['page'])
    expect((await followed(app, '/api/book/$changes')).status).toBe(403)
    allowed = new Set()
    expect((await followed(app, '/api/$changes')).status).toBe(403)
  })

  test('ends when it does not allow it any more', async () => {
    allowed = new Set(['book', 'page'])
    const all = await followed(app, '/api/$changes')
    await add('A')
    await all.until(1)
    allowed = new Set()
    await add('B')
    await all.ended
    expect(all.events).toHaveLength(1)
  })
})

describeOnBoth('A stream of changes, where the application replaces a read', (database) => {
  const handlers = {
    book: {
      list: {
        access: { action: 'View' },
        handler: async (_: unknown, __: unknown, next: () => unknown) => void (await next()),
      },
    },
  }
  const app = useApp(database, resources, { plugin: { handlers: handlers as never, caller, changes } })

  test('is 405 where it would go past the handler, and that of all leaves out what the handler is of', async () => {
    const { request } = app
    expect((await request('GET', '/api/book/$changes')).status).toBe(405)
    const all = await followed(app, '/api/$changes')
    await app.add('/api/book', { title: 'A', owner: 'x', pages: [{ text: 'one' }] })
    await all.until(1)
    expect(told(all).map((change) => (change as string[])[1])).toEqual(['page'])
    const { id } = await app.add('/api/book', { title: 'B', owner: 'x', pages: [] })
    expect((await followed(app, `/api/book/${id}/$changes`)).status).toBe(200)
  })
})
