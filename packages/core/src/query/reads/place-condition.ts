import { sql } from 'kysely'
import type { Owns, Resource } from '../../model/model.ts'
import type { Place } from '../../model/place.ts'
import type { QueryContext } from '../context.ts'
import { column, join, type Sql, slot } from '../sql-text.ts'

/** The name of {@link ancestors}. */
export const UP = 'crud_up'

/** The slot of the id of the owner at one level of a place, 0 being the topmost. */
export function ownerSlot(context: QueryContext, level: number): Sql {
  return context.dialect.id(slot(`owner${level}`))
}

const NO_OWNERS = {}

/** The values of a place's owner slots. */
export function ownerValues(owners: readonly number[]): Readonly<Record<string, number>> {
  return owners.length === 0 ? NO_OWNERS : Object.fromEntries(owners.map((id, level) => [`owner${level}`, id]))
}

/** Whether the record that `alias` names has that id and lives at the place, its owners being those of the slots. */
export function livesAt(context: QueryContext, place: Place, alias: string, id: Sql): Sql {
  return sql`${column(alias, place.resource.idColumn)} = ${id} and ${hasOwners(context, place, alias, id)}`
}

function hasOwners(context: QueryContext, place: Place, alias: string, id: Sql): Sql {
  const level = place.path.length - 1
  const owns = place.path[level]
  if (owns === undefined) return hasNoOwner(context, place.resource, id)
  return join([belongsTo(context, owns, alias, id, level), ...ownersLive(context, place.path)], sql` and `)
}

/** At the top: a record of a tree that nobody else owns. Without other owners than its own kind, that is any. */
function hasNoOwner(context: QueryContext, resource: Resource, id: Sql): Sql {
  const others = resource.ownedBy.filter((owner) => owner.target !== resource)
  if (others.length === 0) return sql`true`
  const owned = others.map((owner) => sql`${column(UP, owner.column)} is not null`)
  return sql`not exists (${ancestors(context, resource, id)} select 1 from ${sql.id(UP)} where ${join(owned, sql` or `)})`
}

/**
 * The WHERE clause for the records that a list of the place shows. Empty where these are all: only then SQLite counts them
 * without a look at each.
 */
export function whereListedAt(context: QueryContext, place: Place, alias: string): Sql {
  const level = place.path.length - 1
  const owns = place.path[level]
  if (owns !== undefined) return sql` where ${column(alias, owns.inverse.column)} = ${ownerSlot(context, level)}`
  const { ownedBy } = place.resource
  if (ownedBy.length === 0) return sql``
  const hasNoOwners = ownedBy.map((owner) => sql`${column(alias, owner.column)} is null`)
  return sql` where ${join(hasNoOwners, sql` and `)}`
}

/** Whether the owners of a place exist, each below the one before. */
export function ownersExist(context: QueryContext, place: Place): Sql {
  const { names } = context
  const [top] = place.path
  if (top === undefined) return sql`true`
  const id = column('o', top.source.idColumn)
  const topExists = sql`exists (select 1 from ${names.table(top.source.table).sql} as ${sql.id('o')} where ${id} = ${ownerSlot(context, 0)})`
  return join([topExists, ...ownersLive(context, place.path)], sql` and `)
}

/** The topmost owner is one that the top has, and each other belongs to the one before. */
function ownersLive(context: QueryContext, path: readonly Owns[]): Sql[] {
  const [top] = path as readonly [Owns, ...Owns[]]
  const isAtTop = hasNoOwner(context, top.source, ownerSlot(context, 0))
  const below = path.slice(1).map((owns, index) => {
    const above = path[index] as Owns
    const id = ownerSlot(context, index + 1)
    const table = context.names.table(owns.source.table).sql
    const belongs = belongsTo(context, above, 'o', id, index)
    return sql`exists (select 1 from ${table} as ${sql.id('o')} where ${column('o', owns.source.idColumn)} = ${id} and ${belongs})`
  })
  return [isAtTop, ...below]
}

/**
 * Whether a record belongs to the owner at a level. Where records of a self-owned kind are owned by another one, that
 * is every record of the tree; only its root has the foreign key.
 */
function belongsTo(context: QueryContext, owns: Owns, alias: string, id: Sql, level: number): Sql {
  const owner = ownerSlot(context, level)
  const { target, inverse } = owns
  if (target.recursive.length === 0 || owns.source === target) return sql`${column(alias, inverse.column)} = ${owner}`
  return sql`exists (${ancestors(context, target, id)} select 1 from ${sql.id(UP)} where ${column(UP, inverse.column)} = ${owner})`
}

/** A common table expression: the ids and the owners of a record of a self-owned kind and all above it. */
export function ancestors({ dialect, names }: QueryContext, resource: Resource, id: Sql): Sql {
  const table = names.table(resource.table)
  const up = sql.id(UP)
  const columns = join(
    [resource.idColumn, ...resource.ownedBy.map((owner) => owner.column)].map((one) => column('a', one)),
  )
  const foreignKeys = resource.recursive.map((owns) => column(UP, owns.inverse.column))
  const parent = foreignKeys.length === 1 ? join(foreignKeys) : sql`coalesce(${join(foreignKeys)})`
  const above = dialect.joinRowByRow(up, table, 'a', sql`${column('a', resource.idColumn)} = ${parent}`)
  return sql`with recursive ${up} as (select ${columns} from ${table.sql} as ${sql.id('a')} where ${column('a', resource.idColumn)} = ${id} union all select ${columns} from ${above})`
}
