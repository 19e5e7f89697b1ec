import type { AnyKysely, Model } from '@fastify-crud/core'
import { databaseOf } from '@fastify-crud/core/internal'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import { findTables } from '../catalogs/find-tables.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { tableLayout } from '../layout/tables-of-model.ts'
import { checkColumns } from './columns/check-columns.ts'
import { checkDefaultMoments } from './columns/check-default-moments.ts'
import { checkReadColumns } from './columns/check-read-columns.ts'
import { type Comparison, compare, type Pair } from './comparison.ts'
import { checkForeignKeys, checkUnknownForeignKeys } from './keys/check-foreign-keys.ts'
import { checkIdsGivenAgain } from './keys/check-ids.ts'
import { checkIndexes } from './keys/check-indexes.ts'
import { checkKeys } from './keys/check-keys.ts'
import { checkPlainKeys } from './keys/check-plain-keys.ts'
import { type FoundProblem, problem, type TableProblem, toTableProblem } from './table-problem.ts'
import { checkStoredValues } from './values/check-stored-values.ts'

/**
 * Compares an existing database with a model. Resolves to every difference that would break a promise of the service:
 * missing tables and columns, types that do not keep the values, null where it may not be and the other way round,
 * missing primary, unique and foreign keys, foreign keys that are not enforced or delete what they should not, ids that
 * are given twice, foreign keys without an index, indexes of the descriptors that are missing, values that do not fit. Empty for what `createTables` has made.
 *
 * Reads the catalogs in a few queries whatever the number of tables, and the last 100 rows of each; changes nothing. The result is sorted by
 * table and column; its names are the database's.
 *
 * Rejects with a TypeError for a database that is not supported, or for names that are the same in the database.
 *
 * @example
 * for (const { severity, message } of await checkTables(db, resources)) log[severity](message)
 */
export async function checkTables(db: AnyKysely, model: Model): Promise<readonly TableProblem[]> {
  const tables = toDatabaseNames(db, tableLayout(model))
  const comparison = compare(databaseOf(db), tables, await findTables(db, tables))
  const problems = [
    ...checkStructure(comparison),
    ...checkPlainKeys(db, model, comparison),
    ...(await checkStoredValues(db, model, comparison)),
  ]
  return problems
    .sort((a, b) => byName(a.table, b.table) || byName(a.column, b.column) || byName(a.message, b.message))
    .map(toTableProblem)
}

/** All differences but those of the values in rows. */
export function checkStructure(comparison: Comparison): readonly FoundProblem[] {
  return [
    ...checkConnection(comparison),
    ...[...comparison.layout.values()].flatMap((table) => checkTable(table, comparison)),
    ...checkUnknownForeignKeys(comparison),
    ...checkIdsGivenAgain(comparison),
  ]
}

function checkTable(table: TableLayout, comparison: Comparison): readonly FoundProblem[] {
  const found = comparison.found.tables.get(table.key)
  if (found === undefined) {
    const creator = table.isWritable ? 'createTables creates it' : 'its resource has writable: false, so you create it'
    const what = `the table ${table.name} is missing: ${creator}`
    return [problem({ kind: 'table', severity: 'error', table, wanted: 'table', what })]
  }
  if (!table.isWritable) return checkReadColumns({ table, found }, comparison)
  if (!found.isTable) {
    const what = `${table.name} is a view, where a table is needed: declare writable: false, if requests only read it`
    return [problem({ kind: 'table', severity: 'error', table, wanted: 'table', found: 'view', what })]
  }
  const pair = { table, found }
  const checks = [checkColumns, checkDefaultMoments, checkKeys, checkForeignKeys, checkIndexes]
  return [...checkRules(pair), ...checks.flatMap((check) => check(pair, comparison))]
}

/** PostgreSQL's own rules: of a table that has some, it takes few of the statements that the service sends. */
function checkRules({ table, found }: Pair): readonly FoundProblem[] {
  return (found.rules ?? []).map(({ name, event, isInstead }) => {
    const does = isInstead ? 'does something else in the place of' : 'does more than'
    const what = `the table ${table.name} has a rule, ${name}, which ${does} each ${event}, so requests are refused`
    const advice = 'make it a trigger, or declare writable: false, if requests only read the table'
    const severity = isInstead && event !== 'DELETE' ? 'error' : 'warning'
    return problem({ kind: 'table', severity, table, found: 'rule', what, advice })
  })
}

function checkConnection({ database, found }: Comparison): readonly FoundProblem[] {
  const problems: FoundProblem[] = []
  if (!found.enforcesForeignKeys) {
    const fix = database === 'sqlite' ? 'PRAGMA foreign_keys = ON' : "SET session_replication_role = 'origin'"
    const what = 'foreign keys are not enforced on this connection'
    problems.push(problem({ kind: 'connection', severity: 'error', what, fix }))
  }
  if (found.roundsNumbers) {
    const mend = 'set it to 1, the default, for the database or the role: ALTER ROLE … SET extra_float_digits = 1'
    const what = `extra_float_digits is below 1, so PostgreSQL rounds numbers as it prints them: ${mend}`
    problems.push(problem({ kind: 'connection', severity: 'error', what }))
  }
  return problems
}

function byName(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}
