import { sql } from 'kysely'
import { hidesSome } from '../../asking/policies/rights.ts'
import { type CollectionPath, type LinkedFrom, namesNoOwner } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Owns, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { ROW_INDEX } from '../dialect/dialect.ts'
import { idSlot, idSqlOf, listedId, rowId } from '../text/member-id-sql.ts'
import type { Source } from '../text/sql-text.ts'
import { column, join, type Sql } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { ANCESTOR, ancestors, UP, visibleBelow, visibleRows } from './visible-rows.ts'

/** The id of the owner at one level of a path, 0 being the topmost. `owns` is the relation at this level. */
export type OwnerIds = (context: QueryContext, owns: Owns, level: number) => Sql

/** The slot of such an id: a statement is about one owner. */
export const ownerSlot: OwnerIds = (context, owns, level) => idSlot(context, owns.source, `owner${level}`)

const NO_OWNERS = {}

/** The values of a path's owner slots. */
export function ownerValues(owners: readonly Id[]): Readonly<Record<string, Id>> {
  return owners.length === 0 ? NO_OWNERS : Object.fromEntries(owners.map((id, level) => [`owner${level}`, id]))
}

/** Whether the record that `alias` names has the id and lives at the path, below the owners in the slots. */
export function livesAt(context: QueryContext, path: CollectionPath, alias: string, id: Sql): Sql {
  return sql`${rowId(path.resource, alias)} = ${id} and ${hasOwners(context, path, alias, id)}`
}

function hasOwners(context: QueryContext, path: CollectionPath, alias: string, id: Sql): Sql {
  const level = path.relations.length - 1
  const owns = path.relations[level]
  if (owns === undefined) return path.isTopLevel ? sql`true` : hasNoOwner(context, path.resource, id)
  const [top] = path.relations as readonly [Owns, ...Owns[]]
  // The foreign key tells that the owner exists, but not that it is shown.
  const topIsVisible = hidesSome(context.rights, top.source) ? [topExists(context, top, ownerSlot)] : []
  const belongs = belongsTo(context, owns, alias, id, level, ownerSlot)
  return join([belongs, ...topIsVisible, ...ownersLive(context, path.relations, ownerSlot)], sql` and `)
}

/** Whether a record lives at the top: no record of another resource owns it, nor the tree that it is part of. */
function hasNoOwner(context: QueryContext, resource: Resource, id: Sql): Sql {
  const others = resource.ownedBy.filter((owner) => owner.target !== resource)
  if (resource.recursive.length > 0 && hidesSome(context.rights, resource)) {
    // The root is found only if all records on the way to it are shown.
    const hasNone = resource.ownedBy.map((owner) => sql`${column(UP, owner.column)} is null`)
    return sql`exists (${upFrom(context, resource, id)} select 1 from ${sql.id(UP)} where ${join(hasNone, sql` and `)})`
  }
  if (others.length === 0) return sql`true`
  const owned = (row: string) =>
    join(
      others.map((owner) => sql`${column(row, owner.column)} is not null`),
      sql` or `,
    )
  // Without foreign keys in the database, an owned record may be the topmost one: the last of a chain whose next row is
  // gone.
  if (resource.recursive.length === 0)
    return sql`not exists (select 1 ${storedRows(context, resource, 'o').from(sql`${rowId(resource, 'o')} = ${id}`, sql`(${owned('o')})`)})`
  return sql`not exists (${upFrom(context, resource, id)} select 1 from ${sql.id(UP)} where ${owned(UP)})`
}

function upFrom(context: QueryContext, resource: Resource, id: Sql): Sql {
  return ancestors(context, resource, id, visibleBelow(context, resource, ANCESTOR))
}

/**
 * The conditions for the records that a list of the path shows. None where these are all: only then SQLite counts them
 * without reading each.
 */
export function listedAt(context: QueryContext, path: CollectionPath, alias: string): readonly Sql[] {
  if (path.linkedFrom !== undefined) return [isLinked(context, path.linkedFrom, alias)]
  const level = path.relations.length - 1
  const owns = path.relations[level]
  if (owns !== undefined) return [sql`${column(alias, owns.inverse.column)} = ${ownerSlot(context, owns, level)}`]
  return path.isTopLevel ? [] : path.resource.ownedBy.map((owner) => sql`${column(alias, owner.column)} is null`)
}

/** The slot of the id of the record whose links a path leads along: behind those of its owners. */
function linkingSlot(context: QueryContext, { path, link }: LinkedFrom): Sql {
  return idSlot(context, link.source, `owner${path.relations.length}`)
}

function isLinked(context: QueryContext, from: LinkedFrom, alias: string): Sql {
  const { link } = from
  const links = storedRows(context, link, LINKS)
  const isFromRecord = sql`${column(LINKS, link.fromColumn)} = ${linkingSlot(context, from)}`
  return sql`${rowId(link.target, alias)} in (select ${column(LINKS, link.toColumn)} ${links.from(isFromRecord)})`
}

