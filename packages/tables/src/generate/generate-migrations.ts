import type { AnyKysely, Model } from '@fastify-crud/core'
import { databaseOf, hasForm } from '@fastify-crud/core/internal'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import { findTables } from '../catalogs/list-tables.ts'
import { typedAsFound } from '../check/comparison.ts'
import { type Difference, type DifferenceOf, messageOf, namesOfColumns } from '../check/difference.ts'
import { columnType } from '../layout/column-type.ts'
import { withOwnTables } from '../layout/own-tables.ts'
import { type ColumnLayout, isIdColumn } from '../layout/table-layout.ts'
import {
  type Change,
  type ChangeOutcome,
  type FileKind,
  inOrder,
  type MigrationStep,
  ordinary,
  run,
  type Unfilled,
  unless,
} from './change.ts'
import { extraColumn, newColumn, nullChange } from './changes/column-changes.ts'
import { newIndexes } from './changes/index-changes.ts'
import {
  deleteAction,
  extraUnique,
  foreignKey,
  keyOrId,
  newUnique,
  notRebuilt,
  rebuilt,
} from './changes/key-changes.ts'
import { newTables, renames } from './changes/new-tables.ts'
import { typeByNewColumn, usesOfColumn } from './changes/type-by-new-column.ts'
import { readFills } from './fills.ts'
import { namesBefore, planned } from './planned.ts'
import { printMigration } from './print/print-migration.ts'
import { otherType, readTableTexts } from './rebuild/cut-keys.ts'
import { areAbsent, isBusy, isOnline, RowsThere, type Setting } from './setting.ts'
import { toTenants } from './tenants/to-tenants.ts'

