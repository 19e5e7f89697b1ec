import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, type IdDeclaration, type Model } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../support/describe-on-databases.ts'
import { report } from '../support/report.ts'
import type { DatabaseName } from '../support/tables.ts'

const RECORDS = 1_000_000
const ROUNDS = 400

/**
 * How many times as long a read may take as with integers. SQLite has UUIDs as texts, of which an index holds fewer on a page, and no function that
 * puts hyphens into one: it takes five. Machines differ by a seventh: one has 1.19 for a UUID, another 1.55.
 */
function mostFor(what: string): number {
  if (what.endsWith('hex')) return 1.85
  return what.endsWith('uuid') ? 1.7 : 1.5
}

interface Kind {
  readonly id: IdDeclaration
  /** The id of the row with the number `i`, in SQL. */
  readonly made: Readonly<Record<DatabaseName, string>>
  readonly toId: (i: number) => number | string
}

const HEX = { sqlite: "printf('%012x', i)", postgres: "lpad(to_hex(i), 12, '0')" }
const hexOf = (i: number) => i.toString(16).padStart(12, '0')
const both = (make: (hex: string) => string) => ({ sqlite: make(HEX.sqlite), postgres: make(HEX.postgres) })

const kinds: Readonly<Record<string, Kind>> = {
  integer: { id: 'integer', made: { sqlite: 'i', postgres: 'i' }, toId: (i) => i },
  bigint: { id: 'bigint', made: { sqlite: 'i', postgres: 'i' }, toId: String },
  uuid: {
    id: 'uuid',
    made: {
      ...both((hex) => `'0190163d-8694-739b-aea5-' || ${hex}`),
      postgres: `('0190163d-8694-739b-aea5-' || ${HEX.postgres})::uuid`,
    },
    toId: (i) => `0190163d-8694-739b-aea5-${hexOf(i)}`,
  },
  hex: {
    id: { kind: 'uuid', stored: 'hex' },
    made: both((hex) => `'0190163d8694739baea5' || ${hex}`),
    toId: (i) => `0190163d-8694-739b-aea5-${hexOf(i)}`,
  },
  text: { id: 'text', made: both((hex) => `'k' || ${hex}`), toId: (i) => `k${hexOf(i)}` },
}

const resources = defineResources(
  Object.fromEntries(Object.entries(kinds).map(([key, { id }]) => [key, { id, fields: { name: Type.String() } }])),
) as Model

describeOnBoth('a million records with ids of each kind', (database) => {
  test('a GET by id and a page by a cursor take about what they take with integers, within a half, and somewhat more for UUIDs', {
    timeout: 600_000,
  }, async () => {
    const open = await database.open()
    try {
      await createTables(open.db, resources)
      const numbers =
        database.name === 'sqlite'
          ? sql.raw(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${RECORDS})`)
          : sql.raw(`with n(i) as (select generate_series(1, ${RECORDS}))`)
      for (const [key, { made }] of Object.entries(kinds)) {
        const id = sql.raw(made[database.name])
        await sql`insert into ${sql.id(key)} (id, name) ${numbers} select ${id}, 'n' from n`.execute(open.db)
      }
      await sql`analyze`.execute(open.db)
      const store = createStore({ db: open.db, resources })
      const taken = new Map<string, number[]>()
      const measure = async (what: string, work: () => Promise<unknown>) => {
        const start = performance.now()
        await work()
        const times = taken.get(what) ?? []
        times.push(performance.now() - start)
        taken.set(what, times)
      }
      const cursors = new Map<string, string>()
      for (let round = 0; round < ROUNDS; round++) {
        const i = 1 + ((round * 7919) % RECORDS)
        for (const [key, { toId }] of Object.entries(kinds)) {
          const records = store.resource(key)
          await measure(`GET ${key}`, () => records.find(toId(i)))
          await measure(`page ${key}`, async () => {
            const after = cursors.get(key)
            const { next } = await records.list({ limit: 20, count: 'none', ...(after === undefined ? {} : { after }) })
            cursors.set(key, next as string)
          })
        }
      }
      const median = (what: string) => (taken.get(what) ?? []).toSorted((a, b) => a - b)[ROUNDS / 2] as number
      const ratios = [...taken.keys()].map((what) => {
        const [work] = what.split(' ')
        return [what, median(what) / median(`${work} integer`)] as const
      })
      report(`ids on ${database.name}: ${ratios.map(([what, ratio]) => `${what} ${ratio.toFixed(2)}`).join(', ')}`)
      for (const [what, ratio] of ratios) expect(ratio, what).toBeLessThan(mostFor(what))
    } finally {
      await open.close()
    }
  })
})
