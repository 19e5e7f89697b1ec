import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { OwnerReference, Resource } from '../../model/model.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { QueryContext } from '../context.ts'
import { ROW_INDEX } from '../dialect/dialect.ts'
import { numberedIds } from '../rows/path-condition.ts'
import { ANCESTOR, ancestors, UP } from '../rows/visible-rows.ts'
import { idSlot, idSqlOf, listedId, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { jsonArrayQuery, jsonIdOrNull, jsonTuple } from './json-text.ts'

/** Finds the owners of a record, up to the topmost. */
export interface OwnersQuery {
  /** The column `json`, for {@link toOwners}; no row if there is no record with the id (slot `id`). */
  readonly query: Prepared
  /** The topmost first. */
  toOwners(json: string): readonly RecordOwner[]
}

/** A foreign key that may name an owner, and those of this owner's owners. */
interface OwnerKey {
  readonly by: OwnerReference
  readonly value: Sql
  readonly above: readonly OwnerKey[]
}

export function ownersQuery(context: QueryContext, resource: Resource): OwnersQuery {
  const isRecord = sql`${rowId(resource, ALIAS)} = ${idSlot(context, resource)}`
  const { values, toOwners } = ownersOfRow(context, resource)
  return {
    query: prepare(
      context.db,
      sql`select ${jsonTuple(values)} as json ${storedRows(context, resource, ALIAS).from(isRecord)}`,
    ),
    toOwners: (json) => toOwners(JSON.parse(json) as readonly (Id | null)[]),
  }
}

/** Finds the owners of many records. */
export interface OwnersOfManyQuery {
  /** The column `json`, for {@link toOwners} (slot `ids`, which `encodeList` makes). */
  readonly query: Prepared
  /** By the index of the record's id. There are none for an id that no record has. */
  toOwners(json: string): ReadonlyMap<number, readonly RecordOwner[]>
}

export function ownersOfManyQuery(context: QueryContext, resource: Resource): OwnersOfManyQuery {
  const isAsked = sql`${rowId(resource, ALIAS)} = ${listedId(resource, 'x')}`
  const asked = numberedIds(context, resource, slot('ids'))
  const rows = context.dialect.joinRowByRow(asked, storedRows(context, resource, ALIAS), isAsked)
  const { values, toOwners } = ownersOfRow(context, resource)
  const index = column('x', ROW_INDEX)
  return {
    query: prepare(
      context.db,
      sql`select (${jsonArrayQuery(jsonTuple([index, ...values]), sql`from ${rows}`, index)}) as json`,
    ),
    toOwners(json) {
      const found = JSON.parse(json) as readonly (readonly [index: number, ...ids: (Id | null)[]])[]
      return new Map(found.map(([at, ...ids]) => [at, toOwners(ids)]))
    },
  }
}

/** All that may own a row, or one of its owners, as JSON; and what these values tell. The row goes by {@link ALIAS}. */
function ownersOfRow(context: QueryContext, resource: Resource) {
  const keys = ownerKeys(context, resource, rowId(resource, ALIAS), ({ column: key }) => column(ALIAS, key))
  const ordered = inOrder(keys)
  return {
    values: ordered.map(({ by, value }) => jsonIdOrNull(idSqlOf(context, by.target), value)),
    toOwners: (ids: readonly (Id | null)[]) =>
      ownersIn(keys, new Map(ordered.map((key, index) => [key, ids[index] as Id | null]))),
  }
}

/** Finds the id of a record as answers spell it. The column `json`; no row if there is no record with the id (slot
 * `id`). */
export function spelledIdQuery(context: QueryContext, resource: Resource): Prepared {
  const id = rowId(resource, ALIAS)
  const isRecord = sql`${id} = ${idSlot(context, resource)}`
  const json = idSqlOf(context, resource).json(id)
  return prepare(context.db, sql`select ${json} as json ${storedRows(context, resource, ALIAS).from(isRecord)}`)
}

const ALIAS = 't'
const OWNER = 'o'

/** `id`: of the record. `inRow`: a column of it. */
function ownerKeys(
  context: QueryContext,
  resource: Resource,
  id: Sql,
  inRow: (by: OwnerReference) => Sql,
): readonly OwnerKey[] {
  const isTree = resource.recursive.length > 0
  return outsideOwners(resource).map((by) => {
    const value = isTree ? keyOfRoot(context, resource, id, by) : inRow(by)
    return { by, value, above: ownerKeys(context, by.target, value, (next) => ownerIdQuery(context, next, value)) }
  })
}

/** The id of the record that owns the one with an id, by a relation. */
export function ownerIdQuery(context: QueryContext, by: OwnerReference, id: Sql): Sql {
  const { source } = by
  if (source.recursive.length > 0) return keyOfRoot(context, source, id, by)
  const isRecord = sql`${rowId(source, OWNER)} = ${id}`
  return sql`(select ${column(OWNER, by.column)} ${storedRows(context, source, OWNER).from(isRecord)})`
}

/** The relations by which a record of another resource may own it, or the tree that it is part of. */
export function outsideOwners({ ownedBy }: Resource): readonly OwnerReference[] {
  return ownedBy.filter(({ source, target }) => target !== source)
}

/** Of a tree, only the root has the foreign key. */
function keyOfRoot(context: QueryContext, resource: Resource, id: Sql, { column: key }: OwnerReference): Sql {
  const up = ancestors(context, resource, id, storedRows(context, resource, ANCESTOR))
  return sql`(${up} select ${column(UP, key)} from ${sql.id(UP)} where ${column(UP, key)} is not null)`
}

function inOrder(keys: readonly OwnerKey[]): readonly OwnerKey[] {
  return keys.flatMap((key) => [key, ...inOrder(key.above)])
}

function ownersIn(keys: readonly OwnerKey[], ids: ReadonlyMap<OwnerKey, Id | null>): readonly RecordOwner[] {
  for (const key of keys) {
    const id = ids.get(key) ?? null
    if (id !== null) return [...ownersIn(key.above, ids), { by: key.by, id }]
  }
  return []
}
