import { Type } from '@sinclair/typebox'
import {
  type AccessQuestion,
  type Authorize,
  createStore,
  defineResources,
  field,
  knows,
  ownedBy,
  owns,
  type Policies,
} from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({
  tag: { fields: { name: Type.String() } },
  list: {
    fields: { title: Type.String(), pin: Type.Optional(field(Type.String(), { writeOnly: true })) },
    relations: { items: owns.many('item'), tags: knows.many('tag'), main: knows.one('tag') },
    history: true,
  },
  item: {
    topLevel: true,
    fields: { text: Type.String() },
    relations: { list: ownedBy('list', { moves: true }), notes: owns.many('note') },
  },
  note: { fields: { text: Type.String() }, relations: { item: ownedBy('item') } },
})

/** The moments of all writes, in their order. The n-th is n seconds behind 1970: no clock matters. */
async function momentsOf({ db }: TestApp): Promise<readonly string[]> {
  const writes = await db.selectFrom('crud_history').select('id').orderBy('position').execute()
  for (const [index, { id }] of writes.entries()) {
    await db
      .updateTable('crud_history')
      .set({ at: (index + 1) * 1000 })
      .where('id', '=', id)
      .execute()
  }
  return writes.map((_, index) => new Date((index + 1) * 1000).toISOString())
}

const BEFORE_ALL = '1970-01-01T00:00:00Z'

