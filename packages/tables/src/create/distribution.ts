import type { AnyKysely, Model, PostgresEngine } from '@fastify-crud/core'
import { constantText, databaseOf, engineOf } from '@fastify-crud/core/internal'
import type { TableLayout } from '../layout/table-layout.ts'
import { quotedTable } from '../quoted-names.ts'

/** The cluster software whose functions spread tables over machines. */
export type DistributedBy = 'citus'

/** How tables are spread over the machines of a cluster. */
export interface Distribution {
  /** Runs before the first table. */
  readonly before: string
  /** Runs behind the CREATE TABLE of a table. */
  statementFor(table: TableLayout): string
}

/** What Citus does not take from distributed tables. */
const LACKING: Partial<PostgresEngine> = { setConfig: false, identityColumns: false, comparingUpdates: false }

/**
 * By the tenant's column, so that all of a tenant is on one machine. What all tenants share is on each of them.
 *
 * @throws TypeError where tables cannot be distributed, with the reason.
 */
export function distributionOf(db: AnyKysely, model: Model, by: DistributedBy): Distribution {
  const reason = whyNot(db, model, by)
  if (reason !== undefined) throw new TypeError(`createTables: distribute: ${reason}`)
  const { tenant, resources } = model
  const tenants = resources.get(tenant?.resource ?? '')?.table
  return {
    // Else a table could not name one that was spread in the same transaction.
    before: "set local citus.multi_shard_modify_mode = 'sequential'",
    statementFor(table) {
      const name = constantText('postgres', quotedTable(table))
      const column = table.tenantColumn ?? (table.key === tenants ? idOfTenants(table) : undefined)
      if (column === undefined) return `select create_reference_table(${name})`
      return `select create_distributed_table(${name}, ${constantText('postgres', column)})`
    },
  }
}

/** All keys of a distributed table begin with its column. So where a name of tenants is unique among all of them, each machine has the table. */
function idOfTenants({ idColumns, uniques }: TableLayout): string | undefined {
  return uniques.length === 0 ? idColumns[0] : undefined
}

function whyNot(db: AnyKysely, { tenant }: Model, by: unknown): string | undefined {
  if (by !== 'citus') return "must be 'citus'"
  if (databaseOf(db) === 'sqlite') return 'SQLite is on one machine; only PostgreSQL has Citus'
  if (tenant === undefined) return 'tables are spread by the tenant, and the model has no tenants'
  if (tenant.keys === 'plain')
    return "tables are spread by the tenant, with which no key begins where the model says keys: 'plain'"
  const engine = engineOf(db)
  const names = Object.keys(LACKING) as (keyof PostgresEngine)[]
  const missing = names.filter((name) => engine[name] !== LACKING[name])
  if (missing.length === 0) return undefined
  return `open the database with engine: { ${names.map((name) => `${name}: ${LACKING[name]}`).join(', ')} }, as Citus has nothing of this`
}
