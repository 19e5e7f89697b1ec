import { type CrudError, createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  note: {
    fields: {
      team: Type.String(),
      text: Type.String(),
      due: Type.String({ format: 'date-time' }),
      size: Type.Optional(Type.Integer()),
      isOpen: Type.Optional(Type.Boolean()),
      day: Type.Optional(Type.String({ format: 'date' })),
    },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
})

const NOON = '2026-01-01T12:00:00Z'

describeOnBoth('A cursor', (database) => {
  let open: OpenDatabase
  let store: ReturnType<typeof createStore<typeof resources>>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createStore({ db: open.db, resources })
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  type List = (
    options: object,
  ) => Promise<{ readonly rows: readonly { readonly id: number }[]; readonly next?: string }>

  async function walk(list: List, options: object): Promise<number[]> {
    const ids: number[] = []
    let after: string | undefined
    do {
      const page = await list({ ...options, limit: 1, after })
      ids.push(...page.rows.map(({ id }) => id))
      expect(ids.length).toBeLessThan(100)
      after = page.next
    } while (after !== undefined)
    return ids
  }

  const add = (note: object = {}, of = store) =>
    of.note.create({ team: 'a', text: 'x', due: NOON, lines: [], ...note } as never)

  const problemOf = async (work: Promise<unknown>): Promise<string> => {
    const error = (await work.then(
      () => expect.fail('it was not refused'),
      (reason) => reason,
    )) as CrudError
    expect(error.code).toBe('CRUD_ERR_INVALID')
    return error.message
  }

  /** A cursor with other values than the service has written. */
  function forged(cursor: string | undefined, ...values: readonly unknown[]): string {
    const [hash] = JSON.parse(Buffer.from(cursor as string, 'base64url').toString()) as [string]
    return Buffer.from(JSON.stringify([hash, ...values])).toString('base64url')
  }

  test('leads also through points in time that the database has no order for', async () => {
    const moments = [
      NOON,
      '2026-01-01t12:00:00z',
      '2025-01-01T00:00:00Z',
      '2016-12-31T23:59:59.5Z',
      '2027-01-01t00:00:00Z',
    ]
    for (const due of moments) await add({ due })
    for (const sort of [['due'], ['-due'], ['team', 'due'], ['team', '-due', 'text']] as const) {
      const { rows } = await store.note.list({ sort })
      expect(await walk((options) => store.note.list(options), { sort }), sort.join()).toEqual(rows.map(({ id }) => id))
    }
  })

  test('leads through integers that JavaScript cannot hold', async () => {
    for (let count = 0; count < 5; count++) await add()
    await sql.raw(`update note set size = 9007199254740990 + id % 4`).execute(open.db)
    for (const sort of [['size'], ['-size']] as const) {
      const { rows } = await store.note.list({ sort })
      expect(await walk((options) => store.note.list(options), { sort })).toEqual(rows.map(({ id }) => id))
    }
  })

  test('belongs to a filter, in whatever order its conditions stand', async () => {
    for (const text of ['b', 'c', 'd']) await add({ text })
    const { next = '' } = await store.note.list({ filter: { team: 'a', text: { gte: 'b' } }, limit: 1 })
    const other = await store.note.list({ filter: { text: { gte: 'b' }, team: { eq: 'a' } }, after: next })
    expect(other.rows.map(({ text }) => text)).toEqual(['c', 'd'])
    expect(await problemOf(store.note.list({ filter: { team: 'a', text: { gte: 'c' } }, after: next }))).toContain(
      'after: is a cursor of another list',
    )
  })

  test('belongs to one owner', async () => {
    const lines = [{ text: 'one' }, { text: 'two' }]
    const [first, second] = [await add({ lines }), await add({ lines })]
    const { next = '' } = await store.note.owned(first.id, 'lines').list({ limit: 1 })
    expect((await store.note.owned(first.id, 'lines').list({ after: next })).rows).toMatchObject([{ text: 'two' }])
    expect(await problemOf(store.note.owned(second.id, 'lines').list({ after: next }))).toContain('another list')
  })

  test('may count all records of the list', async () => {
    for (let count = 0; count < 3; count++) await add()
    const { next = '', ...first } = await store.note.list({ limit: 2 })
    expect(first.count).toBe(3)
    expect(await store.note.list({ after: next })).not.toHaveProperty('count')
    expect(await store.note.list({ after: next, count: 'exact' })).toMatchObject({ rows: [{}], count: 3 })
    expect(await store.note.list({ after: next, count: 2 })).toMatchObject({ count: 2, countIs: 'atLeast' })
  })

  test('does not go with an offset', async () => {
    await add()
    await add()
    const { next = '' } = await store.note.list({ limit: 1 })
    expect(await problemOf(store.note.list({ after: next, offset: 0 }))).toContain("'offset'")
  })

  test('that names a long text is refused once the record has gone, or the text is short', async () => {
    const long = 'é'.repeat(251)
    const [, second] = [
      await add({ text: `${long}a` }),
      await add({ text: `${long}b` }),
      await add({ text: `${long}c` }),
    ]
    const { next = '' } = await store.note.list({ sort: ['text'], limit: 2 })
    expect((await store.note.list({ sort: ['text'], after: next })).rows).toMatchObject([{ text: `${long}c` }])
    await store.note.patch(second.id, { text: 'b' })
    const changed = await problemOf(store.note.list({ sort: ['text'], after: next }))
    await store.note.delete(second.id)
    const gone = await problemOf(store.note.list({ sort: ['text'], after: next }))
    expect(gone).toContain('start again from the first page')
    expect(changed).toBe(gone)
  })

  test('reaches no record that the caller may not see', async () => {
    const guarded = createStore({
      db: open.db,
      resources,
      policies: { note: ({ eb, my }) => eb('team', '=', my('team')) },
    })
    const mine = guarded.as({ team: 'a' } as never)
    const long = 'm'.repeat(600)
    const hidden = await add({ team: 'b', text: long })
    await add({ text: 'a' })
    await add({ text: 'z' })
    const { next } = await mine.note.list({ sort: ['text'], limit: 1 })
    const known = await problemOf(mine.note.list({ sort: ['text'], after: forged(next, true, hidden.id) }))
    const unknown = await problemOf(mine.note.list({ sort: ['text'], after: forged(next, true, hidden.id + 1_000) }))
    expect(known).toBe(unknown)
    expect((await mine.note.list({ sort: ['text'], after: forged(next, 'b', hidden.id) })).rows).toMatchObject([
      { text: 'z' },
    ])
  })

  test('that is forged is read as a filter is: 400 for what has another type', async () => {
    for (let count = 0; count < 3; count++) await add()
    const cases: [sort: 'size' | 'text' | 'isOpen' | 'due' | 'day' | 'id', wrong: readonly unknown[]][] = [
      ['size', [5, false, '', 'x', '1,5', [], {}]],
      ['text', [5, false, [], {}, '\u0000', '\ud800']],
      ['isOpen', [false, 1, 'x', '']],
      ['due', [1, false, 'x', NOON.toLowerCase(), '1; drop table note']],
      ['day', [1, false, '', "'"]],
      ['id', ['1', 1.5, 2 ** 53, true]],
    ]
    for (const [name, wrong] of cases) {
      const sort = [name] as never
      const { next } = await store.note.list({ sort, limit: 1 })
      for (const value of wrong) {
        const message = await problemOf(store.note.list({ sort, after: forged(next, value, 1) }))
        expect(message, JSON.stringify(value)).toContain('after: is not a cursor of this list')
      }
      for (const values of [[], [null], [null, '1'], [null, null], [null, 1, 2], [null, 1.5], [null, 2 ** 53]]) {
        await problemOf(store.note.list({ sort, after: forged(next, ...values) }))
      }
      await store.note.list({ sort, after: forged(next, null, Number.MAX_SAFE_INTEGER) })
    }
  })

  test('that is forged with a value that its column cannot have is 400, or just a place in the list', async () => {
    for (let count = 0; count < 3; count++) await add({ day: '2026-01-01' })
    for (const [name, value] of [
      ['day', '2026-99-99'],
      ['day', 'tomorrow'],
      ['size', '99999999999999999999'],
      ['isOpen', '7'],
    ] as const) {
      const { next } = await store.note.list({ sort: [name], limit: 1 })
      const after = forged(next, value, 1)
      await store.note.list({ sort: [name], after }).catch((error: CrudError) => {
        expect(error.code).toBe('CRUD_ERR_INVALID')
        expect(error.message).toContain('after')
      })
    }
  })
})

describeOnBoth('limits.count', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  afterAll(() => open.close())

  test('says how a list is counted', async () => {
    const with2 = createStore({ db: open.db, resources, limits: { count: 2 } })
    for (let count = 0; count < 3; count++) await with2.note.create({ team: 'a', text: 'x', due: NOON, lines: [] })
    expect(await with2.note.list()).toMatchObject({ count: 2, countIs: 'atLeast' })
    expect(await createStore({ db: open.db, resources, limits: { count: 'none' } }).note.list()).not.toHaveProperty(
      'count',
    )
    expect(await createStore({ db: open.db, resources, limits: {} }).note.list()).toMatchObject({ count: 3 })
  })

  test('is checked at start', () => {
    for (const count of [0, -1, 1.5, Number.NaN, 'all', '5', null, true]) {
      expect(() => createStore({ db: open.db, resources, limits: { count: count as never } })).toThrow(
        "limits.count: must be 'exact', 'none' or an integer from 1",
      )
    }
  })
})
