import type { Model } from '@fastify-crud/core'
import { cutName, type DatabaseName, MAX_NAME_BYTES } from '@fastify-crud/core/internal'
import { type RawBuilder, sql } from 'kysely'
import type { TableLayout } from '../layout/table-layout.ts'
import { quoted, quotedTable } from '../quoted-names.ts'

/** @throws TypeError where tables cannot have partitions, with the reason. */
export function checkPartitions(database: DatabaseName, { tenant }: Model, partitions: number): void {
  const reason = whyNoPartitions(database, tenant)
  if (reason !== undefined) throw new TypeError(`createTables: partitions: ${reason}`)
  if (Number.isInteger(partitions) && partitions >= 1) return
  throw new TypeError(`createTables: partitions: ${partitions} is no number of partitions; 16 is, for example`)
}

function whyNoPartitions(database: DatabaseName, tenant: Model['tenant']): string | undefined {
  if (database === 'sqlite') return 'SQLite has none, only PostgreSQL does'
  if (tenant === undefined) return 'they are by the tenant, and the model has no tenants'
  if (tenant.keys === 'plain')
    return "they are by the tenant, with which no key begins where the model says keys: 'plain'"
  return undefined
}

/** What is behind the columns in the CREATE TABLE of a table that has partitions. */
export function partitionedBy(column: string): RawBuilder<unknown> {
  return sql.raw(`partition by hash (${quoted(column)})`)
}

/** The statements that create the partitions of a table. `taken`: the names of tables, to which it adds those of the partitions. */
export function partitionStatements(table: TableLayout, partitions: number, taken: Set<string>): readonly string[] {
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
