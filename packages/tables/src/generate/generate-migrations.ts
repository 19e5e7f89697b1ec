import type { AnyKysely, Model } from '@fastify-crud/core'
import { databaseOf } from '@fastify-crud/core/internal'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import { findTables } from '../catalogs/find-tables.ts'
import { constraintNames } from '../create/constraint-names.ts'
import { withOwnTables } from '../layout/own-tables.ts'
import { qualifiedName } from '../layout/table-layout.ts'
import { tableLayout } from '../layout/tables-of-model.ts'
import { AbsentColumns } from './absent-columns.ts'
import { type Change, type FileKind, inOrder, type Outcome, type Step, type Unfilled } from './change.ts'
import { changesOf } from './changes/changes-of.ts'
import { newIndexes } from './changes/index-changes.ts'
import { isOurUnique } from './changes/key-changes.ts'
import { newTables, renames } from './changes/new-tables.ts'
import { readFills } from './fills.ts'
import { planned } from './planned.ts'
import { printMigration } from './print/print-migration.ts'
import { readTableTexts } from './rebuild/table-texts.ts'
import { RowsThere } from './rows-there.ts'
import { toTenants } from './tenants/to-tenants.ts'

export interface GenerateOptions {
  /**
   * Values for rows that have none: by the field (`price`, or `book.price`), as values, as texts that spell them, or as SQL that computes them
   * from the row: sql`pages * 2`. Default: the defaults of the fields.
   */
  readonly fill?: Readonly<Record<string, unknown>>
  /**
   * PostgreSQL: whether rows, and types of columns, are changed in portions, in a file that runs in no transaction, so
   * that others can write meanwhile. Default: those of tables with more than 100,000 rows.
   */
  readonly online?: boolean
}

export interface GeneratedMigrations {
  /** In the order in which they have to run. Empty where nothing is missing, or where rows need a value. */
  readonly files: readonly MigrationFile[]
  /** What would lose data, or what only a person can know, in sentences. */
  readonly byHand: readonly string[]
  /** Fields of which rows need a value that {@link GenerateOptions.fill} does not have. Then there are no files. */
  readonly unfilled: readonly { readonly field: string; readonly message: string }[]
}

export interface MigrationFile {
  /**
   * `ordinary` statements run in a transaction. `concurrently`: PostgreSQL runs them while other clients write, in no transaction.
   * `rebuild`: SQLite gets new tables in the place of old ones.
   */
  readonly kind: 'ordinary' | 'concurrently' | 'rebuild'
  /** What it changes, in sentences. */
  readonly changes: readonly string[]
  /** The SQL that it runs in a database like this one, with a comment for each table that is made anew. */
  readonly statements: readonly string[]
  /** A module in TypeScript, with `up` and `down`. */
  readonly source: string
}

/**
 * Makes Kysely migrations of the difference of a database and a model: creates what is missing, and renames, adds and changes columns, keys and
 * indexes. Drops no table, no column and no value, neither in `up` nor in `down`.
 *
 * Reads the catalogs, and whether tables have rows; changes nothing.
 *
 * Rejects with a TypeError for a database that is not supported, for names that are the same in the database, and for a `fill` that names no
 * field or does not fit it.
 *
 * @example
 * const { files } = await generateMigrations(db, resources, { fill: { 'book.title': 'none' } })
 */
export async function generateMigrations(
  db: AnyKysely,
  model: Model,
  options: GenerateOptions = {},
): Promise<GeneratedMigrations> {
  const database = databaseOf(db)
  const tables = toDatabaseNames(db, withOwnTables(tableLayout(model)))
  const plain = db.withoutPlugins()
  const common = {
    database,
    fills: readFills(options.fill ?? {}, tables, db),
    online: options.online,
    rows: new RowsThere(plain),
    texts: await readTableTexts(plain),
  }
  const nameOf = constraintNames(tables)
  const found = await findTables(plain, tables)
  const tenants = await toTenants(db, model, tables, found, common)
  if (tenants.byHand.length > 0) return { files: [], byHand: tenants.byHand, unfilled: [] }
  const plan = planned(database, tables, found, tenants.after, (problem, renamed) => {
    const table = tables.find((one) => qualifiedName(one) === problem.table)
    if (table === undefined) return false
    const columns = (problem.columns ?? []).map(
      (name) => renamed.find((one) => one.table === table && one.to === name)?.from ?? name,
    )
    return isOurUnique(problem, table, common, nameOf(table, 'key', columns))
  })
  const setting = { ...common, planned: plan }
  const outcomes: Outcome[] = [
    { changes: newTables(plain, plan, tenants.file) },
    { changes: tenants.changes },
    ...tenants.unfilled.map((unfilled) => ({ unfilled })),
    renames(plan),
  ]
  const absent = new AbsentColumns()
  for (const problem of plan.problems) {
    if (absent.isAmong(problem.table, problem.columns ?? [problem.column])) continue
    const outcome = await changesOf(problem, setting)
    const isAbsent = problem.kind === 'column' && outcome.changes === undefined
    const isOfOtherType = problem.kind === 'type' && outcome.byHand !== undefined
    if (isAbsent || isOfOtherType) absent.add(problem.table, problem.column)
    outcomes.push(outcome)
  }
  outcomes.push({ changes: await newIndexes(setting, absent) })
  return toGenerated(outcomes, database)
}

/** Rebuilds find the texts of the tables as they are, so they come first. */
const KINDS: readonly FileKind[] = ['rebuild', 'ordinary', 'concurrently']

function toGenerated(outcomes: readonly Outcome[], database: 'sqlite' | 'postgres'): GeneratedMigrations {
  const changes = outcomes.flatMap((outcome) => outcome.changes ?? [])
  const byHand = [...new Set(outcomes.flatMap((outcome) => outcome.byHand ?? []))]
  const unfilled = outcomes.flatMap((outcome): readonly Unfilled[] => (outcome.unfilled ? [outcome.unfilled] : []))
  const kinds = unfilled.length > 0 ? [] : KINDS.filter((kind) => changes.some(({ file }) => file === kind))
  const files = kinds.map((kind, position): MigrationFile => {
    const own = inOrder(changes.filter(({ file }) => file === kind))
    return {
      kind,
      changes: [...new Set(own.map(({ reason }) => reason))],
      statements: own.flatMap(statementsOf),
      source: printMigration({ database, kind, changes: own, byHand: position === 0 ? byHand : [] }),
    }
  })
  return { files, byHand, unfilled }
}

function statementsOf({ up, reason }: Pick<Change, 'up' | 'reason'>): readonly string[] {
  return up.flatMap((step: Step): readonly string[] => {
    if ('statements' in step) return step.statements
    if ('steps' in step) return statementsOf({ up: step.steps, reason })
    if ('query' in step) return step.ifNone
    if ('changed' in step) return [`-- in portions: UPDATE ${step.changed} SET ${step.set} WHERE ${step.where}`]
    return [`-- ${step.table} is made anew: ${reason.replaceAll('\n', ' ')}`]
  })
}
