import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, knows, type Policies } from 'fastify-crud'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { tickets } from './models/tickets.ts'

const things = defineResources({
  place: { fields: { name: Type.String() } },
  thing: {
    fields: {
      title: Type.String(),
      number: Type.Integer({ maximum: 5 }),
      weight: Type.Number(),
      isOpen: Type.Boolean(),
      price: Type.String({ format: 'decimal' }),
      day: Type.String({ format: 'date' }),
      since: Type.String({ format: 'date-time' }),
      key: Type.String({ format: 'uuid' }),
      state: Type.Union([Type.Literal('draft'), Type.Literal('sent')]),
    },
    relations: { place: knows.one('place') },
  },
})

const uuid = '6f1ed002-ab5a-4c5e-a2d2-5e0ad8a1a2b3'

/** Those of the one row, and for each column values that are none of its type. No value is equal to the row's in any reading. */
const row = {
  title: '1',
  number: 1,
  weight: 1,
  isOpen: true,
  price: '1',
  day: '2026-01-31',
  since: '2026-01-31T12:00:00Z',
  key: uuid,
  state: 'draft',
}

const odd = [{}, [], [1], ['1'], new Date(0), () => 1, Symbol('one'), Number.NaN, Number.POSITIVE_INFINITY] as const
const notNumbers = [...odd, true, false, '1', '1.0', ' 1', '1\u0000', '', 2n ** 53n, 2n ** 64n] as const
const notTexts = [...odd, true, 1, 0, 1n] as const
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  title: [...notTexts, '1\u0000', '\ud800'],
  number: [...notNumbers, 1.5, 2 ** 53, 1e300],
  weight: notNumbers,
  isOpen: [...odd, 1, 0, 'true', 't', '1', 1n],
  price: [...notTexts, '1e0', ' 1', '+1', 'NaN', '1\u0000', 'one', ''],
  day: [...notTexts, '2026-01-31T00:00:00Z', '0000-01-01', '2026-02-30', 'today', 'infinity', '2026-1-31'],
  since: [...notTexts, '2026-01-31', 'now', 'infinity', '2026-02-30T12:00:00Z'],
  key: [...notTexts, '6f1ed002', `{${uuid}}`, `${uuid}\u0000`, ''],
  state: [...notTexts, 'Draft', 'nope', '', 'draft\u0000'],
  id: [...notNumbers, 1.5, 2 ** 53],
  placeId: [...notNumbers, 1.5],
}

// A store outside of a service has the console for its log.
const warn = vi.spyOn(console, 'warn')
beforeEach(() => void warn.mockReset().mockImplementation(() => {}))
afterAll(() => warn.mockRestore())

