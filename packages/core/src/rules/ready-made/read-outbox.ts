import { sql } from 'kysely'
import { CrudError, type Refusal, unsupported } from '../../errors.ts'
import { tenantColumn } from '../../model/descriptors/tenant.ts'
import type { Id, IdKind } from '../../model/ids/id-kind.ts'
import { type Model, resourceOf } from '../../model/model.ts'
import { databaseErrorKind } from '../../session/database-errors.ts'
import { finalFailure } from '../../session/retries.ts'
import { type AnyKysely, databaseOf } from '../../sql/dialect/database.ts'
import type { RuleAction } from '../rule-types.ts'

/** A change that `outbox` has written. */
export interface OutboxRow {
  /**
   * Of the row of the outbox. A row that is written later has a higher one. On PostgreSQL, writes that overlap may end
   * in another order, so a worker may get a row before one with a lower id.
   */
  readonly id: number | string
  readonly at: string
  readonly resource: string
  /** The id of the record that was added, changed or removed. */
  readonly recordId: string
  readonly action: RuleAction
  /** As rules saw it; null for a new record. */
  // biome-ignore lint/suspicious/noExplicitAny: the values of any resource
  readonly before: Readonly<Record<string, any>> | null
  /** Null for a record that was removed. */
  // biome-ignore lint/suspicious/noExplicitAny: the values of any resource
  readonly after: Readonly<Record<string, any>> | null
  /** Who has done it; null for the application's own code. */
  // biome-ignore lint/suspicious/noExplicitAny: a caller of which nothing is known
  readonly caller: Readonly<Record<string, any>> | null
  /** Whose row it is; null for what all tenants share. Left out where `readOutbox` got no `resources` with tenants. */
  readonly tenant?: Id | null
}

/** Whose rows a worker takes. */
export interface OutboxOptions {
  /** The model whose changes are in the outbox, if it has tenants. Then each row says its `tenant`. */
  readonly resources?: Model
  /** Only rows of this tenant. Default: of all, and those of no tenant. */
  readonly tenant?: Id
}

/** So many rows go to the worker at once. */
const MOST_AT_ONCE = 100

/**
 * Gives a worker the oldest rows of an outbox, at most 100, and deletes them when its promise resolves. If it rejects,
 * they stay, and so does this promise reject: each row is worked on at least once. Resolves to the number of rows; 0 if
 * there were none.
 *
 * On PostgreSQL the rows are locked meanwhile, and other workers take other ones. On SQLite, to lock rows is to keep
 * all others from writing, so no row is locked, and two workers may get the same rows: run one.
 *
 * Rejects with a CrudError where the database is busy or away (`CRUD_ERR_BUSY`): the rows stay, too, and the next call
 * gets them. Where the engine cannot lock rows of all tenants (501), name one.
 *
 * With `resources` and a `tenant`, it gives the rows of this tenant alone. Rejects with a TypeError for what is no id
 * of a tenant, and for a tenant in a model without.
 *
 * @example
 * const drain = async (send: (rows: readonly OutboxRow[]) => Promise<void>) => {
 *   while ((await readOutbox(db, 'outbox', send)) > 0);
 * }
 */
export async function readOutbox(
  db: AnyKysely,
  table: string,
  work: (rows: readonly OutboxRow[]) => Promise<unknown>,
  options: OutboxOptions = {},
): Promise<number> {
  const whose = tenantsIn(options)
  let isOfWork = false
  const noted: typeof work = async (rows) => {
    isOfWork = true
    await work(rows)
    isOfWork = false
  }
  try {
    if (databaseOf(db) === 'sqlite' || db.isTransaction) return await takeRows(db, table, noted, whose)
    return await db.transaction().execute((transaction) => takeRows(transaction, table, noted, whose))
  } catch (error) {
    if (isOfWork) throw error
    const isSpread = options.tenant === undefined && databaseErrorKind(error) === 'unsupported'
    throw isSpread ? new CrudError(outboxUnsupported(), { cause: error }) : finalFailure(db, error)
  }
}

/** Citus locks no rows of several tenants, where tables are spread over its machines. */
function outboxUnsupported(): Refusal {
  return unsupported('an outbox of all tenants', "name 'resources' and a 'tenant', one after the other")
}

/** The column that says the tenant, and the tenant that is asked for. */
interface Tenants {
  readonly column: string
  readonly ids: IdKind
  readonly only: Id | undefined
}

function tenantsIn({ resources, tenant }: OutboxOptions): Tenants | undefined {
  if (resources?.tenant === undefined) {
    if (tenant === undefined) return undefined
    throw new TypeError('readOutbox: tenant: say by resources which model it is a tenant of; it has to have tenants')
  }
  const ids = resourceOf(resources, resources.tenant.resource).id
  const only = tenant === undefined ? undefined : ids.fromCaller(tenant)
  if (tenant !== undefined && only === undefined) throw new TypeError(`readOutbox: tenant: ${ids.problem}`)
  return { column: tenantColumn(resources.tenant), ids, only }
}

async function takeRows(
  db: AnyKysely,
  table: string,
  work: (rows: readonly OutboxRow[]) => Promise<unknown>,
  tenants: Tenants | undefined,
): Promise<number> {
  const only = tenants?.only
  const isSqlite = databaseOf(db) === 'sqlite'
  const exactId = sql<string>`cast(${sql.ref('id')} as text)`.as('exactId')
  const all = db.selectFrom(table).selectAll().orderBy('id').limit(MOST_AT_ONCE)
  const oldest = only === undefined ? all : all.where(String(tenants?.column), '=', only)
  const found = await (isSqlite ? oldest.select(exactId) : oldest.forUpdate().skipLocked()).execute()
  const rows = found.map((row) => toOutboxRow(row, tenants))
  if (rows.length === 0) return 0
  await work(rows)
  const ids = rows.map(({ id }) => id)
  const done = db.deleteFrom(table).where('id', 'in', ids)
  await (only === undefined ? done : done.where(String(tenants?.column), '=', only)).execute()
  return rows.length
}

function toOutboxRow(found: Readonly<Record<string, unknown>>, tenants: Tenants | undefined): OutboxRow {
  const { exactId, ...row } = found
  const { before, after, caller } = row
  // SQLite's driver rounds an id beyond 2^53.
  const id = Number.isInteger(row.id) && !Number.isSafeInteger(row.id) ? exactId : row.id
  const change = { ...row, id, before: parsed(before), after: parsed(after), caller: parsed(caller) } as OutboxRow
  if (tenants === undefined) return change
  const tenant = row[tenants.column] ?? null
  // A driver may return an integer as a text.
  return { ...change, tenant: tenant === null ? null : (tenants.ids.fromPath(String(tenant)) ?? null) }
}

/** JSON is text on SQLite. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value
}
