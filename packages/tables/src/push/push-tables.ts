import type { AnyKysely, Model } from '@fastify-crud/core'
import { causeOf, databaseOf, subjectOf, typesOfDatabase } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import { findTables } from '../catalogs/list-tables.ts'
import { differencesOf } from '../check/check-tables.ts'
import { columnMisfit } from '../check/columns/column-misfit.ts'
import { addColumn } from '../check/columns/missing-column.ts'
import {
  type ComparedTable,
  compare,
  type RenamedColumn,
  renameColumn,
  renamedColumns,
  typedAsFound,
} from '../check/comparison.ts'
import { type Difference, messageOf, namesOfColumns, qualifiedColumn } from '../check/difference.ts'
import { plainKeys, plainKeysReason } from '../check/keys/whole-keys.ts'
import { lacksNothing, missingOf } from '../check/missing.ts'
import { toTableProblem } from '../check/table-problem.ts'
import { withOwnTables } from '../layout/own-tables.ts'
import { isIdColumn, qualifiedName, type TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'
import { createMissing, createMissingTables } from './create-tables.ts'
import { runAlone, type TableChange } from './run-alone.ts'

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
  const tables = toDatabaseNames(db, withOwnTables(model))
  // The names are already those of the database. A plugin must not change them again.
  const withoutPlugins = db.withoutPlugins()
  const first = await lookAt(withoutPlugins, tables)
  if (first.plain.length > 0)
    throw refusal([`${plainKeysReason(...first.plain)}: \`generate\` writes a migration for it`])
  if (first.statements.length + first.refused.length === 0 && !first.areMissing) return []
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
      made.push(...(await createMissing(transaction, tables)))
    }
    const { refused } = await lookAt(transaction, tables)
    if (refused.length > 0) throw refusal(refused)
  })
  // Stores know the types of the tables as they were.
  typesOfDatabase(db).forget()
  return made
}

/** What tables lack beside a model. */
interface Lack {
  /** They lose no value. */
  readonly statements: readonly TableChange[]
  /** Why the model's requests would fail, where no statement helps. */
  readonly refused: readonly string[]
  /** Whether tables or indexes are missing. */
  readonly areMissing: boolean
  /** Tables whose keys do not begin with the tenant. To change them is to drop keys. */
  readonly plain: readonly TableLayout[]
}

async function lookAt(db: AnyKysely, tables: readonly TableLayout[]): Promise<Lack> {
  const database = databaseOf(db)
  const found = await findTables(db, tables)
  const comparison = compare(database, typedAsFound(database, tables, found), found)
  const differences = differencesOf(comparison)
  const renamed = renamedColumns(comparison)
  const statements = renamed.map(toRename)
  const refused: string[] = []
  for (const difference of differences) {
    if (!isPushed(difference) || isLater(difference) || isRenamed(difference, renamed)) continue
    const former = formerNames(difference, comparison)
    const fix = difference.fix ?? (await addToEmptyTable(db, difference, comparison))
    if (fix === undefined) refused.push(messageOf(difference) + adviceOn(difference, former))
    else statements.push(...fix.map((statement) => toChange(difference, statement, former)))
  }
  // What the service only reads needs no key.
  const plain = plainKeys(comparison).flatMap(({ table }) => (table.isWritable ? [table] : []))
  return { statements, refused, areMissing: !lacksNothing(missingOf(comparison, differences)), plain }
}

/** Of warnings, a column that is too narrow. */
function isPushed(difference: Difference): boolean {
  return difference.severity === 'error' || (difference.kind === 'type' && difference.widening !== undefined)
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

function toRename({ table, from, to }: RenamedColumn): TableChange {
  const reason = `column ${qualifiedColumn(table, from)} has the new name ${to}`
  return { table: qualifiedName(table), column: to, reason, statement: renameColumn(table, from, to) }
}

function toChange(difference: Difference, statement: string, former: readonly string[]): TableChange {
  const { table = '', column } = toTableProblem(difference)
  const hint = `if ${table}.${column} is ${former.join(' or ')} under a new name, drop it, and say ${wasOneOf(former)} in its field`
  return {
    table,
    ...(column !== undefined && { column }),
    reason: difference.what,
    statement,
    ...(former.length > 0 && { hint }),
  }
}

/** What the author of the descriptors can do if rows lack a value. */
function adviceOn({ kind, wanted }: Difference, former: readonly string[]): string {
  if (kind === 'column') {
    const was = former.length > 0 ? `say ${wasOneOf(former)}` : "say by 'was' what its column was called"
    return `. Give the field a default, make it optional, or ${was}`
  }
  return kind === 'null' && wanted === 'not null' ? '. Give the field a default, or make it optional' : ''
}

function wasOneOf(names: readonly string[]): string {
  return names.map((name) => `was: '${name}'`).join(' or ')
}

/**
 * Missing tables, keys over columns that are there, and settings of the connection are no changes of a table. What the
 * service only reads is for others to change.
 */
function isLater({ kind, at }: Difference): boolean {
  return kind === 'connection' || at?.table.isWritable === false || (kind === 'table' && at?.found === undefined)
}

function isRenamed(difference: Difference, renamed: readonly RenamedColumn[]): boolean {
  const [column, another] = namesOfColumns(difference)
  if (column === undefined || another !== undefined) return false
  return renamed.some(({ table, from, to }) => table === difference.at?.table && [from, to].includes(column))
}

/** A column that needs a value can be added where there are no rows. */
async function addToEmptyTable(
  db: AnyKysely,
  difference: Difference,
  comparison: ComparedTable,
): Promise<readonly string[] | undefined> {
  if (difference.kind !== 'column' || difference.column.kind === 'id') return undefined
  const { table } = difference.at
  const { rows } = await sql`select 1 from ${sql.raw(quotedTable(table))} limit 1`.execute(db)
  return rows.length === 0 ? [addColumn(table, difference.column, comparison)] : undefined
}

/** What a missing column may have been called before: the columns that could hold its values, and that no descriptor
 * names. */
function formerNames(difference: Difference, { database }: ComparedTable): readonly string[] {
  if (difference.kind !== 'column' || isIdColumn(difference.column)) return []
  const { at, column } = difference
  const known = new Set(at.table.columns.flatMap((one) => (isIdColumn(one) ? [one.name] : [one.name, one.was])))
  const others = [...at.found.columns.values()].filter((one) => !known.has(one.name) && !one.isComputed)
  return others
    .filter((one) => columnMisfit(database, column, one, at.found.isStrict)?.severity !== 'error')
    .map((one) => one.name)
}
