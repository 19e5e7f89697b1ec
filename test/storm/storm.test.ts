import type { Resource } from '@fastify-crud/core/internal'
import { createTables, type Model } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { isLong } from '../support/is-long.ts'
import { findPgBouncer } from '../support/pgbouncer.ts'
import { report } from '../support/report.ts'
import type { TestKysely } from '../support/tables.ts'
import { testEngine } from '../support/test-engine.ts'
import { createAudit, readAudit } from './audit-table.ts'
import { checkAudit, type StoredRows } from './check-audit.ts'
import { checkCommits } from './check-commits.ts'
import { checkHistory, type Stored } from './check-history.ts'
import { checkInvariants } from './check-invariants.ts'
import { checkMarket, readMarket } from './check-market.ts'
import { type Line, textField, toWrites, type Write } from './history.ts'
import { storm } from './storm.ts'
import { openStormPooled, openStormPostgres, openStormSqlite } from './storm-databases.ts'
import { type StormIds, stormModelOf } from './storm-model.ts'
import { checkLimits } from './storm-rules.ts'
import { addFairs, checkFairs } from './tenants.ts'

type IdKind = Resource['id']

/** `STORM_MINUTES=10` for longer ones, `STORM_SEED` for the same choices again. */
const MINUTES = Number(process.env.STORM_MINUTES ?? (isLong ? 1 : 0))
const SECONDS = MINUTES > 0 ? MINUTES * 60 : 5
const SEED = Number(process.env.STORM_SEED ?? Date.now() % 2 ** 31)

const storms = [
  ...(testEngine ? [] : [{ name: 'sqlite', open: openStormSqlite }]),
  { name: 'postgres', open: openStormPostgres },
]
if (MINUTES > 0 && !testEngine) {
  const pooler = await findPgBouncer()
  storms.push({ name: 'postgres behind PgBouncer', open: () => openStormPooled(pooler) })
  if (!pooler.keepsStatements) report('no kept statements behind PgBouncer: that needs its version 1.21')
}

describe.each(
  storms
    .flatMap((one) => [
      { ...one, ruled: false, ids: 'integers' as StormIds },
      { ...one, ruled: true, ids: 'integers' as StormIds },
      { ...one, ruled: true, ids: 'of many kinds' as StormIds },
      { ...one, ruled: true, ids: 'of many kinds' as StormIds, hasTenants: true },
    ])
    .map((one) => ({ hasTenants: false, ...one }))
    // By day: those with the most to check, and the one without rules on PostgreSQL, where writers meet.
    .filter(({ name, ruled, ids, hasTenants }) => {
      if (MINUTES > 0) return true
      return name === 'postgres' ? hasTenants || !ruled : ids !== 'integers' && !hasTenants
    }),
)('a storm of several processes ($name, rules: $ruled, ids: $ids, tenants: $hasTenants)', (setting) => {
  const { name, open, ruled, ids, hasTenants } = setting
  const model = stormModelOf(ids)

  test('leaves what was acknowledged, nothing of what was refused, and no invariant broken', {
    timeout: SECONDS * 1000 + 120_000,
  }, async () => {
    const database = await open()
    try {
      const whole = stormModelOf(ids, hasTenants)
      const isPartitioned = hasTenants && name !== 'sqlite'
      await createTables(database.db, whole, { partitions: isPartitioned ? 4 : undefined })
      if (hasTenants) await addFairs(database.db)
      await createAudit(database.db, name, hasTenants)
      const result = await storm(database, { seed: SEED, seconds: SECONDS, workers: 3, ruled, ids, hasTenants })
      const writes = toWrites(result.lines)
      report(
        `storm on ${name}${ruled ? ' with rules' : ''}, ids: ${ids}${hasTenants ? ', tenants' : ''}, STORM_SEED=${SEED}, ${SECONDS} s: ${result.kills} workers killed, ${result.drops} connections ended, ${result.restarts} restarts`,
      )
      for (const line of totals(writes, result.lines)) report(line)
      expect(result.errors).toEqual([])
      expect(writes.filter(({ status, outcome }) => status === 500 && outcome !== 'unknown')).toEqual([])
      expect(await checkInvariants(database.db, whole)).toEqual([])
      expect(checkHistory(writes, await readStored(database.db, model))).toEqual([])
      expect(checkMarket(writes, await readMarket(database.db))).toEqual([])
      if (hasTenants) expect(await checkFairs(database.db, model, result.lines)).toEqual([])
      if (ruled) {
        const audit = await readAudit(database.db)
        expect(checkAudit(writes, audit, await readRows(database.db, model))).toEqual([])
        expect(checkCommits(result.lines, writes, audit)).toEqual([])
        expect(await checkLimits(database.db)).toEqual([])
      }
      // How many depends on the machine.
      expect(writes.some(({ outcome }) => outcome === 'done')).toBe(true)
    } finally {
      await database.close()
    }
  })
})

