import { sql } from 'kysely'
import { tableInText } from '../asking/policies/columns-of-tables.ts'
import type { PolicySet } from '../asking/policies/read-policies.ts'
import { CrudError, notFound, unsupported } from '../errors.ts'
import { type Asker, NO_CALLER } from '../model/callers.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { type Model, type Resource, resourceOf } from '../model/model.ts'
import { hasHistory } from '../model/resource-tree.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import { withRetries } from '../session/retries.ts'
import { sessionPool } from '../session/session-pool.ts'
import { boundariesOn, withTransaction } from '../session/transaction.ts'
import { ofHeld, type QueryContext, queryContext } from '../sql/context.ts'
import type { AnyKysely } from '../sql/dialect/database.ts'
import { WHOSE, whoseRequest } from '../sql/rows/whose-rows.ts'
import { prepare } from '../sql/text/prepare.ts'
import { join, type Sql, slot } from '../sql/text/sql-text.ts'
import { HISTORY_TABLES, OWN_TABLES, storedRows } from '../sql/text/stored-rows.ts'
import { hasOwnTable, placedExpressions } from './checks/expression-problems.ts'
import type { Collection, WhoseRecords } from './types/store-types.ts'

/** Records of all tenants. They can be listed, where their ids are unique among those of all tenants, and no single one
 * is reached. */
export function acrossTenants({ key, id, softDelete, trash }: Resource, all: Collection): Collection {
  const refuse = (method: string) => () => {
    throw new TypeError(`${key}.${method}: its records are the tenants'; name one with asSystem({ tenant })`)
  }
  const isUnique = id.assignedBy === 'database' || (id.name === 'uuid' && id.assignedBy === 'library')
  return Object.freeze({
    list: isUnique ? listOf(all) : refuse('list'),
    group: refuse('group'),
    find: refuse('find'),
    create: refuse('create'),
    replace: refuse('replace'),
    patch: refuse('patch'),
    delete: refuse('delete'),
    createMany: refuse('createMany'),
    replaceMany: refuse('replaceMany'),
    patchMany: refuse('patchMany'),
    upsert: refuse('upsert'),
    upsertMany: refuse('upsertMany'),
    patchMatching: refuse('patchMatching'),
    deleteMatching: refuse('deleteMatching'),
    owned: refuse('owned'),
    linked: refuse('linked'),
    ...(softDelete && { restore: refuse('restore'), purge: refuse('purge') }),
    ...(trash && { deleted: { find: refuse('deleted.find'), list: refuse('deleted.list') } }),
    ...('act' in all && { act: refuse('act') }),
  })
}

function listOf(all: Collection): Collection['list'] {
  const list = (options?: never) => all.list(options as never).catch(unlessSpread)
  return list as Collection['list']
}

/** Citus answers only for one tenant at a time, where tables are spread over its machines. */
function unlessSpread(error: unknown): never {
  if (!(error instanceof CrudError) || databaseErrorKind(error.cause) !== 'unsupported') throw error
  const refusal = unsupported('a list of all tenants', 'list one after the other by asSystem({ tenant })')
  throw new CrudError(refusal, { cause: error.cause })
}

/** Throws a TypeError that lists all by which a tenant could see what is another's. */
export function checkTenants(model: Model, context: QueryContext, set: PolicySet | undefined): void {
  if (context.tenants === undefined) return
  const problems = [...problemsOfShared(model, set), ...problemsOfText(model, context, set)]
  if (problems.length > 0) throw new TypeError(problems.join('\n'))
}

/** What all tenants share is where the values of one would reach the others. */
function problemsOfShared({ resources }: Model, set: PolicySet | undefined): readonly string[] {
  const open = [...resources.values()].filter(
    ({ tenant, isPublic, isRoot }) => tenant === undefined && isRoot && !isPublic,
  )
  return open
    .filter((resource) => !set?.rules.has(resource))
    .map(({ key }) => `policies.${key}: is missing; all tenants see it: say who may, or public: true in the model`)
}

/** No condition can be added to SQL text. */
function problemsOfText(model: Model, context: QueryContext, set: PolicySet | undefined): readonly string[] {
  const own = namesOfTenantTables(context)
  return placedExpressions(model, set).flatMap(({ place, expression }) => {
    const table = tableInText(expression, own)
    if (table === undefined) return []
    const why = `its SQL text reads the table '${table}', so the rows of all tenants would count`
    return [`${place}: ${why}; compare its tenant with my.tenant, or use Kysely's builder`]
  })
}

/** As the model and as the database have them. */
function namesOfTenantTables({ tenants, names }: QueryContext): readonly string[] {
  return [...(tenants?.tables ?? [])].flatMap(([table, rows]) => {
    if (rows.every(({ tenant }) => tenant === undefined)) return []
    const bare = table.slice(table.lastIndexOf('.') + 1)
    return [bare, names.column(bare)]
  })
}

/** The tenant that a store was asked for; undefined: none. Throws a TypeError for a tenant in a model without. */
export function tenantNamed(model: Model, whose: Partial<WhoseRecords> | undefined): Id | undefined {
  const tenant: unknown = whose?.tenant
  if (tenant === undefined || tenant === null) return undefined
  if (model.tenant === undefined) throw new TypeError('tenant: the model has no tenants')
  return checkedTenant(model, tenant)
}

/** For a request of the application's own, about the records of the tenant that it names. */
export function askerNamed(model: Model, whose: Partial<WhoseRecords>): Asker {
  return { caller: NO_CALLER, tenant: tenantNamed(model, whose) ?? null }
}

/** The id of a tenant, in the one form in which ids are compared. Fails with `CRUD_ERR_NOT_FOUND` for what is no id of
 * its kind. */
export function checkedTenant(model: Model, tenant: unknown): Id {
  const { key, id: kind } = resourceOf(model, model.tenant?.resource ?? '')
  const id = kind.fromCaller(tenant)
  if (id === undefined) throw new CrudError(notFound(key, String(tenant)))
  return id
}

/** Removes all rows of a tenant in one transaction, deleted ones, too: first links, then what others name last. The
 * tenant's own row stays. */
export async function purgeTenant(db: AnyKysely, model: Model, tenant: Id): Promise<void> {
  const context = ofHeld(queryContext(db, { model }))
  const deletes = [...deletesOf(context, model), ...(await ownDeletesOf(context, model))]
  const statements = deletes.map((statement) => prepare(db, statement))
  const boundaries = boundariesOn(db, context.dialect)
  await withRetries(db, () =>
    sessionPool(db).use({ tenant }, (session) =>
      withTransaction(session, boundaries, async () => {
        for (const statement of statements) await session.rows(statement, whoseRequest({ tenant }))
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
async function ownDeletesOf(context: QueryContext, model: Model): Promise<readonly Sql[]> {
  const { names } = context
  const deletes: Sql[] = []
  for (const table of [...OWN_TABLES, ...(hasHistory(model) ? HISTORY_TABLES : [])]) {
    if (!(await hasOwnTable(context, table))) continue
    deletes.push(sql`delete from ${names.table(table).sql} where ${sql.id(names.column(WHOSE))} = ${slot(WHOSE)}`)
  }
  return deletes
}