describeOnBoth('`?at=`', (database) => {
  const service = useApp(database, resources)
  let tag: JsonBody
  let first: JsonBody
  let path: string
  beforeEach(async () => {
    tag = await service.add('/api/tag', { name: 'food' })
    const items = [{ text: 'milk', notes: [{ text: 'fresh' }] }, { text: 'eggs' }]
    first = await service.add('/api/list', { title: 'a', pin: '1', items, tags: [{ id: tag.id }], mainId: tag.id })
    path = `/api/list/${first.id}`
  })
  const at = async (moment: string | undefined, of = path) => await service.get(`${of}?at=${moment}`)

  test('shows a record with all that it owned as it was at each moment, without an ETag', async () => {
    const [milk] = first.items
    await service.patch(path, { title: 'b', tags: [{ id: tag.id, $remove: true }] })
    const second = await service.read(path)
    await service.patch(`${path}/item/${milk.id}`, { text: 'oat milk', notes: [{ text: 'new' }] })
    const third = await service.read(path)
    await service.put(path, { title: 'c', items: [{ text: 'salt' }] })
    const [one, two, three, four] = await momentsOf(service)
    expect((await at(one)).body).toEqual(first)
    expect((await at(two)).body).toEqual(second)
    expect((await at(three)).body).toEqual(third)
    expect((await at(four)).body).toEqual(await service.read(path))
    expect((await at('2999-01-01T00:00:00Z')).body).toEqual(await service.read(path))
    expect((await at('1970-01-01T02:00:02.999%2B02:00')).body).toEqual(second)
    const answer = await at(one)
    expect(answer.headers.etag).toBeUndefined()
    expect(Object.keys(answer.body)).toEqual(Object.keys(first))
    expect((await service.request('HEAD', `${path}?at=${one}`)).status).toBe(200)
  })

  test('shows related records as they are now, without those that are gone', async () => {
    const other = await service.add('/api/tag', { name: 'drink' })
    await service.patch(path, { tags: [{ id: other.id }] })
    await service.patch(`/api/tag/${other.id}`, { name: 'drinks' })
    await service.delete(`/api/tag/${tag.id}`)
    const [one, two] = await momentsOf(service)
    expect((await at(two)).body.tags).toEqual([{ id: other.id, name: 'drinks' }])
    expect((await at(one)).body).toMatchObject({ mainId: tag.id, main: null, tags: [] })
  })

  test('is 404 before the record was added, and while it was deleted', async () => {
    const added = await service.add('/api/list', { title: 'b', items: [{ text: 'tea' }] })
    const of = `/api/list/${added.id}`
    await service.delete(of)
    const [{ write }] = (await service.read(`${of}/$history`)).rows
    expect((await service.request('POST', `${of}/$history/${write}/$undo`)).status).toBe(200)
    const [, before, one, two, three] = [BEFORE_ALL, ...(await momentsOf(service))]
    expect((await at(one, of)).body).toEqual(added)
    expect((await at(three, of)).body).toEqual(added)
    for (const url of [`${of}?at=${two}`, `${of}?at=${before}`, `/api/list/99?at=${one}`]) {
      await service.refuse('GET', url, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('shows a record that is gone, and what it owned', async () => {
    await service.delete(path)
    const [one, two] = await momentsOf(service)
    const gone = { ...first, tags: [{ id: tag.id, name: 'food' }] }
    expect((await at(one)).body).toEqual(gone)
    expect((await at(one, `${path}/item/${first.items[0].id}`)).body).toEqual(first.items[0])
    expect((await at(two)).status).toBe(404)
  })

  test('is 400 before the history begins, or where not all of a later write is kept', async () => {
    await service.patch(path, { title: 'b' })
    await service.patch(path, { title: 'c' })
    const [one, two] = await momentsOf(service)
    const [added, , last] = await service.db.selectFrom('crud_history').select('id').orderBy('position').execute()
    await service.db.deleteFrom('crud_history_records').where('write', '=', added?.id).execute()
    await service.refuse('GET', `${path}?at=${one}`, undefined, { code: 'CRUD_ERR_INVALID', parameters: ['at'] })
    expect((await at(two)).body.title).toBe('b')
    const effects = JSON.stringify({ changes: [], isCut: true })
    await service.db.updateTable('crud_history').set({ effects }).where('id', '=', last?.id).execute()
    await service.refuse('GET', `${path}?at=${two}`, undefined, { code: 'CRUD_ERR_INVALID', parameters: ['at'] })
    await service.db.deleteFrom('crud_history_records').execute()
    await service.refuse('GET', `${path}?at=${two}`, undefined, { code: 'CRUD_ERR_INVALID', parameters: ['at'] })
    expect((await at('2999-01-01T00:00:00Z')).body.title).toBe('c')
  })

  test('names what is wrong with a query', async () => {
    const wrong = async (query: string, ...parameters: readonly string[]) => {
      await service.refuse('GET', `${path}?${query}`, undefined, { code: 'CRUD_ERR_INVALID', parameters })
    }
    await wrong('at=yesterday', 'at')
    await wrong('at=2026-11-25', 'at')
    await wrong('at=', 'at')
    await wrong(`at=${BEFORE_ALL}&at=${BEFORE_ALL}`, 'at')
    await wrong(`at=${BEFORE_ALL}&fields=title&include=items`, 'fields', 'include')
    await wrong(`at=${BEFORE_ALL}&nested[items][limit]=1`, 'nested')
    await wrong(`at=${BEFORE_ALL}&limit=1`, 'limit')
    const noHistory = { code: 'CRUD_ERR_INVALID', parameters: ['at'] } as const
    await service.refuse('GET', `/api/tag/${tag.id}?at=${BEFORE_ALL}`, undefined, noHistory)
    await service.refuse('GET', `/api/list?at=${BEFORE_ALL}`, undefined, noHistory)
  })

  test('follows records that have moved, with what they owned, by the path where they are now', async () => {
    const other = await service.add('/api/list', { title: 'other' })
    const [milk] = first.items
    await service.patch(`${path}/item/${milk.id}`, { listId: other.id })
    await service.patch(`/api/list/${other.id}/item/${milk.id}`, { text: 'soy milk', notes: [{ text: 'more' }] })
    await service.patch(`/api/item/${milk.id}`, { text: 'soy' })
    const [one, two, three] = await momentsOf(service)
    expect((await at(one)).body).toEqual(first)
    expect((await at(two, `/api/list/${other.id}`)).body).toEqual(other)
    expect((await at(three, `/api/list/${other.id}`)).body.items).toEqual([{ ...milk, listId: other.id }])
    expect((await at(three)).body.items.map(({ text }: JsonBody) => text)).toEqual(['eggs'])
    expect((await at(one, `/api/list/${other.id}/item/${milk.id}`)).body).toEqual(milk)
    expect((await at(one, `/api/item/${milk.id}`)).body).toEqual({ ...milk, listId: first.id })
    expect((await at(one, `${path}/item/${milk.id}`)).status).toBe(404)
    expect((await at(one, `/api/list/${other.id}/item/${milk.id}/note/${milk.notes[0].id}`)).body).toEqual(
      milk.notes[0],
    )
  })

  test('asks nothing more of an ordinary GET', async () => {
    const statements = await service.statements(() => service.read(path))
    expect(statements).toHaveLength(1)
  })
})

describeOnBoth('`?at=` of records with ids of other kinds', (database) => {
  const withIds = defineResources({
    place: {
      id: 'text',
      fields: { name: Type.String() },
      relations: { rooms: owns.many('room'), desks: owns.many('desk') },
      history: true,
    },
    room: {
      id: ['place', 'number'],
      fields: { number: Type.Integer(), name: Type.String() },
      relations: { place: ownedBy('place') },
    },
    desk: { id: 'uuid', fields: { name: Type.String() }, relations: { place: ownedBy('place') } },
  })
  const service = useApp(database, withIds)

  test('shows them, and inherits nothing from a record that had the same id before', async () => {
    const rooms = [
      { number: 2, name: 'b' },
      { number: 1, name: 'a' },
    ]
    const desks = [{ name: 'x' }]
    const old = await service.add('/api/place', { id: 'here', name: 'old', rooms, desks })
    await service.delete('/api/place/here')
    const added = await service.add('/api/place', { id: 'here', name: 'new', rooms, desks })
    const [desk] = added.desks
    await service.patch('/api/place/here', { rooms: [{ number: 1, name: 'z' }], desks: [{ id: desk.id, name: 'y' }] })
    await service.patch('/api/place/here', { rooms: [{ number: 2, $remove: true }] })
    const [one, two, three] = await momentsOf(service)
    expect((await service.get(`/api/place/here?at=${three}`)).body).toEqual(added)
    expect((await service.get(`/api/place/here?at=${two}`)).status).toBe(404)
    expect((await service.get(`/api/place/here?at=${one}`)).status).toBe(404)
    expect(old.name).toBe('old')
    const room = added.rooms.find(({ number }: JsonBody) => number === 1)
    expect((await service.get(`/api/place/here/room/1?at=${three}`)).body).toEqual(room)
    for (const id of [desk.id, desk.id.toUpperCase()]) {
      expect((await service.get(`/api/place/here/desk/${id}?at=${three}`)).body).toEqual(desk)
    }
  })
})

const limited = defineResources({
  org: { fields: { name: Type.String() } },
  memo: {
    fields: {
      text: Type.String(),
      org: Type.Integer(),
      pay: Type.Optional(field(Type.Integer(), { access: { View: ['boss'] } })),
      secret: Type.Optional(field(Type.String(), { writeOnly: true })),
    },
    relations: { lines: owns.many('line'), files: knows.many('file'), main: knows.one('file') },
    history: true,
  },
  line: { fields: { text: Type.String(), isPrivate: Type.Boolean() }, relations: { memo: ownedBy('memo') } },
  file: { fields: { name: Type.String(), org: Type.Integer() } },
})

describeOnBoth('`?at=` for callers with rights of their own', (database) => {
  interface Caller {
    readonly org: number
    readonly roles: readonly string[]
  }
  const policies: Policies<typeof limited, Caller> = {
    org: true,
    memo: ({ eb, my }) => eb('org', '=', my('org')),
    line: { View: ({ eb }) => eb('isPrivate', '=', eb.lit(false)), Add: true, Edit: true, Delete: true },
    file: ({ eb, my }) => eb('org', '=', my('org')),
  }
  const service = useApp(database, limited, {
    plugin: {
      policies: policies as never,
      caller: ({ headers }: { headers: Record<string, unknown> }) => ({
        org: Number(headers['x-org'] ?? 1),
        roles: headers['x-role'] === 'boss' ? ['boss'] : [],
      }),
    } as never,
  })
  const at = (moment: string | undefined, headers: Record<string, string> = {}) =>
    service.request('GET', `/api/memo/1?at=${moment}`, undefined, headers)

  test('shows no state, no owned record, no related record and no field that they may not see', async () => {
    const system = createStore({ db: service.db, resources: limited })
    const mine = await system.file.create({ name: 'mine', org: 1 })
    const theirs = await system.file.create({ name: 'theirs', org: 2 })
    const lines = [
      { text: 'open', isPrivate: false },
      { text: 'private', isPrivate: true },
      { text: 'private for now', isPrivate: true },
    ]
    const memo = {
      text: 'a',
      org: 1,
      pay: 7,
      secret: 's',
      lines,
      files: [{ id: mine.id }, { id: theirs.id }],
      mainId: theirs.id,
    }
    await system.memo.create(memo)
    await system.memo.patch(1, { org: 2 })
    await system.memo.patch(1, { org: 1, text: 'b', lines: [{ id: 3, isPrivate: false }], files: [] })
    const [one, two] = await momentsOf(service)
    const then = await at(one)
    expect(then.status).toBe(200)
    expect(then.body).toEqual({
      ...{ id: 1, text: 'a', org: 1 },
      ...{ lines: [{ id: 1, text: 'open', isPrivate: false }], files: [{ id: mine.id, name: 'mine', org: 1 }] },
      ...{ mainId: theirs.id, main: null },
    })
    expect((await at(one, { 'x-role': 'boss' })).body.pay).toBe(7)
    expect((await at(two)).status).toBe(404)
    expect((await at(one, { 'x-org': '2' })).status).toBe(404)
    await system.memo.delete(1)
    expect((await at(one)).body.text).toBe('a')
    expect((await at(one, { 'x-org': '2' })).status).toBe(404)
  })
})

describeOnBoth('`?at=` with `authorize`', (database) => {
  const asked: AccessQuestion[] = []
  let refuses: (question: AccessQuestion) => boolean = () => false
  const authorize: Authorize = (_, question) => {
    asked.push(question)
    return !refuses(question)
  }
  const service = useApp(database, resources, { plugin: { authorize, batch: true } })
  beforeEach(() => {
    asked.length = 0
    refuses = () => false
  })

  test('asks `View`, and of a record that is gone `Delete`, too, as its history does', async () => {
    await service.add('/api/list', { title: 'a', items: [{ text: 'milk' }] })
    await service.patch('/api/list/1', { title: 'b' })
    const [one] = await momentsOf(service)
    const actionsFor = async (status: number) => {
      asked.length = 0
      expect((await service.get(`/api/list/1?at=${one}`)).status).toBe(status)
      const own = asked.filter(({ resource, id }) => resource === 'list' && id === 1)
      return own.map(({ action, operation }) => `${operation} ${action}`)
    }
    expect(await actionsFor(200)).toEqual(['history View'])
    await service.delete('/api/list/1')
    expect(await actionsFor(200)).toEqual(['history View', 'history Delete'])
    refuses = ({ action }) => action === 'Delete'
    await actionsFor(403)
  })

  test('leaves out the records of resources that the caller may not see', async () => {
    const tag = await service.add('/api/tag', { name: 'x' })
    const items = [{ text: 'milk', notes: [{ text: 'n' }] }]
    const { id } = await service.add('/api/list', { title: 'a', items, tags: [{ id: tag.id }], mainId: tag.id })
    const [one] = await momentsOf(service)
    refuses = ({ resource, action }) => action === 'View' && (resource === 'tag' || resource === 'note')
    const expected = await service.read(`/api/list/${id}`)
    expect(JSON.stringify(expected)).not.toContain('notes')
    expect((await service.get(`/api/list/${id}?at=${one}`)).body).toEqual(expected)
  })

  test('is there in a batch', async () => {
    const list = await service.add('/api/list', { title: 'a' })
    await service.patch(`/api/list/${list.id}`, { title: 'b' })
    const [one] = await momentsOf(service)
    const requests = [
      { method: 'GET', path: `/list/${list.id}?at=${one}` },
      { method: 'PATCH', path: `/list/${list.id}`, body: { title: 'c' } },
    ]
    const { status, body } = await service.request('POST', '/api/$batch', { requests })
    expect(status).toBe(200)
    expect(body.answers[0].body).toEqual(list)
  })
})

describeOnBoth('`?at=` where the application answers itself', (database) => {
  const handled: string[] = []
  const handler = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => {
    handled.push(JSON.stringify(await next()))
  }
  const access = { action: 'View', id: 'id' } as const
  const findOne = { access, handler: handler as never }
  const service = useApp(database, resources, {
    plugin: { handlers: { list: { findOne }, item: { findOne: { ...findOne, also: ['at', 'topLevel'] } } } as never },
  })

  test('is 405, unless its handler takes it, too', async () => {
    await service.add('/api/list', { title: 'a', items: [{ text: 'milk' }] })
    await service.patch('/api/item/1', { text: 'soy' })
    const [one] = await momentsOf(service)
    handled.length = 0
    const refused = await service.get(`/api/list/1?at=${one}`)
    expect(refused).toMatchObject({ status: 405, body: { code: 'CRUD_ERR_METHOD' } })
    expect(handled).toEqual([])
    expect((await service.get('/api/list/1')).status).toBe(200)
    expect((await service.get(`/api/list/1/item/1?at=${one}`)).body.text).toBe('milk')
    expect((await service.get(`/api/item/1?at=${one}`)).body.text).toBe('milk')
    expect(handled).toHaveLength(3)
  })
})

describeOnBoth('`?at=` of large records', (database) => {
  const service = useApp(database, resources, { plugin: { limits: { maxAnswer: 1_500 } } })

  test('is 400 where the answer would be larger than `limits.maxAnswer`', async () => {
    await service.add('/api/list', { title: 'x'.repeat(900) })
    await service.put('/api/list/1', { title: 'a', items: [1, 2].map(() => ({ text: 'y'.repeat(900) })) })
    expect((await service.delete('/api/list/1/item/1')).status).toBe(204)
    const [one, two, three] = await momentsOf(service)
    expect((await service.get(`/api/list/1?at=${one}`)).status).toBe(200)
    expect((await service.get(`/api/list/1?at=${three}`)).status).toBe(200)
    const tooLarge = { code: 'CRUD_ERR_TOO_LARGE' } as const
    await service.refuse('GET', `/api/list/1?at=${two}`, undefined, tooLarge)
  })
})

describeOnBoth('`?at=` of several tenants', (database) => {
  const ofTenants = defineResources(
    {
      org: { fields: { name: Type.String() } },
      list: { id: 'text', fields: { title: Type.String() }, relations: { items: owns.many('item') }, history: true },
      item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
    },
    { tenant: { resource: 'org' } },
  )
  const service = useApp(database, ofTenants, {
    plugin: {
      tenant: (_caller: unknown, { headers }: { headers: Record<string, unknown> }) => Number(headers['x-org']),
    } as never,
  })

  test('shows the records of one tenant, be there others with the same ids or not', async () => {
    await service.db
      .insertInto('org')
      .values([{ name: 'a' }, { name: 'b' }])
      .execute()
    const as = (org: string) => ({ 'x-org': org })
    const added = await service.request('POST', '/api/list', { id: 'x', title: 'one', items: [{ text: 'm' }] }, as('1'))
    expect(added.status).toBe(201)
    await service.request('PATCH', '/api/list/x', { title: 'two' }, as('1'))
    const [one] = await momentsOf(service)
    expect((await service.request('GET', `/api/list/x?at=${one}`, undefined, as('1'))).body).toEqual(added.body)
    expect((await service.request('GET', `/api/list/x?at=${one}`, undefined, as('2'))).status).toBe(404)
  })
})

describeOnBoth('`?at=` of numbers that JavaScript would round', (database) => {
  const withData = defineResources({
    doc: {
      fields: { title: Type.String(), data: Type.Object({ n: Type.Number() }) },
      relations: { parts: owns.many('part') },
      history: true,
    },
    part: { fields: { data: Type.Object({ n: Type.Number() }) }, relations: { doc: ownedBy('doc') } },
  })
  const service = useApp(database, withData)

  test('shows all of their digits, and an undo brings them back', async () => {
    const { id } = await service.add('/api/doc', { title: 'a', data: { n: 1 }, parts: [{ data: { n: 1 } }] })
    const data = '{"n":12345678901234567890}'
    for (const table of ['doc', 'part']) await service.db.updateTable(table).set({ data }).execute()
    const textOf = async (method: 'GET' | 'POST', url: string) =>
      // PostgreSQL has a space behind a colon.
      (await service.fastify.inject({ method, url: `/api/doc/${id}${url}` })).payload.replaceAll('": ', '":')
    const before = await textOf('GET', '')
    expect(before.match(/12345678901234567890/g)).toHaveLength(2)
    expect(await textOf('GET', '?at=2999-01-01T00:00:00Z')).toBe(before)
    await service.put(`/api/doc/${id}`, { title: 'b', data: { n: 2 }, parts: [] })
    const [one] = await momentsOf(service)
    expect(await textOf('GET', `?at=${one}`)).toBe(before)
    const [{ write }] = (await service.read(`/api/doc/${id}/$history`)).rows
    expect(await textOf('POST', `/$history/${write}/$undo`)).toBe(before)
  })
})