/** All records that are there at the end, but those of which no request tells. */
async function readStored(db: TestKysely, model: Model): Promise<Stored[]> {
  const stored: Stored[] = []
  for (const { key, table, idColumns, ownedBy, softDelete } of model.resources.values()) {
    if (key === 'sale') continue
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
    for (const row of rows) {
      const owner = ownedBy.find(({ column }) => row[column] !== null)
      stored.push({
        key: `${key}/${row[idColumns[0]]}`,
        text: row[textField(key)] as string | null,
        mood: row.mood as string | null | undefined,
        owner: owner && `${owner.target.key}/${row[owner.column]}`,
        isDeleted: softDelete !== undefined && row[softDelete.column] !== null,
      })
    }
  }
  return stored
}

/** The same as rules see them. */
async function readRows(db: TestKysely, model: Model): Promise<StoredRows> {
  const stored = new Map<string, Record<string, unknown>>()
  for (const { key, table, id, idColumns, ownedBy, members, links, softDelete } of model.resources.values()) {
    if (key === 'sale') continue
    // The number of a place is no value of the record.
    const shown = members.filter(({ column }) => column !== 'place')
    const columns = [...ownedBy.map(({ column }) => column), ...shown.map(({ column }) => column)]
    const query = sql<
      Record<string, unknown>
    >`select ${sql.ref(idColumns[0])} as id, ${sql.join(columns.map((name) => sql.ref(name)))} from ${sql.table(table)} where ${softDelete === undefined ? sql`true` : sql`${sql.ref(softDelete.column)} is null`}`
    const { rows } = await query.execute(db)
    for (const row of rows) {
      // `pg` gives 8-byte integers as texts.
      const numbers = columns.filter(
        (name) => /(rank|position|year|count|sold|number)$/.test(name) && row[name] !== null,
      )
      for (const name of numbers) row[name] = Number(row[name])
      row.id = idOf(id, row.id)
      for (const one of [...ownedBy, ...shown]) {
        if ('target' in one) row[one.column] = idOf(one.target.id, row[one.column])
      }
      if (typeof row.extra === 'string' && db.getExecutor().adapter.supportsMultipleConnections === false)
        row.extra = JSON.parse(row.extra)
      stored.set(`${key}/${row.id}`, Object.assign(row, Object.fromEntries(links.map(({ name }) => [name, []]))))
    }
    for (const link of links) {
      const ends = [link.fromColumn, link.toColumn].map((name) => sql.ref(name))
      const found = await sql<{
        from: unknown
        to: unknown
      }>`select ${ends[0]} as "from", ${ends[1]} as "to" from ${sql.table(link.table)}`.execute(db)
      for (const { from, to } of found.rows) {
        const ids = stored.get(`${key}/${from}`)?.[link.name] as unknown[]
        ids.push(idOf(link.target.id, to))
      }
    }
  }
  return stored
}

/** An id as answers have it. */
function idOf({ schema }: IdKind, stored: unknown): unknown {
  if (stored === null) return null
  return schema.type === 'integer' ? Number(stored) : String(stored)
}

function totals(writes: readonly Write[], lines: readonly Line[]): string[] {
  const byMethod = new Map<string, Map<string, number>>()
  for (const { method, many, status, outcome } of writes) {
    const name = many === undefined ? method : `${method} of many`
    const counts = byMethod.get(name) ?? new Map<string, number>()
    byMethod.set(name, counts)
    const answer = outcome === 'unknown' ? (status === undefined ? 'no answer' : 'unknown') : String(status)
    counts.set(answer, (counts.get(answer) ?? 0) + 1)
  }
  const failed = new Map<string, number>()
  const latest = new Map(lines.flatMap((line) => (line.line === 'retried' ? [[line.worker, line.codes] as const] : [])))
  for (const codes of latest.values()) {
    for (const [code, count] of Object.entries(codes)) failed.set(code, (failed.get(code) ?? 0) + count)
  }
  const show = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .sort()
      .map(([what, count]) => `${count} × ${what}`)
      .join(', ')
  const sentAgain = lines.filter(({ line }) => line === 'sentAgain').length
  return [
    `  with one key: ${sentAgain} requests again, of ${writes.filter(({ answers }) => answers !== undefined).length} writes`,
    ...[...byMethod].sort().map(([method, counts]) => `  ${method}: ${show(counts)}`),
    `  statements that failed and were tried again or refused: ${show(failed) || 'none'}`,
  ]
}
