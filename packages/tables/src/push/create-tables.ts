import type { AnyKysely, Model, PostgresEngine } from '@fastify-crud/core'
import {
  constantText,
  cutName,
  type DatabaseName,
  databaseOf,
  engineOf,
  MAX_NAME_BYTES,
  typesOfDatabase,
} from '@fastify-crud/core/internal'
import { type Compilable, type RawBuilder, sql } from 'kysely'
import { toDatabaseNames } from '../catalogs/database-names.ts'
import { type FoundTables, isNameTaken } from '../catalogs/found-tables.ts'
import { findTables } from '../catalogs/list-tables.ts'
import { compare, typedAsFound } from '../check/comparison.ts'
import { lacksNothing, missingOf } from '../check/missing.ts'
import { constraintNames } from '../create/constraint-names.ts'
import { createTable, plannedTables } from '../create/create-table.ts'
import { makeSearchTable } from '../create/search-table.ts'
import { addUnique, createTrigrams, type NewIndex } from '../create/wanted-indexes.ts'
import { withOwnTables } from '../layout/own-tables.ts'
import { qualifiedName, type TableLayout } from '../layout/table-layout.ts'
import { tableOfTenants, whyNoLead } from '../layout/tenant-keys.ts'
import { quoted, quotedTable } from '../quoted-names.ts'
import { runAlone, type TableChange } from './run-alone.ts'

export interface CreateTablesOptions {
  /**
   * PostgreSQL, in a model with tenants: how many partitions each table and each link table of the tenants has. The
   * hash of the tenant's id says which of them has a row. Tables that are there already stay as they are. Where the
   * database counts ids, PostgreSQL 17 or later can do that. Default: tables have no partitions.
   */
  readonly partitions?: number | undefined
  /**
   * PostgreSQL with Citus, in a model with tenants: its functions spread the tables of the tenants over the machines of
   * the cluster, by the tenant's id. Tables that are there already stay as they are. Default: all tables are on one
   * machine.
   */
  readonly distribute?: DistributedBy | undefined
}

/** How tables are created besides what the model says. */
interface Placing {
  readonly partitions?: number | undefined
  readonly distribution?: Distribution | undefined
}

/**
 * Creates the tables that a model needs and the database does not have, with their keys, unique constraints,
 * foreign-key indexes, and the indexes that the descriptors declare. On a table that is there already it creates
 * missing indexes and leaves the rest to `checkTables`. Creates the tables `crud_numbers` and `crud_idempotency` of the
 * library itself, too. For development, tests and examples: it never drops or alters anything, and writes nothing where
 * all is there.
 *
 * Runs in one transaction (or in the given one), and may run in several processes at once. Names go through the
 * instance's own plugins, so that tables are called what the queries call them.
 *
 * Rejects with a TypeError for a database that is not supported, for names that are the same in the database, or for
 * partitions or a distribution where there are none; with `CRUD_ERR_BUSY` if other writers never let it through; and
 * with the database's own error, e.g. where existing rows do not fit a missing unique key. Nothing is created then.
 *
 * @example
 * await createTables(db, resources)
 */
export async function createTables(db: AnyKysely, model: Model, options: CreateTablesOptions = {}): Promise<void> {
  const placing = placingOf(db, model, options)
  const tables = toDatabaseNames(db, withOwnTables(model))
  // The names are already those of the database. A plugin must not change them again.
  const withoutPlugins = db.withoutPlugins()
  if (lacksNothing(missingOf(compare(databaseOf(db), tables, await findTables(withoutPlugins, tables))))) return
  await runAlone(withoutPlugins, async (transaction) => {
    // Another process may have created them in the meantime.
    await createMissing(transaction, tables, placing)
  })
  typesOfDatabase(db).forget()
}

function placingOf(db: AnyKysely, model: Model, { partitions, distribute }: CreateTablesOptions): Placing {
  if (partitions !== undefined) checkPartitions(databaseOf(db), model, partitions)
  if (distribute === undefined) return { partitions }
  if (partitions !== undefined)
    throw new TypeError('createTables: distribute: spreads tables by itself; leave out partitions')
  return { distribution: distributionOf(db, model, distribute) }
}

