import { sql } from 'kysely'
import { rowAlone } from '../../asking/select/selections.ts'
import type { Link, Owns, Reference, Resource } from '../../model/model.ts'
import { ofHeld, type QueryContext } from '../context.ts'
import { mayWrite } from '../rows/visible-rows.ts'
import { idSlot, idSqlOf, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, LISTED, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { jsonTuple } from './json-text.ts'
import { rowsOfSelection } from './rows-query.ts'

// Deleted records that are kept: to bring them back, or to remove them for good. Whoever may see them.

/** A deleted record (slot 0), as `rowsQueries` gives rows. */
export function deletedRecordQuery(everybodys: QueryContext, resource: Resource): Prepared {
  const context = seeingAll(everybodys)
  const rows = storedRows(context, resource, 't')
  return prepareRows(context, resource, rows.from(isRow(context, resource, 't', 0), isDeleted(resource, 't')))
}

/**
 * The deleted records that some owners (slot 0) have by a relation. `topmost`: only those that were deleted at the
 * moment of a record of this resource (slot 1).
 */
export function deletedBelowQuery(everybodys: QueryContext, owns: Owns, topmost: Resource | undefined): Prepared {
  const context = seeingAll(everybodys)
  const { source, target, inverse } = owns
  const isOwned = sql`${column('t', inverse.column)} in (${idSqlOf(context, source).list(slot(0))})`
  const rows = storedRows(context, target, 't')
  return prepareRows(
    context,
    target,
    rows.from(isOwned, topmost === undefined ? isDeleted(target, 't') : isOfMoment(context, target, topmost)),
  )
}

/** JSON: how many records need some of a resource (slot 0), without some others (slot 1): deleted ones count, which the
 * database does not let go either. */
export function needingDeletedQuery(everybodys: QueryContext, relation: Reference | Link): Prepared {
  const context = seeingAll(everybodys)
  const { source, target } = relation
  const isLink = relation.kind === 'link'
  const rows = storedRows(context, isLink ? relation : source, 't')
  const key = column('t', isLink ? relation.toColumn : relation.column)
  const needing = isLink ? column('t', relation.fromColumn) : rowId(source, 't')
  const [named, others] = [idSqlOf(context, target).list(slot(0)), idSqlOf(context, source).list(slot(1))]
  const from = rows.from(sql`${key} in (${named})`, sql`${needing} not in (${others})`)
  return prepare(context.db, sql`select ${jsonTuple([sql`count(*)`])} as json ${from}`)
}

/** JSON: how many of some deleted records (slot 0) a policy does not let the caller delete. */
export function undeletableQuery(storeContext: QueryContext, resource: Resource): Prepared {
  const context: QueryContext = { ...storeContext, listsDeleted: resource }
  const isAllowed = mayWrite(context, resource, 'Delete', LISTED) ?? sql`true`
  const isOne = sql`${rowId(resource, LISTED)} in (${idSqlOf(context, resource).list(slot(0))})`
  const from = storedRows(context, resource, LISTED).from(isOne, sql`${isAllowed} is not true`)
  return prepare(context.db, sql`select ${jsonTuple([sql`count(*)`])} as json ${from}`)
}

function seeingAll(context: QueryContext): QueryContext {
  return ofHeld({ ...context, rights: undefined })
}

function prepareRows(context: QueryContext, resource: Resource, from: Sql): Prepared {
  return prepare(context.db, sql`select ${jsonTuple([rowsOfSelection(context, rowAlone(resource), from)])} as json`)
}

function isRow(context: QueryContext, resource: Resource, alias: string, number: number): Sql {
  return sql`${rowId(resource, alias)} = ${idSlot(context, resource, number)}`
}

function isDeleted(resource: Resource, alias: string): Sql {
  return sql`${momentOf(resource, alias)} is not null`
}

/** The columns are compared as they are: no text of a moment has to be as exact as they. */
function isOfMoment(context: QueryContext, resource: Resource, topmost: Resource): Sql {
  const moment = sql`select ${momentOf(topmost, 'd')} ${storedRows(context, topmost, 'd').from(isRow(context, topmost, 'd', 1))}`
  return sql`${momentOf(resource, 't')} = (${moment})`
}

function momentOf({ softDelete }: Resource, alias: string): Sql {
  return column(alias, (softDelete as NonNullable<typeof softDelete>).column)
}
