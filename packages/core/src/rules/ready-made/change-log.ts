import { sql } from 'kysely'
import { tenantColumn } from '../../model/descriptors/tenant.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'
import { databaseErrorKind } from '../../session/database-errors.ts'
import type { AnyTransaction } from '../../session/kysely-transaction.ts'
import { databaseOf } from '../../sql/dialect/database.ts'
import { dialectOf } from '../../sql/dialect/dialects.ts'
import type { AtEnd } from '../rule-set.ts'
import type { AnyRow, ReadyMadeRule } from './ready-made-rule.ts'

/**
 * A rule that writes a row into a table for each row that is added, changed or removed: `at`, `resource`, `recordId`,
 * `action`, `before`, `after` and `caller`. Values of write-only fields are not in it. In a model with tenants, it has
 * the column of the tenant, too.
 */
function changeRows(rule: string, table: string): ReadyMadeRule {
  return Object.freeze({
    partsFor(resource, problems, model) {
      if (typeof table !== 'string' || table === '') problems.push(`${rule}: must have the name of a table`)
      const kept = [...model.resources.values()].find((one) => one.table === table)
      for (const misfit of [kept && tenantMisfit(resource, kept, model), kept && idMisfit(kept)])
        if (misfit !== undefined) problems.push(`${rule}: ${misfit}`)
      const atEnd: AtEnd = async ({ action, before, after, caller, tenant, db, moment }) => {
        const one = (after ?? before) as AnyRow
        const json = jsonFor(db)
        const row = {
          ...idFor(db, kept),
          ...tenantOf(resource, one, tenant, model),
          at: moment.toISOString(),
          resource: resource.key,
          recordId: String(one.id),
          action,
          before: json(before && shown(resource, before)),
          after: json(after && shown(resource, after)),
          caller: json(Object.keys(caller).length === 0 ? null : caller),
        }
        await db
          .insertInto(table)
          .values(row)
          .execute()
          .catch((error: unknown) => refuseMisfit(rule, table, error))
      }
      return { atEnd }
    },
  } satisfies ReadyMadeRule)
}

/** The column of the tenant; nothing for what all tenants share. A tenant's own record is that tenant's. */
function tenantOf(
  resource: Resource,
  { id }: AnyRow,
  tenant: Id | null,
  model: Model,
): Readonly<Record<string, Id | null>> {
  if (model.tenant === undefined || resource.tenant === undefined) return {}
  return { [tenantColumn(model.tenant)]: resource.tenant.isOwnId ? id : tenant }
}

/** Why the rows of a table can have no ids. Members that make up an id are columns of the row. */
function idMisfit({ key, id: { name, assignedBy } }: Resource): string | undefined {
  if (assignedBy !== 'client') return undefined
  return `clients give the ids of ${key}, and no client writes here: let ${name === 'text' ? 'a function' : 'the database'} assign them`
}

/** The client can mend no row that the table does not take, such as one that lacks its id: that is no refusal, but an
 * error. */
function refuseMisfit(rule: string, table: string, error: unknown): never {
  if (databaseErrorKind(error) !== 'check') throw error
  throw new Error(`${rule}: the table '${table}' does not take the row of a change: ${(error as Error).message}`, {
    cause: error,
  })
}

/** The id of a new row, where the library assigns it. */
function idFor(db: AnyTransaction, kept: Resource | undefined): Readonly<Record<string, unknown>> {
  const id = kept?.id.assign?.()
  if (kept === undefined || id === undefined) return {}
  return { [kept.idColumns[0]]: dialectOf(db).ids[kept.id.stored].inRow(sql`${id}`) }
}

/** Why the rows of a resource do not fit into a table that is itself one of the model's. */
function tenantMisfit({ key, tenant }: Resource, other: Resource, model: Model): string | undefined {
  if (model.tenant === undefined) return undefined
  const isOwned = tenant?.isOwnId === false
  if (isOwned === (other.tenant?.isOwnId === false)) return undefined
  return isOwned
    ? `all tenants share the rows of ${other.key}, and those of ${key} belong to one: leave out tenant: false there`
    : `the rows of ${other.key} belong to tenants, and may be gone with them, but those of ${key} do not: give it another table`
}

/** JSON is text on SQLite, and `jsonb` on PostgreSQL, where a driver may encode a text as JSON once more. */
function jsonFor(db: AnyTransaction): (value: object | null) => unknown {
  if (databaseOf(db) === 'sqlite') return (value) => value && JSON.stringify(value)
  return (value) => value && sql`${JSON.stringify(value)}::text::jsonb`
}

function shown({ fields }: Resource, row: AnyRow): AnyRow {
  const writeOnly = fields.filter((field) => field.writeOnly)
  if (writeOnly.length === 0) return row
  const hidden = new Set(writeOnly.map(({ name }) => name))
  return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name))) as AnyRow
}

/**
 * A rule that writes each change into a table of the application's own, in the transaction of the write: who has
 * changed which record and how, with the record before and after. The page on rules has the table.
 *
 * @example
 * const rules = { invoice: audit('audit'), line: audit('audit') }
 */
export function audit(table: string): ReadyMadeRule {
  return changeRows('audit', table)
}

/**
 * A rule that writes each change into a table of the application's own, in the transaction of the write. `readOutbox`
 * gives them to a worker, so none is lost. The page on rules has the table.
 *
 * @example
 * const rules = { invoice: outbox('outbox') }
 */
export function outbox(table: string): ReadyMadeRule {
  return changeRows('outbox', table)
}