describeOnBoth('a value of the caller', (database) => {
  let open: OpenDatabase
  let id: number

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, things)
    // Types of PostgreSQL's own, which take not every text.
    if (open.name === 'postgres') {
      await sql`create type thing_state as enum ('draft', 'sent')`.execute(open.db)
      await sql`alter table thing alter "key" type uuid using "key"::uuid, alter state type thing_state using state::thing_state,
        alter "number" type int2, alter weight type float8`.execute(open.db)
    }
  })
  beforeEach(async () => {
    await open.empty()
    const all = createStore({ db: open.db, resources: things })
    const place = await all.place.create({ name: 'here' })
    ;({ id } = await all.thing.create({ ...row, placeId: place.id } as never))
  })
  afterAll(() => open.close())

  type Thing = NonNullable<Policies['thing']>
  const stores = new Map<Thing, ReturnType<typeof storeWith>>()
  const storeWith = (thing: Thing) =>
    createStore({ db: open.db, resources: things, policies: { place: true, thing } as Policies })
  const seen = async (thing: Thing, caller: object) => {
    const store = stores.get(thing) ?? storeWith(thing)
    stores.set(thing, store)
    const { rows } = await store.as(caller).resource('thing').list()
    // The record itself says the same as the list.
    const found = await store
      .as(caller)
      .resource('thing')
      .find(id)
      .then(
        () => 1,
        (error) => (error.code === 'CRUD_ERR_NOT_FOUND' ? 0 : Promise.reject(error)),
      )
    expect(found).toBe(rows.length)
    return rows.length
  }
  const is =
    (column: string): Thing =>
    ({ eb, my }) =>
      eb(column as never, '=', my('x') as never)
  const isNot =
    (column: string): Thing =>
    ({ eb, my }) =>
      eb.or([
        eb(column as never, '!=', my('x') as never),
        eb.not(eb(column as never, '=', my('x') as never)),
        eb.lit(true),
      ])

  test.each(Object.entries(row))('that has the type of the column %s is compared with it', async (column, x) => {
    expect(await seen(is(column), { x })).toBe(1)
  })

  test('may be a bigint, as drivers return ids', async () => {
    expect(await seen(is('id'), { x: BigInt(id) })).toBe(1)
    expect(await seen(is('number'), { x: 1n })).toBe(1)
  })

  test('may be beyond what the column or its schema allows', async () => {
    for (const x of [6, 40_000, 2 ** 40, -(2 ** 40)]) expect(await seen(is('number'), { x })).toBe(0)
    expect(await seen(({ eb, my }) => eb('number', '<', my('x')), { x: 2 ** 40 })).toBe(1)
    expect(await seen(({ eb, my }) => eb('number', 'in', [my('x'), 1]), { x: 2 ** 40 })).toBe(1)
    expect(await seen(({ eb, my }) => eb('id', '<', my('x')), { x: 2 ** 52 })).toBe(1)
  })

  test.each(Object.entries(wrong))(
    'that has another type than the column %s makes the whole policy false',
    async (column, values) => {
      const isRole: Thing = { member: isNot(column) }
      for (const rule of [is(column), isNot(column), isRole]) {
        for (const x of values) expect(await seen(rule, { x, roles: ['member'] }), String(x)).toBe(0)
      }
    },
  )

  test('that is missing is null, and makes the policy of a role false', async () => {
    for (const caller of [{}, { x: null }, { x: undefined }]) {
      expect(await seen(is('number'), caller)).toBe(0)
      expect(await seen(isNot('number'), caller)).toBe(1)
      expect(await seen({ member: isNot('number') } as Thing, { ...caller, roles: ['member'] })).toBe(0)
    }
  })

  test('of another type is said in the log once, with the place, and without the value', async () => {
    const policies: Policies = {
      place: ({ eb, my }) => eb('id', '=', my('x')),
      thing: { member: is('number'), other: isNot('title') } as Thing,
    }
    const store = createStore({ db: open.db, resources: things, policies: policies as object })
    for (const x of ['secret', 'secret', Number.NaN, 1, null]) await store.as({ x, roles: ['member'] }).thing.list()
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/'x' is a string that does not fit, and my\('x'\) must be an id.*policies\.place$/)],
      [
        expect.stringMatching(
          /'x' is a string that does not fit, and my\('x'\) must be an integer.*policies\.thing\.member$/,
        ),
      ],
      [expect.stringMatching(/'x' is NaN, and my\('x'\) must be a string.*policies\.thing\.other$/)],
    ])
    expect(JSON.stringify(warn.mock.calls)).not.toContain('secret')
  })

  test('leaves other roles as they are', async () => {
    const thing: Thing = { member: is('number'), reader: true, other: ({ eb }) => eb('title', '=', '1') }
    expect(await seen(thing, { x: true, roles: ['member', 'reader'] })).toBe(1)
    expect(await seen(thing, { x: true, roles: ['member', 'other'] })).toBe(1)
    expect(await seen(thing, { x: true, roles: ['member'] })).toBe(0)
  })

  test('has its type wherever the column is beside it', async () => {
    const rules: readonly Thing[] = [
      ({ eb, my }) => eb(my('x'), '=', eb.ref('number')),
      ({ eb, my }) => eb('number', 'in', [my('x'), 7]),
      ({ eb, my }) => eb.between('number', my('x'), my('x')),
      ({ eb, my }) => eb(eb.refTuple('number', 'title'), '=', eb.tuple(my('x'), '1')),
      ({ eb, my }) => eb(eb.parens(eb.ref('number')), 'is not distinct from', my('x')),
      ({ eb, my }) => eb(my('x'), 'in', eb.selectFrom('thing as other').select('other.number')),
      ({ eb, my }) => eb(eb.selectFrom('thing as other').select('other.number').limit(1), '=', my('x')),
      ({ eb, my }) => eb.exists(eb.selectFrom('thing as other').select('other.id').where('number', '=', my('x'))),
      ({ eb, my }) =>
        eb.exists(
          eb
            .selectFrom(eb.selectFrom('thing').select(['number as n', 'title']).as('inner'))
            .innerJoin('thing as joined', (join) => join.on('joined.number', '=', my('x')))
            .select('inner.title')
            .where('inner.n', '=', my('x')),
        ),
      ({ eb, my }) => eb.case().when('number', '=', my('x')).then(true).else(false).end(),
      ({ my }) => sql<boolean>`"number" = ${my('x', 'integer')}`,
      ({ eb, my }) => eb(my('x', 'integer'), '<', 2),
    ]
    for (const [index, rule] of rules.entries()) {
      expect(await seen(rule, { x: 1 }), `${index}`).toBe(1)
      for (const x of [true, '1', '1.0', Number.NaN, 1.5, [1]]) expect(await seen(rule, { x }), `${index} ${x}`).toBe(0)
    }
  })

  test('is an id where it is asked for another policy', async () => {
    const place: Thing = ({ eb, my, can }) => eb.and([can('View', 'place', my('place')), eb.lit(true)])
    const [here] = (await createStore({ db: open.db, resources: things }).place.list()).rows
    const placeId = here?.id as number
    expect(await seen(place, { place: placeId })).toBe(1)
    for (const x of [`${placeId}`, true, Number.NaN, placeId + 1]) expect(await seen(place, { place: x })).toBe(0)
  })

  test.each([
    ['no column', ({ eb, my }) => eb(my('x'), '=', 2), /my\('x', 'integer'\)/],
    ['SQL text', ({ my }) => sql<boolean>`"number" = ${my('x')}`, /my\('x', 'integer'\)/],
    ['a function', ({ eb, my }) => eb(eb.fn('lower', ['title']), '=', my('x')), /my\('x', 'integer'\)/],
    [
      'a column that the model does not know',
      ({ eb, my }) => eb('nope' as never, '=', my('x')),
      /my\('x', 'integer'\)/,
    ],
    [
      'a table that the model does not know',
      ({ eb, my }) => eb.exists(eb.selectFrom('other' as never).where('id' as never, '=', my('x') as never)),
      /my\('x', 'integer'\)/,
    ],
    ['a column of another type than it says', ({ eb, my }) => eb('number', '=', my('x', 'string')), /string.*integer/],
    ['no type', ({ my }) => sql<boolean>`1 = ${my('x', 'int' as never)}`, /one of string, integer/],
    ['a list', ({ eb, my }) => eb('number', 'in', my('x')), /single value, not a list/],
  ] as [string, Thing, RegExp][])('is a mistake beside %s', (_, thing, message) => {
    const start = () => createStore({ db: open.db, resources: things, policies: { place: true, thing } as Policies })
    expect(start).toThrow(message)
    expect(start).toThrow(/policies\.thing: /)
  })
})