export interface GenerateOptions {
  /**
   * Values for rows that have none: by the field (`price`, or `book.price`), as values, as texts that spell them, or as
   * SQL that computes them from the row: sql`pages * 2`. Default: the defaults of the fields.
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
   * `ordinary` statements run in a transaction. `concurrently`: PostgreSQL runs them while other clients write, in no
   * transaction. `rebuild`: SQLite gets new tables in the place of old ones.
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
 * Makes Kysely migrations of the difference of a database and a model: creates what is missing, and renames, adds and
 * changes columns, keys and indexes. Drops no table, no column and no value, neither in `up` nor in `down`.
 *
 * Reads the catalogs, and whether tables have rows; changes nothing.
 *
 * Rejects with a TypeError for a database that is not supported, for names that are the same in the database, and for a
 * `fill` that names no field or does not fit it.
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
  const layout = toDatabaseNames(db, withOwnTables(model))
  const plain = db.withoutPlugins()
  const found = await findTables(plain, layout)
  const tables = typedAsFound(database, layout, found)
  const common = {
    database,
    fills: readFills(options.fill ?? {}, tables, db),
    online: options.online,
    rows: new RowsThere(plain),
    texts: await readTableTexts(plain),
  }
  const tenants = await toTenants(db, model, tables, found, common)
  if (tenants.byHand.length > 0) return { files: [], byHand: tenants.byHand, unfilled: [] }
  const plan = planned(database, tables, found, tenants.after, (one, name) => extraUnique(one, name, common))
  const setting = { ...common, planned: plan, nameNow: namesBefore(plan.renamed) }
  const outcomes: ChangeOutcome[] = [
    { changes: [...newTables(plain, plan, tenants.file), ...tenants.changes, ...renames(plan), ...plan.dropped] },
    ...tenants.unfilled.map((unfilled) => ({ unfilled })),
  ]
  const absent = new Set<ColumnLayout>()
  for (const difference of plan.differences) {
    const { kind } = difference
    if (areAbsent(absent, difference.at?.table, namesOfColumns(difference))) continue
    const outcome = await changesOf(difference, setting)
    const isAbsent = kind === 'column' && outcome.changes === undefined
    const isOfOtherType = kind === 'type' && outcome.byHand !== undefined
    if (isAbsent || isOfOtherType) absent.add(difference.column)
    outcomes.push(outcome)
  }
  outcomes.push({ changes: await newIndexes(setting, absent) })
  return toGenerated(outcomes, database)
}

/** Rebuilds find the texts of the tables as they are, so they come first. */
const KINDS: readonly FileKind[] = ['rebuild', 'ordinary', 'concurrently']

function toGenerated(outcomes: readonly ChangeOutcome[], database: 'sqlite' | 'postgres'): GeneratedMigrations {
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
  return up.flatMap((step: MigrationStep): readonly string[] => {
    if ('statements' in step) return step.statements
    if ('steps' in step) return statementsOf({ up: step.steps, reason })
    if ('query' in step) return step.ifNone
    if ('changed' in step) return [`-- in portions: UPDATE ${step.changed} SET ${step.set} WHERE ${step.where}`]
    return [`-- ${step.table} is made anew: ${reason.replaceAll('\n', ' ')}`]
  })
}

/** What makes one difference go away. Of warnings, only what a change of the descriptors explains. */
function changesOf(difference: Difference, setting: Setting): ChangeOutcome | Promise<ChangeOutcome> {
  const { at, kind, severity } = difference
  const otherwise = severity === 'error' ? { byHand: messageOf(difference) } : {}
  if (at === undefined) return {}
  // What the service only reads is for others to change.
  if (!at.table.isWritable) return otherwise
  switch (kind) {
    case 'column':
      return newColumn(difference, setting)
    case 'extra column':
      return extraColumn(difference)
    case 'null':
      return nullChange(difference, setting)
    case 'type':
      return typeChange(difference, setting)
    case 'key':
    case 'id':
      return keyOrId(difference, setting)
    case 'unique':
      return newUnique(difference, setting)
    case 'foreign key':
      return foreignKey(difference, setting)
    case 'on delete':
      return deleteAction(difference, setting)
    case 'extra unique':
    case 'extra foreign key':
    case 'index':
      return {}
    default:
      return otherwise
  }
}

/** A column whose type does not keep all values of its field. */
async function typeChange(difference: DifferenceOf<'type'>, setting: Setting): Promise<ChangeOutcome> {
  const { at, column, existing, severity, widening, what } = difference
  if (setting.database === 'sqlite') return severity === 'error' ? sqliteType(difference, setting) : {}
  if (widening === undefined) return severity === 'error' ? { byHand: messageOf(difference) } : {}
  const { table, found } = at
  const { narrowing, copy, statements } = widening
  const isCopied = copy !== undefined && (await isOnline(setting, table)) && (await isBusy(setting, table))
  const uses = isCopied ? await usesOfColumn(table, column, setting) : []
  const isOfTenants = found.indexes.some((index) => index.name === '' && index.columns.includes(column.name))
  const others = [
    ...uses.flatMap((use) => (use.index === null ? use.what : [])),
    ...(isCopied && isOfTenants ? ['keys that get the tenant'] : []),
  ]
  if (isCopied && others.length === 0) {
    return { changes: typeByNewColumn(what, table, column, existing, { ...widening, copy }, uses, setting) }
  }
  const why = `: others wait until all rows are written, as a new column could not take over ${others.join(', ')}`
  const reason = others.length === 0 ? what : what + why
  const down = narrowing === undefined ? [] : [unless(narrowing.unfit, [narrowing.statement])]
  return { changes: [ordinary('type', reason, [run(...statements)], down)] }
}

/** A text spells each integer, also as JSON. */
function sqliteType(difference: DifferenceOf<'type'>, setting: Setting): ChangeOutcome {
  const { at, column, existing, what } = difference
  const { table } = at
  const type = columnType('sqlite', column)
  const isWidening = /int/i.test(existing.type) && type === 'text'
  const isPlain = !isIdColumn(column) && !hasForm(column.stored) && !table.idColumns.includes(column.name)
  const takesNumbers = column.kind === 'string' || column.kind === 'json'
  if (!isWidening || !isPlain || !takesNumbers) return { byHand: messageOf(difference) }
  const text = setting.texts.get(table.name.toLowerCase())
  const edit = text === undefined ? undefined : otherType(text, setting.nameNow(table, column.name), type)
  return edit === undefined ? notRebuilt(difference) : { changes: [rebuilt(table, what, edit)] }
}