/** Creates what is missing, in the transaction. Resolves to what it has created. */
export async function createMissing(
  transaction: AnyKysely,
  tables: readonly TableLayout[],
  placing: Placing = {},
): Promise<readonly TableChange[]> {
  const found = await findTables(transaction, tables)
  const database = databaseOf(transaction)
  const missing = missingOf(compare(database, typedAsFound(database, tables, found), found))
  const changes = [...(await createMissingTables(transaction, tables, found, placing))]
  for (const index of missing.indexes) {
    const { table, columns, name, unique, wanted } = index
    const there = found.tables.get(table.key)
    if (wanted === undefined && there !== undefined && isNameTaken(there, name)) continue
    const extension = wanted && createTrigrams(wanted)
    if (extension !== undefined) await sql.raw(extension).execute(transaction)
    const statement = indexStatement(database, index)
    await sql.raw(statement).execute(transaction)
    const list = `${qualifiedName(table)} (${columns.join(', ')})`
    const lack = `${list} has no ${unique === undefined ? 'index' : 'unique key'}`
    const reason = wanted === undefined ? lack : `an index of ${list} is missing`
    changes.push({ ...placeOf(table, columns), reason, statement })
  }
  for (const search of missing.searches) {
    const statements = makeSearchTable(search, found.searches)
    for (const statement of statements) await sql.raw(statement).execute(transaction)
    const reason = `an index for searches of ${qualifiedName(search.table)} is missing`
    changes.push({ ...placeOf(search.table), reason, statement: statements.join(';\n') })
  }
  return changes
}

/** Creates the tables that are missing, without the indexes that they do not need at once. */
export async function createMissingTables(
  db: AnyKysely,
  tables: readonly TableLayout[],
  found: FoundTables,
  { partitions, distribution }: Placing = {},
): Promise<readonly TableChange[]> {
  const nameOf = constraintNames(tables)
  const taken = new Set(tables.map(({ name }) => name))
  const database = databaseOf(db)
  const typed = typedAsFound(database, tables, found)
  // Citus refuses to spread a table that names both one of the tenants' and one that all share.
  const planned = plannedTables(database, typed, found, distribution !== undefined)
  const changes: TableChange[] = []
  if (distribution !== undefined) await sql.raw(distribution.before).execute(db)
  for (const { table, inline } of planned) {
    const builder = createTable(db, table, inline, nameOf)
    const { lead } = table
    const hasPartitions = partitions !== undefined && lead !== undefined
    const statement = await run(db, hasPartitions ? builder.modifyEnd(partitionedBy(lead)) : builder)
    if (hasPartitions) {
      for (const one of partitionStatements(table, partitions, taken)) await sql.raw(one).execute(db)
    }
    if (distribution !== undefined) await sql.raw(distribution.statementFor(table)).execute(db)
    changes.push({ ...placeOf(table), reason: `the table ${qualifiedName(table)} is missing`, statement })
  }
  for (const { table, late } of planned) {
    for (const { column, columns, to, targetColumn, targetColumns } of late) {
      const builder = db.schema
        .alterTable(qualifiedName(table))
        .addForeignKeyConstraint(nameOf(table, 'fkey', [column]), [...columns], qualifiedName(to), [...targetColumns])
      const reason = `${qualifiedName(table)}.${column} has no foreign key to ${qualifiedName(to)}.${targetColumn}`
      changes.push({ ...placeOf(table, [column]), reason, statement: await run(db, builder) })
    }
  }
  return changes
}

function indexStatement(database: DatabaseName, index: NewIndex): string {
  const { table, name, columns, definition, unique, wanted } = index
  if (unique !== undefined) return addUnique(database, { ...index, unique }, true)
  if (wanted !== undefined) return `create index if not exists ${definition}`
  return `create index if not exists ${quoted(name)} on ${quotedTable(table)} (${quoted(...columns)})`
}

/** Resolves to the SQL that it has run. */
async function run(db: AnyKysely, builder: Compilable): Promise<string> {
  const query = builder.compile()
  await db.executeQuery(query)
  return query.sql
}

