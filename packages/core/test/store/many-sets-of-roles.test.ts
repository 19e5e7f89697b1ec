import { createStore, defineResources, type Policies } from '@fastify-crud/core'
import { storesOf } from '@fastify-crud/core/internal'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OpenDatabase, setups } from '../../../../test/support/databases.ts'

const resources = defineResources({
  note: {
    fields: { text: Type.String(), authorId: Type.Integer(), grade: Type.Integer({ access: { View: ['r0', 'r1'] } }) },
  },
})

const roles = Array.from({ length: 11 }, (_, index) => `r${index}`)
/** Each number is another set of roles. */
const setOf = (number: number) => roles.filter((_, index) => (number >> index) & 1)
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)

/** All roles allow the same, by one function. */
const same: Policies<typeof resources> = {
  note: Object.fromEntries(
    ((rule) => roles.map((role) => [role, rule]))(({ eb }: never) => (eb as CallableFunction)('authorId', '=', 1)),
  ),
}
/** Each role allows something else. */
const different: Policies<typeof resources> = {
  note: Object.fromEntries(
    roles.map((role, index) => [role, { View: ({ eb }: never) => (eb as CallableFunction)('authorId', '=', index) }]),
  ),
}

describe('stores', () => {
  let open: OpenDatabase
  beforeAll(async () => {
    open = await (setups[0] as (typeof setups)[number]).open()
  })
  afterAll(() => open.close())

  test('are one for all sets of roles that give the same rights', () => {
    const stores = storesOf({ db: open.db, resources, policies: same })
    const seeingGrades = stores.of({ roles: ['r0'] })
    const others = stores.of({ roles: ['r2'] })
    const none = stores.of({ roles: [] })
    expect(new Set([seeingGrades, others, none]).size).toBe(3)
    for (const number of numbers(1, 1024)) {
      const given = setOf(number)
      expect(stores.of({ roles: given })).toBe(number & 3 ? seeingGrades : others)
      expect(stores.of({ roles: [...given, 'no one names it', ...given].reverse() })).toBe(
        number & 3 ? seeingGrades : others,
      )
    }
    expect(stores.of(undefined)).toBe(none)
  })

  test('are one where a role allows everything that others allow in part', () => {
    const policies: Policies<typeof resources> = { note: { ...(different.note as object), all: true } }
    const stores = storesOf({ db: open.db, resources, policies })
    const all = stores.of({ roles: ['all'] })
    for (const number of numbers(1, 512)) {
      const store = stores.of({ roles: [...setOf(number << 2), 'all'] })
      expect(store).toBe(all)
    }
    expect(stores.of({ roles: ['r2'] })).not.toBe(all)
  })

  test('are dropped one at a time, the one that was not used for longest first', () => {
    const stores = storesOf({ db: open.db, resources, policies: different })
    const all = numbers(0, 1500).map((number) => stores.of({ roles: setOf(number) }))
    expect(new Set(all).size).toBe(1500)
    const isKept = (number: number) => stores.of({ roles: setOf(number) }) === all[number]
    expect(isKept(0)).toBe(true)
    stores.of({ roles: setOf(1500) })
    // 1 was dropped for it, and 2 for the new one of 1.
    expect(isKept(1)).toBe(false)
    expect([0, 3, 4, 700, 1499].map(isKept)).toEqual([true, true, true, true, true])
    expect(isKept(2)).toBe(false)
  })
})

describe.each(setups.filter(({ isDirect, isBatched }) => isDirect || isBatched))(
  '1,000 sets of roles in rotation ($title)',
  (setup) => {
    let open: OpenDatabase
    let compiled = 0
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        compiled += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }

    beforeAll(async () => {
      open = await setup.open({ plugins: [counting] })
      await createTables(open.db, resources)
      await open.db.insertInto('note').values({ text: 'n', authorId: 1, grade: 1 }).execute()
    })
    beforeEach(() => {
      compiled = 0
    })
    afterAll(() => open.close())

    test('compile nothing that another set of the same rights has compiled', async () => {
      const store = createStore({ db: open.db, resources, policies: same })
      for (const number of [1, 4]) await store.as({ roles: setOf(number) }).note.list()
      expect(compiled).toBeGreaterThan(0)
      compiled = 0
      for (const number of numbers(1, 1001))
        expect((await store.as({ roles: setOf(number) }).note.list()).count).toBe(1)
      expect(compiled).toBe(0)
    })

    test('compile and prepare nothing once all are known, even if each has other rights', async () => {
      const store = createStore({ db: open.db, resources, policies: different })
      const rotate = async () => {
        for (const number of numbers(1, 1001)) await store.as({ roles: setOf(number) }).note.list()
      }
      await rotate()
      const before = compiled
      for (const _ of [1, 2]) await rotate()
      expect(compiled).toBe(before)
      if (setup.name !== 'postgres') return
      // One after the other, so that all go by one connection.
      const kept = async () =>
        (
          await sql<{ names: number; uses: number }>`select count(*)::int as names,
      sum(generic_plans + custom_plans)::int as uses from pg_prepared_statements where statement like '%"note"%'`.execute(
            open.db,
          )
        ).rows
      const [first] = await kept()
      await rotate()
      const [second] = await kept()
      expect(second?.names).toBe(first?.names)
      expect((second?.uses ?? 0) - (first?.uses ?? 0)).toBe(1000)
    })

    test('leave a caller alone who comes between 1,600 others', async () => {
      const store = createStore({ db: open.db, resources, policies: different })
      const list = async (number: number) => {
        compiled = 0
        await store.as({ roles: setOf(number) }).note.list()
        return compiled
      }
      const once = await list(2047)
      expect(once).toBeGreaterThan(0)
      for (const number of numbers(1, 1601)) {
        // Each compiles its own statement and no other one's.
        expect(await list(number)).toBeLessThanOrEqual(once)
        expect(await list(2047)).toBe(0)
      }
    }, 60_000)
  },
)
