import { createTables } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { festival } from '../support/festival.ts'
import { report } from '../support/report.ts'
import type { TestKysely } from '../support/tables.ts'
import { checkHistory, type Stored } from './check-history.ts'
import { checkInvariants } from './check-invariants.ts'
import { type Line, textField, toWrites, type Write } from './history.ts'
import { findPgBouncer } from './pgbouncer.ts'
import { storm } from './storm.ts'
import { openStormPooled, openStormPostgres, openStormSqlite } from './storm-databases.ts'

/** `STORM_MINUTES=10` for longer ones, `STORM_SEED` for the same choices again. */
const MINUTES = Number(process.env.STORM_MINUTES ?? 0)
const SECONDS = MINUTES > 0 ? MINUTES * 60 : 15
const SEED = Number(process.env.STORM_SEED ?? Date.now() % 2 ** 31)

const storms = [
  { name: 'sqlite', open: openStormSqlite },
  { name: 'postgres', open: openStormPostgres },
]
if (MINUTES > 0) {
  const pooler = await findPgBouncer()
  if (pooler === undefined) report('no storm behind PgBouncer: no pgbouncer on the PATH, and PGBOUNCER names none')
  else storms.push({ name: 'postgres behind PgBouncer', open: () => openStormPooled(pooler) })
  if (pooler?.keepsStatements === false) report('no kept statements behind PgBouncer: that needs its version 1.21')
}

describe.each(storms)('a storm of several processes ($name)', ({ name, open }) => {
  test('leaves what was acknowledged, nothing of what was refused, and no invariant broken', {
    timeout: SECONDS * 1000 + 120_000,
  }, async () => {
    const database = await open()
    try {
      await createTables(database.db, festival)
      const result = await storm(database, { seed: SEED, seconds: SECONDS, workers: 3 })
      const writes = toWrites(result.lines)
      report(
        `storm on ${name}, STORM_SEED=${SEED}, ${SECONDS} s: ${result.kills} workers killed, ${result.drops} connections ended, ${result.restarts} restarts`,
      )
      for (const line of totals(writes, result.lines)) report(line)
      expect(result.errors).toEqual([])
      expect(writes.filter(({ status, outcome }) => status === 500 && outcome !== 'unknown')).toEqual([])
      expect(await checkInvariants(database.db, festival)).toEqual([])
      expect(checkHistory(writes, await readStored(database.db))).toEqual([])
      // How many depends on the machine.
      expect(writes.some(({ outcome }) => outcome === 'done')).toBe(true)
    } finally {
      await database.close()
    }
  })
})

/** All records that are there at the end. */
async function readStored(db: TestKysely): Promise<Stored[]> {
  const stored: Stored[] = []
  for (const { key, table, ownedBy } of festival.resources.values()) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
    for (const row of rows) {
      const owner = ownedBy.find(({ column }) => row[column] !== null)
      stored.push({
        key: `${key}/${row.id}`,
        text: row[textField(key)] as string | null,
        mood: row.mood as string | null | undefined,
        owner: owner && `${owner.target.key}/${row[owner.column]}`,
      })
    }
  }
  return stored
}

function totals(writes: readonly Write[], lines: readonly Line[]): string[] {
  const byMethod = new Map<string, Map<string, number>>()
  for (const { method, status, outcome } of writes) {
    const counts = byMethod.get(method) ?? new Map<string, number>()
    byMethod.set(method, counts)
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
  return [
    ...[...byMethod].sort().map(([method, counts]) => `  ${method}: ${show(counts)}`),
    `  statements that failed and were tried again or refused: ${show(failed) || 'none'}`,
  ]
}
