import { Type } from '@sinclair/typebox'
import {
  createStore,
  createTables,
  defineResources,
  field,
  type Model,
  maxOf,
  ownedBy,
  owns,
  type Stored,
} from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { expectSwap } from './swap-moments.ts'

function resourcesWith(stored: Stored): Model {
  const at = (options: object) => Type.String({ format: 'date-time', stored, ...options })
  return defineResources({
    event: {
      fields: { at: at({ index: true }), until: Type.Optional(at({})) },
      unique: [['at']],
      relations: { parts: owns.many('part') },
      computed: { last: maxOf('parts', 'at') },
    },
    part: { fields: { at: at({}) }, unique: [['event', 'at']], relations: { event: ownedBy('event') } },
  }) as Model
}

interface Case {
  readonly stored: Stored
  /** What stands in the column for noon on 31 January 2026 in UTC, as SQL. */
  readonly noon: string
  /** How answers show it. */
  readonly shown: string
  /** What the column can hold, and no date-time can be. */
  readonly unshown: string
}

const ofSqlite: readonly Case[] = [
  { stored: 'space', noon: "'2026-01-31 12:00:00'", shown: '2026-01-31T12:00:00Z', unshown: "'2026-02-30 12:00:00'" },
  { stored: 'T', noon: "'2026-01-31T12:00:00'", shown: '2026-01-31T12:00:00Z', unshown: "'soon'" },
  { stored: 'seconds', noon: '1769860800', shown: '2026-01-31T12:00:00Z', unshown: "'soon'" },
  { stored: 'milliseconds', noon: '1769860800000', shown: '2026-01-31T12:00:00.000Z', unshown: '9e18' },
  { stored: 'julian', noon: '2461072.0', shown: '2026-01-31T12:00:00.000Z', unshown: "x'00'" },
]

const ofPostgres: readonly Case[] = [
  { stored: 'utc', noon: "'2026-01-31 12:00:00'", shown: '2026-01-31T12:00:00Z', unshown: "'infinity'" },
  {
    stored: { zone: 'Europe/Vienna' },
    noon: "'2026-01-31 13:00:00'",
    shown: '2026-01-31T12:00:00Z',
    unshown: "'-infinity'",
  },
]

const cases = setups.flatMap((database) =>
  (database.name === 'sqlite' ? ofSqlite : ofPostgres).map((one) => ({
    ...one,
    database,
    name: JSON.stringify(one.stored),
  })),
)

describe.each(cases)(
  'moments that are stored: $name ($database.title)',
  ({ database, stored, noon, shown, unshown }) => {
    const service = useApp(database, resourcesWith(stored))

    const columns = async ({ db }: TestApp): Promise<readonly unknown[]> => {
      const { rows } = await sql<{
        same: unknown
      }>`select at = ${sql.raw(noon)} as same from event order by id`.execute(db)
      return rows.map(({ same }) => same === 1 || same === true)
    }

    test('a body sets the column as it spells its values', async () => {
      const { id, at } = await service.add('/api/event', { at: '2026-01-31T14:00:00+02:00' })
      expect(at).toBe(shown)
      expect(await columns(service)).toEqual([true])
      await service.patch(`/api/event/${id}`, { at: '2026-05-01T00:00:00Z' })
      expect(await columns(service)).toEqual([false])
      await service.put(`/api/event/${id}`, { at: '2026-01-31T07:00:00-05:00' })
      expect(await columns(service)).toEqual([true])
    })

    test('an answer shows what a row holds; it can be put back, and changes nothing', async () => {
      await sql`insert into event (at) values (${sql.raw(noon)})`.execute(service.db)
      await sql`insert into part (at, "eventId") select at, id from event`.execute(service.db)
      const { rows } = await service.read('/api/event')
      expect(rows).toMatchObject([{ at: shown, until: null, parts: [{ at: shown }], last: shown }])
      const statements = await service.statements(async () => {
        expect((await service.put(`/api/event/${rows[0].id}`, rows[0])).body).toEqual(rows[0])
      })
      expect(statements.filter((one) => /^(update|insert|delete)/i.test(one))).toEqual([])
    })

    test('filters and sorts compare points in time, and a shown value finds its row', async () => {
      const moments = ['2026-01-31T12:00:00Z', '2026-01-31T11:59:59.5Z', '1969-12-31T23:59:59Z']
      const shownOnes: string[] = []
      for (const at of moments) shownOnes.push((await service.add('/api/event', { at })).at)
      const sorted = (await service.read('/api/event?sort=at')).rows
      expect(sorted.map(({ at }: { at: string }) => at)).toEqual(shownOnes.toReversed())
      for (const at of shownOnes) {
        const { rows } = await service.read(`/api/event?filter[at]=${encodeURIComponent(at)}`)
        expect(rows.map((one: { at: string }) => one.at)).toEqual([at])
      }
      const { count } = await service.read('/api/event?filter[at][lt]=2026-01-31T13:00:00%2B01:00')
      expect(count).toBe(2)
      const page = await service.read('/api/event?sort=-at&limit=1')
      const next = await service.read(`/api/event?sort=-at&limit=1&after=${encodeURIComponent(page.next)}`)
      expect([...page.rows, ...next.rows].map(({ at }) => at)).toEqual(shownOnes.slice(0, 2))
    })

    test('a taken value is found under any offset', async () => {
      await service.add('/api/event', { at: '2026-01-31T12:00:00Z' })
      const body = { at: '2026-01-31T13:00:00+01:00' }
      await service.refuse('POST', '/api/event', body, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/at'] })
    })

    test('one request swaps unique values', () => expectSwap(service))

    test('what no date-time can be is left out, and the record is partial', async () => {
      await sql`insert into event (at, until) values (${sql.raw(noon)}, ${sql.raw(unshown)})`.execute(service.db)
      const { rows } = await service.read('/api/event')
      expect(rows).toMatchObject([{ at: shown, partial: true }])
      expect(rows[0]).not.toHaveProperty('until')
    })
  },
)

describe.each(setups.filter(({ name }) => name === 'sqlite'))("booleans that are stored: 'tf' ($title)", (database) => {
  const done = field(Type.Boolean(), { stored: 'tf' })
  const service = useApp(database, defineResources({ task: { fields: { done, seen: Type.Optional(done) } } }) as Model)

  test('t and f are true and false, in answers, bodies, filters and sorts', async () => {
    await service.add('/api/task', { done: true })
    await service.add('/api/task', { done: false, seen: true })
    const { rows } = await sql`select done, seen from task order by id`.execute(service.db)
    expect(rows).toEqual([
      { done: 't', seen: null },
      { done: 'f', seen: 't' },
    ])
    const found = await service.read('/api/task?filter[done]=true')
    expect(found.rows).toMatchObject([{ done: true, seen: null }])
    const sorted = await service.read('/api/task?sort=done')
    expect(sorted.rows).toMatchObject([{ done: false }, { done: true }])
  })
})

test('a start with columns that the database cannot have fails, and names the field', async () => {
  const [sqlite, postgres] = ['sqlite', 'postgres'].map((name) => setups.find((one) => one.name === name))
  for (const [setup, stored] of [
    [sqlite, 'utc'],
    [postgres, 'space'],
  ] as const) {
    const database = await setup?.open()
    try {
      await createTables(database?.db as never, resourcesWith('space'))
      expect(() => createStore({ db: database?.db as never, resources: resourcesWith(stored) })).toThrow(
        `event.fields.at: this database has no columns with stored: "${stored}"`,
      )
    } finally {
      await database?.close()
    }
  }
})
