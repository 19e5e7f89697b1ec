import type { AnyKysely, Model } from '@fastify-crud/core'
import { causeOf, databaseOf, subjectOf } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import { findTables } from '../catalogs/list-tables.ts'
import { checkStructure } from '../check/check-tables.ts'
import { compare } from '../check/comparison.ts'
import { plainKeys, plainKeysReason } from '../check/keys/whole-keys.ts'
import { createMissing, createMissingTables } from '../create/create-tables.ts'
import { missingFrom } from '../create/missing-tables.ts'
import type { TableChange } from '../create/run-alone.ts'
import { runAlone } from '../create/run-alone.ts'
import { withOwnTables } from '../layout/own-tables.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { tableLayout } from '../layout/tables-of-model.ts'
import { changesOf, isUpToDate, type TableChanges } from './table-changes.ts'

/** Each round creates what the one before has made possible, such as an index over a new column. */
const MOST_ROUNDS = 5

/**
 * Changes the tables of a database to those that a model needs, as far as no value is lost: creates what `createTables`
 * creates, adds and renames columns, changes where null is allowed, and adds defaults and keys. For development: call
 * it at the start, and a field that is new in a descriptor is there after a restart, with all records kept. Production
 * has migrations, and so have tables whose keys are to begin with a tenant.
 *
 * Drops no table and no column. Columns that no descriptor names stay, and may be null from then on. Runs in one
 * transaction (or in the given one), may run in several processes at once, and writes nothing where all is there.
 * Resolves to the statements that it has run, each with its reason.
 *
 * Rejects with an Error that names every change that cannot be made safely, such as a new required field without a
 * default in a table with rows; then nothing is changed. Rejects with a TypeError for a database that is not supported,
 * and with `CRUD_ERR_BUSY` if other writers never let it through.
 *
 * @example
 * for (const { reason, statement } of await pushTables(db, resources)) log.info(`${reason}: ${statement}`)
 */
export async function pushTables(db: AnyKysely, model: Model): Promise<readonly TableChange[]> {
  const tables = toDatabaseNames(db, withOwnTables(tableLayout(model)))
  // The names are already those of the database. A plugin must not change them again.
  const withoutPlugins = db.withoutPlugins()
  const first = await lookAt(withoutPlugins, tables)
  if (first.plain.length > 0)
    throw refusal([`${plainKeysReason(...first.plain)}: \`generate\` writes a migration for it`])
  if (isUpToDate(first)) return []
  let made: TableChange[] = []
  await runAlone(withoutPlugins, async (transaction) => {
    // What an earlier try did is undone.
    made = []
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      // Another process may have changed them in the meantime.
      made.push(...(await createMissingTables(transaction, tables, await findTables(transaction, tables))))
      const changes = await lookAt(transaction, tables)
      if (changes.statements.length === 0 && !changes.areMissing) break
      for (const change of changes.statements) await run(transaction, change)
      made.push(...changes.statements)
      made.push(...(await createMissing(transaction, tables, await findTables(transaction, tables))))
    }
    const { refused } = await lookAt(transaction, tables)
    if (refused.length > 0) throw refusal(refused)
  })
  return made
}

interface Sight extends TableChanges {
  /** Tables whose keys do not begin with the tenant. To change them is to drop keys. */
  readonly plain: readonly TableLayout[]
}

async function lookAt(db: AnyKysely, tables: readonly TableLayout[]): Promise<Sight> {
  const database = databaseOf(db)
  const found = await findTables(db, tables)
  const comparison = compare(database, tables, found)
  const missing = missingFrom(database, found, tables)
  const areMissing = Object.values(missing).some((list) => list.length > 0)
  // What the service only reads needs no key.
  const plain = plainKeys(comparison).flatMap(({ table }) => (table.isWritable ? [table] : []))
  return { ...(await changesOf(db, comparison, checkStructure(comparison))), areMissing, plain }
}

async function run(db: AnyKysely, { statement, reason }: TableChange): Promise<void> {
  try {
    await sql.raw(statement).execute(db)
  } catch (error) {
    // Another try may mend it, or any statement would have failed: `runAlone` knows what to do.
    if (subjectOf(causeOf(error)) === 'moment') throw error
    throw refusal([`${reason}: ${statement}, which failed: ${(error as Error).message}`], error)
  }
}

function refusal(reasons: readonly string[], cause?: unknown): Error {
  return new Error(['pushTables: the tables cannot be changed safely:', ...reasons].join('\n- '), { cause })
}
