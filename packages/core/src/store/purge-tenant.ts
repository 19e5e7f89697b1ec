import { sql } from 'kysely'
import type { Id } from '../model/ids/id-kind.ts'
import type { Model } from '../model/model.ts'
import { withRetries } from '../session/retries.ts'
import { sessionPool } from '../session/session-pool.ts'
import { boundariesOn, withTransaction } from '../session/transaction.ts'
import { type QueryContext, queryContext, withDeleted } from '../sql/context.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { OWN_TABLES } from '../sql/text/own-tables.ts'
import { prepare } from '../sql/text/prepare.ts'
import { join, type Sql, slot } from '../sql/text/sql-text.ts'
import { storedRows } from '../sql/text/stored-rows.ts'
import { hasOwnTable } from './checks/own-table-problems.ts'

/** Removes all rows of a tenant in one transaction, deleted ones, too: first links, then what others name last. The tenant's own row stays. */
export async function purgeTenant(db: AnyKysely, model: Model, tenant: Id): Promise<void> {
  const context = withDeleted(queryContext(db, { model }))
  const deletes = [...deletesOf(context, model), ...(await ownDeletesOf(context))]
  const statements = deletes.map((statement) => prepare(db, statement))
  const boundaries = boundariesOn(db, context.dialect)
  await withRetries(db, () =>
    sessionPool(db).use({ tenant }, (session) =>
      withTransaction(session, boundaries, async () => {
        for (const statement of statements) await session.rows(statement, { tenant: String(tenant) })
      }),
    ),
  )
}

function deletesOf(context: QueryContext, model: Model): readonly Sql[] {
  const all = [...model.resources.values()]
  const own = all.filter(({ tenant }) => tenant?.isOwnId === false).sort((one, other) => other.rank - one.rank)
  const links = new Map(all.flatMap((resource) => resource.links).map((link) => [link.table, link]))
  // Foreign keys that may be null can form circles. They are of no use any more.
  const clears = own.flatMap((resource) => {
    const keys = resource.references.filter(({ nullable }) => nullable)
    if (keys.length === 0) return []
    return [storedRows(context, resource).update(join(keys.map(({ column }) => sql`${sql.id(column)} = null`)))]
  })
  return [
    ...[...links.values()]
      .filter(({ tenant }) => tenant !== undefined)
      .map((link) => storedRows(context, link).delete()),
    ...clears,
    ...own.map((resource) => storedRows(context, resource).delete()),
  ]
}

/** Of the tables of the library that are there. */
async function ownDeletesOf(context: QueryContext): Promise<readonly Sql[]> {
  const { names } = context
  const deletes: Sql[] = []
  for (const table of OWN_TABLES) {
    if (!(await hasOwnTable(context, table))) continue
    deletes.push(sql`delete from ${names.table(table).sql} where ${sql.id(names.column('tenant'))} = ${slot('tenant')}`)
  }
  return deletes
}