function placeOf(table: TableLayout, columns: readonly string[] = []): Pick<TableChange, 'table' | 'column'> {
  const [column, another] = columns
  return { table: qualifiedName(table), ...(column !== undefined && another === undefined && { column }) }
}

/** @throws TypeError where tables cannot have partitions, with the reason. */
function checkPartitions(database: DatabaseName, model: Model, partitions: number): void {
  const isSqlite = database === 'sqlite'
  const reason = isSqlite ? 'SQLite has none, only PostgreSQL does' : whyNoLead(model, 'they are')
  if (reason !== undefined) throw new TypeError(`createTables: partitions: ${reason}`)
  if (Number.isInteger(partitions) && partitions >= 1) return
  throw new TypeError(`createTables: partitions: ${partitions} is no number of partitions; 16 is, for example`)
}

/** What is behind the columns in the CREATE TABLE of a table that has partitions. */
function partitionedBy(column: string): RawBuilder<unknown> {
  return sql.raw(`partition by hash (${quoted(column)})`)
}

/** The statements that create the partitions of a table. `taken`: the names of tables, to which it adds those of the
 * partitions. */
function partitionStatements(table: TableLayout, partitions: number, taken: Set<string>): readonly string[] {
  return Array.from({ length: partitions }, (_, remainder) => {
    const name = partitionName(table, remainder, taken)
    taken.add(name)
    const rows = `for values with (modulus ${partitions}, remainder ${remainder})`
    return `create table ${quotedTable({ ...table, name })} partition of ${quotedTable(table)} ${rows}`
  })
}

/** `task_p3`, or one with more `_`, if a table of the model has that name. */
function partitionName({ name }: TableLayout, remainder: number, taken: ReadonlySet<string>): string {
  let end = `_p${remainder}`
  const whole = () => cutName(name, MAX_NAME_BYTES - end.length) + end
  while (taken.has(whole())) end = `_${end}`
  return whole()
}

/** The cluster software whose functions spread tables over machines. */
type DistributedBy = 'citus'

/** How tables are spread over the machines of a cluster. */
interface Distribution {
  /** Runs before the first table. */
  readonly before: string
  /** Runs behind the CREATE TABLE of a table. */
  statementFor(table: TableLayout): string
}

/** What Citus does not take from distributed tables. */
const LACKING: Partial<PostgresEngine> = { setConfig: false, identityColumns: false, comparingUpdates: false }

/**
 * By the column with which all keys begin, so that what belongs together is on one machine. What all share is on each
 * of them.
 *
 * @throws TypeError where tables cannot be distributed, with the reason.
 */
function distributionOf(db: AnyKysely, model: Model, by: DistributedBy): Distribution {
  const reason = whyNot(db, model, by)
  if (reason !== undefined) throw new TypeError(`createTables: distribute: ${reason}`)
  const owners = tableOfTenants(model)
  return {
    // Else a table could not name one that was spread in the same transaction.
    before: "set local citus.multi_shard_modify_mode = 'sequential'",
    statementFor(table) {
      const name = constantText('postgres', quotedTable(table))
      const column = table.lead ?? (table.key === owners ? idColumnOf(table) : undefined)
      if (column === undefined) return `select create_reference_table(${name})`
      return `select create_distributed_table(${name}, ${constantText('postgres', column)})`
    },
  }
}

/** All keys of a distributed table begin with its column. So where another value of theirs is unique among all, each
 * machine has the table. */
function idColumnOf({ idColumns, uniques }: TableLayout): string | undefined {
  return uniques.length === 0 ? idColumns[0] : undefined
}

function whyNot(db: AnyKysely, model: Model, by: unknown): string | undefined {
  if (by !== 'citus') return "must be 'citus'"
  if (databaseOf(db) === 'sqlite') return 'SQLite is on one machine; only PostgreSQL has Citus'
  const reason = whyNoLead(model, 'tables are spread')
  if (reason !== undefined) return reason
  const engine = engineOf(db)
  const names = Object.keys(LACKING) as (keyof PostgresEngine)[]
  const missing = names.filter((name) => engine[name] !== LACKING[name])
  if (missing.length === 0) return undefined
  return `open the database with engine: { ${names.map((name) => `${name}: ${LACKING[name]}`).join(', ')} }, as Citus has nothing of this`
}
