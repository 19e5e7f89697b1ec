import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { OwnedBy, Resource } from '../../model/model.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { QueryContext } from '../context.ts'
import { ANCESTOR, ancestors, UP } from '../rows/ancestors.ts'
import { idSlot, idSqlOf, rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, type Sql } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { jsonIdOrNull, jsonTuple } from './json-text.ts'

/** Finds the owners of a record, up to the topmost. */
export interface OwnersQuery {
  /** The column `json`, for {@link toOwners}; no row if there is no record with the id (slot `id`). */
  readonly query: Prepared
  /** The topmost first. */
  toOwners(json: string): readonly RecordOwner[]
}

/** A foreign key that may name an owner, and those of this owner's owners. */
interface OwnerKey {
  readonly by: OwnedBy
  readonly value: Sql
  readonly above: readonly OwnerKey[]
}

export function ownersQuery(context: QueryContext, resource: Resource): OwnersQuery {
  const isRecord = sql`${rowId(resource, ALIAS)} = ${idSlot(context, resource)}`
  const keys = ownerKeys(context, resource, rowId(resource, ALIAS), ({ column: key }) => column(ALIAS, key))
  const values = inOrder(keys).map(({ by, value }) => jsonIdOrNull(idSqlOf(context, by.target), value))
  return {
    query: prepare(
      context.db,
      sql`select ${jsonTuple(values)} as json ${storedRows(context, resource, ALIAS).from(isRecord)}`,
    ),
    toOwners(json) {
      const ids = JSON.parse(json) as readonly (Id | null)[]
      const known = new Map(inOrder(keys).map((key, index) => [key, ids[index] as Id | null]))
      return ownersIn(keys, known)
    },
  }
}

/** Finds the id of a record as answers spell it. The column `json`; no row if there is no record with the id (slot `id`). */
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
  inRow: (by: OwnedBy) => Sql,
): readonly OwnerKey[] {
  const isTree = resource.recursive.length > 0
  return outsideOwners(resource).map((by) => {
    const value = isTree ? keyOfRoot(context, resource, id, by) : inRow(by)
    const { target } = by
    const above = (next: OwnedBy) => {
      const isOwner = sql`${rowId(target, OWNER)} = ${value}`
      return sql`(select ${column(OWNER, next.column)} ${storedRows(context, target, OWNER).from(isOwner)})`
    }
    return { by, value, above: ownerKeys(context, target, value, above) }
  })
}

/** The relations by which a record of another resource may own it, or the tree that it is part of. */
export function outsideOwners({ ownedBy }: Resource): readonly OwnedBy[] {
  return ownedBy.filter(({ source, target }) => target !== source)
}

/** Of a tree, only the root has the foreign key. */
function keyOfRoot(context: QueryContext, resource: Resource, id: Sql, { column: key }: OwnedBy): Sql {
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