describeOnBoth('a value of the caller that has another type', (database) => {
  let value: unknown
  const service = useApp(database, tickets, {
    plugin: {
      caller: () => ({ team: value, roles: ['member'] }),
      policies: {
        ticket: {
          member: {
            View: ({ eb, my }) => eb('authorId', '=', my('team')),
            Add: true,
            Edit: ({ eb, my }) => eb('authorId', '=', my('team')),
            Delete: true,
          },
        },
      },
    },
  })

  test('is no error of the client, whichever way the request goes', async () => {
    await service.db.insertInto('ticket').values({ title: 't', state: 'draft', authorId: 1 }).execute()
    for (value of [Number.NaN, 'x', true, ['t'], {}, () => 1, 1e300]) {
      expect(await service.read('/api/ticket')).toEqual({ rows: [], count: 0 })
      expect(await service.read('/api/ticket?filter[title]=t&sort=title')).toEqual({ rows: [], count: 0 })
      expect((await service.get('/api/ticket/1')).status).toBe(404)
      expect((await service.request('PATCH', '/api/ticket/1', { title: 'x' })).status).toBe(404)
      expect((await service.request('PUT', '/api/ticket/1', { title: 'x', authorId: 1 })).status).toBe(404)
      expect((await service.request('DELETE', '/api/ticket/1')).status).toBe(404)
    }
    value = 1
    expect((await service.read('/api/ticket')).count).toBe(1)
  })
})

describeOnBoth('a value that the caller does not have', (database) => {
  const service = useApp(database, tickets, {
    plugin: {
      caller: () => ({ roles: ['member'] }),
      policies: { ticket: { member: ({ eb, my }) => eb('state', '!=', my('toString')) } },
    },
  })

  test('is missing, whatever all objects have of this name', async () => {
    await service.db.insertInto('ticket').values({ title: 't', state: 'draft', authorId: 1 }).execute()
    expect(await service.read('/api/ticket')).toEqual({ rows: [], count: 0 })
  })
})