const LINKS = 'l'

/** The number of the link by which the list of a path along links has a row. */
export function placeAmongLinks(context: QueryContext, from: LinkedFrom, alias: string): Sql {
  const { link } = from
  return placeOfLink(context, link, linkingSlot(context, from), rowId(link.target, alias))
}

/** The number of the link between two records. */
export function placeOfLink(context: QueryContext, link: Link, from: Sql, to: Sql): Sql {
  const isLink = [sql`${column(LINKS, link.fromColumn)} = ${from}`, sql`${column(LINKS, link.toColumn)} = ${to}`]
  const rows = storedRows(context, link, LINKS).from(...isLink)
  return sql`(select ${column(LINKS, link.order as string)} ${rows})`
}

/** Whether the record whose links a path leads along is there, and its owners are. */
function linkingExists(context: QueryContext, from: LinkedFrom): Sql {
  const { path } = from
  const rows = namesNoOwner(path) ? visibleRows : visibleBelow
  const isThere = livesAt(context, path, 'o', linkingSlot(context, from))
  return sql`exists (select 1 ${rows(context, path.resource, 'o').from(isThere)})`
}

/** Whether a path names records that have to be there for its own to be listed. */
export function namesOthers({ relations, linkedFrom }: CollectionPath): boolean {
  return relations.length > 0 || linkedFrom !== undefined
}

/** Whether the owners of a path exist, each below the one before, or the record whose links it leads along. */
export function ownersExist(context: QueryContext, path: CollectionPath, ownerId: OwnerIds = ownerSlot): Sql {
  if (path.linkedFrom !== undefined) return linkingExists(context, path.linkedFrom)
  const [top] = path.relations
  if (top === undefined) return sql`true`
  return join([topExists(context, top, ownerId), ...ownersLive(context, path.relations, ownerId)], sql` and `)
}

function topExists(context: QueryContext, top: Owns, ownerId: OwnerIds): Sql {
  const { source } = top
  const isTop = sql`${rowId(source, 'o')} = ${ownerId(context, top, 0)}`
  return sql`exists (select 1 ${visibleBelow(context, source, 'o').from(isTop)})`
}

/** That the topmost owner lives at the top, and that each other owner belongs to the one before. */
function ownersLive(context: QueryContext, relations: readonly Owns[], ownerId: OwnerIds): Sql[] {
  const [top] = relations as readonly [Owns, ...Owns[]]
  const isAtTop = hasNoOwner(context, top.source, ownerId(context, top, 0))
  const below = relations.slice(1).map((owns, index) => {
    const above = relations[index] as Owns
    const id = ownerId(context, owns, index + 1)
    const isOwner = sql`${rowId(owns.source, 'o')} = ${id}`
    const belongs = belongsTo(context, above, 'o', id, index, ownerId)
    return sql`exists (select 1 ${visibleBelow(context, owns.source, 'o').from(isOwner, belongs)})`
  })
  return [isAtTop, ...below]
}

/**
 * Whether a record belongs to the owner at a level. If another resource owns trees, each record of such a tree belongs
 * to the owner, but only the root has the foreign key.
 */
function belongsTo(context: QueryContext, owns: Owns, alias: string, id: Sql, level: number, ownerId: OwnerIds): Sql {
  const owner = ownerId(context, owns, level)
  const { target, inverse } = owns
  if (target.recursive.length === 0 || owns.source === target) return sql`${column(alias, inverse.column)} = ${owner}`
  return sql`exists (${upFrom(context, target, id)} select 1 from ${sql.id(UP)} where ${column(UP, inverse.column)} = ${owner})`
}

/**
 * The rows of a source, which go by `t`, whose ids are in a parameter that `encodeList` made: to stand behind FROM.
 * Each row is looked up by its id.
 */
export function amongIds(context: QueryContext, resource: Resource, ids: Sql, rows: Source): Sql {
  const asked = sql`(${idSqlOf(context, resource).list(ids)}) as ${sql.id('x')}`
  const isAsked = sql`${rowId(resource, 't')} = ${listedId(resource, 'x')}`
  return context.dialect.joinRowByRow(asked, rows, isAsked)
}

/** The ids in a parameter that `encodeList` made, each with its index in the column {@link ROW_INDEX}: to stand behind
 * FROM. They go by `x`. */
export function numberedIds(context: QueryContext, resource: Resource, ids: Sql): Sql {
  const [index, given] = [sql.id(ROW_INDEX), sql.id('crud_ids')]
  return sql`(select row_number() over () - 1 as ${index}, ${given}.* from (${idSqlOf(context, resource).list(ids)}) as ${given}) as ${sql.id('x')}`
}

/** The alias of rows one level further in: relations beside each other do not see each other's. */
export function inside(alias: string): string {
  return `t${Number(alias.slice(1)) + 1}`
}
