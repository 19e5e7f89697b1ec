import { sql } from 'kysely'
import type { OtherPolicy } from '../../asking/policies/callers-type.ts'
import { type Comparable, callersValue } from '../../asking/policies/placeholders.ts'
import {
  mayForbid,
  mayHide,
  ofOwner,
  type PolicyCondition,
  type RowAction,
  type RowRule,
} from '../../asking/policies/rights.ts'
import type { OwnerReference, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { rowId } from '../text/member-id-sql.ts'
import type { Source } from '../text/sql-text.ts'
import { column, join, LISTED, type Sql } from '../text/sql-text.ts'
import { rowsThat, storedRows } from '../text/stored-rows.ts'
import {
  callersSlot,
  type ExpressionRow,
  type OtherId,
  type Placeholders,
  placeExpression,
} from './place-expression.ts'

// Policies become conditions here, and nowhere else. Undefined stands for a condition that all rows fulfil.

/**
 * The rows of a resource that a request may know of: for answers, and for what a request names. A row below an owner
 * counts only if the owner is such a row, too.
 */
export function visibleRows(context: QueryContext, resource: Resource, alias: string): Source {
  return rowsThat(context, resource, alias, foundOtherwise(isVisible(context, resource, alias)))
}

/** The same for rows of which it is known that their owners are shown, such as those inside of an owner's JSON. */
export function visibleBelow(context: QueryContext, resource: Resource, alias: string): Source {
  return rowsThat(context, resource, alias, foundOtherwise(fulfilsPolicy(context, resource, 'View', alias)))
}

/** The same for rows that are not found by an id, but by the policy itself, if there is an index for its columns. */
export function visibleInList(context: QueryContext, resource: Resource, alias: string): Source {
  return rowsThat(context, resource, alias, fulfilsPolicy(context, resource, 'View', alias))
}

/** The same for a list of records of any owners. */
export function visibleInLists(context: QueryContext, resource: Resource, alias: string): Source {
  return rowsThat(context, resource, alias, isVisible(context, resource, alias))
}

/** The kept rows of a resource that a list shows: those that the caller may see, and may delete. */
export function visibleKept(context: QueryContext, resource: Resource, alias: string): Source {
  const isShown = [isVisible(context, resource, alias), mayWrite(context, resource, 'Delete', alias)]
  return rowsThat(context, resource, alias, allOf(isShown))
}

/**
 * A condition for which the planner uses no index: the rows are found by an id, of their own or of their owner. SQLite
 * has to guess which index finds fewer rows, and would often read all rows of an organisation for the few of one
 * record.
 */
export function foundOtherwise(condition: Sql | undefined): Sql | undefined {
  return condition && sql`${condition} is true`
}

/** Whether the resource's own policy allows an action with the row. `row`: a query of the row, where it is not a stored
 * one. */
export function fulfilsPolicy(
  context: QueryContext,
  resource: Resource,
  action: RowAction,
  alias: string,
  row?: Sql,
): Sql | undefined {
  const rule = context.rights?.rules.get(resource)?.[action]
  if (rule === undefined) return undefined
  return ruleSql(context, { resource, alias, row }, rule, {
    otherPolicy: (other, id, inner) => asOther(context, other, id, inner),
  })
}

/** Whether the row may be seen: by its own policy, and as all its owners are, up to the root. */
function isVisible(context: QueryContext, resource: Resource, alias: string): Sql | undefined {
  const { rights } = context
  if (!mayHide(rights, resource)) return undefined
  const areOwnersVisible = (name: string) =>
    resource.ownedBy
      .filter(({ target }) => target !== resource && mayHide(rights, target))
      .map((by) =>
        hasNoneOr(
          by,
          name,
          ownerThat(context, by, name, (owner) => isVisible(context, by.target, owner)),
        ),
      )
  const own = fulfilsPolicy(context, resource, 'View', alias)
  if (resource.recursive.length === 0) return allOf([own, ...areOwnersVisible(alias)])
  return allOf([own, hasRoot(context, resource, alias, areOwnersVisible(UP))])
}

/**
 * Whether the row may be written: by its own policy or, without one, as the owner's Edit allows it. A row that is new
 * or stored asks for what the owner is after the write.
 */
export function mayWrite(context: QueryContext, resource: Resource, action: RowAction, alias: string): Sql | undefined {
  const { rights } = context
  if (rights === undefined || !mayForbid(rights, resource, action)) return undefined
  if (rights.rules.has(resource)) return fulfilsPolicy(context, resource, action, alias)
  const name = resource.recursive.length === 0 ? alias : UP
  const mayEditOwners = resource.ownedBy
    .filter(({ target }) => target !== resource)
    .map((by) =>
      hasNoneOr(
        by,
        name,
        ownerThat(context, by, name, (owner) => mayWrite(context, by.target, ofOwner(action), owner)),
      ),
    )
  if (resource.recursive.length === 0) return allOf(mayEditOwners)
  return hasRoot(context, resource, alias, mayEditOwners)
}

/** The rows with which the action is not allowed. They go by `t`. */
export function forbiddenRows(context: QueryContext, resource: Resource, action: RowAction): Source {
  const allows = action === 'View' ? isVisible(context, resource, 't') : mayWrite(context, resource, action, 't')
  const isAllowed = allows ?? sql`true`
  return rowsThat(context, resource, 't', sql`${isAllowed} is not true`)
}

/** Whether the row is part of a tree whose root fulfils conditions, and each record between them is shown. The root is
 * {@link UP}. */
function hasRoot(context: QueryContext, resource: Resource, alias: string, ofRoot: readonly (Sql | undefined)[]): Sql {
  const up = ancestors(context, resource, rowId(resource, alias), visibleBelow(context, resource, ANCESTOR))
  const isRoot = resource.recursive.map(({ inverse }) => sql`${column(UP, inverse.column)} is null`)
  const conditions = [...isRoot, ...ofRoot].filter((one) => one !== undefined)
  return sql`exists (${up} select 1 from ${sql.id(UP)} where ${join(conditions, sql` and `)})`
}

/** Whether the row's owner fulfils a condition; undefined if any owner does. */
function ownerThat(
  context: QueryContext,
  { target, column: key }: OwnerReference,
  alias: string,
  condition: (owner: string) => Sql | undefined,
): Sql | undefined {
  const owner = `${alias}o`
  const fulfilled = condition(owner)
  if (fulfilled === undefined) return undefined
  const isOwner = sql`${rowId(target, owner)} = ${column(alias, key)}`
  return sql`exists (select 1 ${storedRows(context, target, owner).from(isOwner, fulfilled)})`
}

/** A row may have another owner, or none. */
function hasNoneOr(
  { column: key, nullable }: OwnerReference,
  alias: string,
  condition: Sql | undefined,
): Sql | undefined {
  if (condition === undefined || !nullable) return condition
  return sql`(${column(alias, key)} is null or ${condition})`
}

/** Another resource's policy, for the record with that id. */
function asOther(context: QueryContext, { action, resource }: OtherPolicy, id: OtherId, alias: string): Sql {
  const given = `${alias}i`
  const hasId = sql`${rowId(resource, alias)} = ${id.isAmbiguous ? column(given, 'id') : id.sql}`
  const written =
    action === 'View' ? undefined : mayWrite(context, resource, action === 'Edit' ? 'EditBefore' : action, alias)
  const conditions = [hasId, written].filter((one) => one !== undefined)
  const record = sql`exists (select 1 ${visibleRows(context, resource, alias).from(...conditions)})`
  // A subquery of its own reads the id where no table of the record is in sight.
  return id.isAmbiguous
    ? sql`exists (select 1 from (select ${id.sql} as id) as ${sql.id(given)} where ${record})`
    : record
}

function allOf(conditions: readonly (Sql | undefined)[]): Sql | undefined {
  const known = conditions.filter((one) => one !== undefined)
  return known.length === 0 ? undefined : sql`(${join(known, sql` and `)})`
}

/** A rule as a condition; undefined if all rows fulfil it. */
export function ruleSql(
  context: QueryContext,
  row: ExpressionRow,
  rule: RowRule,
  placeholders: Placeholders,
): Sql | undefined {
  if (rule === true) return undefined
  if (rule === false) return sql`false`
  const any = rule.map((condition) => conditionSql(context, row, condition, placeholders))
  return sql`(${join(any, sql` or `)})`
}

function conditionSql(
  context: QueryContext,
  row: ExpressionRow,
  condition: PolicyCondition,
  placeholders: Placeholders,
): Sql {
  const { value, from } = placeExpression(context, row, condition, placeholders)
  const parts = condition.values.length === 0 ? [value] : [canBeAsked(context, condition), value]
  if (from !== undefined) return sql`exists (select 1 ${from} where ${join(parts, sql` and `)})`
  return parts.length === 1 ? value : sql`(${join(parts, sql` and `)})`
}

/** Whether the caller's values are such that the expression can be asked. */
function canBeAsked(context: QueryContext, { values, needsAll }: PolicyCondition): Sql {
  const isUsable = (value: Comparable | null | undefined) => value !== undefined && !(needsAll && value === null)
  return callersSlot(context, 'boolean', (caller) => values.every((value) => isUsable(callersValue(caller, value))))
}

/**
 * The rows of a resource that a request may know of, as a query to stand behind FROM. It has the columns of the table
 * that the model names, but for write-only ones. One that the caller may not see is null in each row.
 */
export function visibleTable(context: QueryContext, resource: Resource): Sql {
  const { idColumns, hasId, fields, references, ownedBy } = resource
  const shown = [
    ...(hasId ? idColumns : []),
    ...fields.filter(context.fieldRights.sees).map((field) => field.column),
    ...[...references, ...ownedBy].map((key) => key.column),
  ]
  const hidden = fields.filter(({ writeOnly, column: name }) => !writeOnly && !shown.includes(name))
  const columns = [
    ...[...new Set(shown)].map((name) => column(LISTED, name)),
    // With the type of the column.
    ...hidden.map(({ column: name }) => sql`case when false then ${column(LISTED, name)} end as ${sql.id(name)}`),
  ]
  return sql`(select ${join(columns)} ${visibleInLists(context, resource, LISTED).from()})`
}

/** The name of {@link ancestors}. */
export const UP = 'crud_up'

export const ANCESTOR = 'a'

/**
 * A common table expression of the ids and foreign keys of a record of a tree and of all records above it. It ends even
 * if the owners form a circle, which no request can make. It goes no further than `rows`, which go by {@link ANCESTOR}.
 */
export function ancestors(context: QueryContext, resource: Resource, id: Sql, rows: Source): Sql {
  const up = sql.id(UP)
  const columns = join(
    [...resource.idColumns, ...resource.ownedBy.map((owner) => owner.column)].map((one) => column(ANCESTOR, one)),
  )
  const foreignKeys = resource.recursive.map((owns) => column(UP, owns.inverse.column))
  const parent = foreignKeys.length === 1 ? join(foreignKeys) : sql`coalesce(${join(foreignKeys)})`
  const hasId = (one: Sql) => sql`${rowId(resource, ANCESTOR)} = ${one}`
  const above = context.dialect.joinRowByRow(up, rows, hasId(parent))
  return sql`with recursive ${up} as (select ${columns} ${rows.from(hasId(id))} union select ${columns} from ${above})`
}
