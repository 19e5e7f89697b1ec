import { sql } from 'kysely'
import type { RowAction } from '../../asking/policies/rights.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { type CollectionPath, namesNoOwner } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Owns, Reference, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { RowLock } from '../dialect/dialect.ts'
import { amongIds, livesAt } from '../rows/path-condition.ts'
import { visibleBelow, visibleRows } from '../rows/visible-rows.ts'
import { idSqlOf, listedId, rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, LISTED, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { storedRows } from '../text/stored-rows.ts'
import { jsonArrayQuery, jsonIdOrNull, jsonTuple } from './json-text.ts'
import { allowedJson, lockedBy, type Waiting } from './read-queries.ts'
import { recordJson } from './record-json.ts'
import { summarySizeOf, TOO_LARGE } from './summary-size.ts'

/** Rows that are read as they are stored, whoever may see them. */
export interface RowsAsked {
  readonly selection: Selection
  /** The relation by which the rows name the ids; undefined: the ids are their own. */
  readonly naming: Reference | Link | undefined
  readonly ids: readonly Id[]
}

/** One query for all of them. */
export interface RowsQuery {
  readonly query: Prepared
  readonly values: readonly string[]
}

/**
 * The query gives JSON in the column `json`: a list for each of the asked, which has for each row a list of the record
 * and the ids of its owners, in the order of `ownedBy`.
 */
export function rowsQueries(
  context: QueryContext,
  statements: StatementCache,
): (asked: readonly RowsAsked[]) => RowsQuery {
  const queryOf = statements.each((context, lists: readonly RowList[]) => {
    const answers = lists.map((list, index) => rowsJson(context, list, slot(index)))
    return prepare(context.db, sql`select ${jsonTuple(answers)} as json`)
  })
  return (asked) => {
    const values = asked.map(({ selection: { resource }, naming, ids }) =>
      idSqlOf(context, naming?.target ?? resource).encodeList(ids),
    )
    return { query: queryOf(asked.map(({ selection, naming }) => [selection, naming])), values }
  }
}

/** What is asked, without the ids. */
type RowList = readonly [selection: Selection, naming: RowsAsked['naming']]

function rowsJson(context: QueryContext, [selection, naming]: RowList, ids: Sql): Sql {
  return rowsOfSelection(context, selection, fromRows(context, selection.resource, naming, ids))
}

/** `from`: the rows, by the name `t`. */
export function rowsOfSelection(context: QueryContext, selection: Selection, from: Sql): Sql {
  const { resource } = selection
  const owners = resource.ownedBy.map((by) => jsonIdOrNull(idSqlOf(context, by.target), column('t', by.column)))
  const item = jsonTuple([recordJson(context, selection, 't', 'whole'), ...owners])
  const order = idSqlOf(context, resource).order(rowId(resource, 't'))
  return sql`(${jsonArrayQuery(item, from, order)})`
}

function fromRows(context: QueryContext, resource: Resource, naming: RowsAsked['naming'], ids: Sql): Sql {
  const rows = storedRows(context, resource, 't')
  if (naming === undefined) return sql`from ${amongIds(context, resource, ids, rows)}`
  const target = idSqlOf(context, naming.target)
  if (naming.kind === 'reference') {
    const asked = sql`(${target.list(ids)}) as ${sql.id('x')}`
    return sql`from ${context.dialect.joinRowByRow(asked, rows, target.equalsInFewRows(column('t', naming.column), column('x', 'id')))}`
  }
  const isNamed = sql`${column('l', naming.toColumn)} in (${target.list(ids)})`
  const linking = sql`select ${column('l', naming.fromColumn)} ${storedRows(context, naming, 'l').from(isNamed)}`
  return rows.from(sql`${rowId(resource, 't')} in (${linking})`)
}

/**
 * The records of a path with certain ids, as `recordQuery` gives one: a row for each that is there, with its id as text
 * in the column `id` and its JSON in the column `json` (slot `ids`, which `encodeList` makes). If all of them together
 * are larger than an answer may be, the JSON of each says so.
 */
export function recordsQuery(
  context: QueryContext,
  path: CollectionPath,
  selection: Selection,
  action: RowAction | undefined,
): Prepared {
  const { resource } = path
  const { dialect, maxAnswer } = context
  const ids = idSqlOf(context, resource)
  const rows = (namesNoOwner(path) ? visibleRows : visibleBelow)(context, resource, LISTED)
  const asked = sql`(${ids.list(slot('ids'))}) as ${sql.id('x')}`
  const from = dialect.joinRowByRow(asked, rows, livesAt(context, path, LISTED, listedId(resource, 'x')))
  const json = ifSmall(context, selection, allowedJson(context, path, selection, action))
  const found = sql`select ${ids.text(rowId(resource, LISTED))} as id, ${json} as json from ${from}`
  const all = sql.id('crud_records')
  const size = sql`sum(octet_length(${all}.json)) over ()`
  const answer = sql`case when ${size} > ${sql.lit(maxAnswer)} then ${TOO_LARGE} else ${all}.json end`
  return prepare(
    context.db,
    sql`select ${all}.id as id, ${answer} as json from ${dialect.computedOnce(found)} as ${all}`,
  )
}

/** What is known of the size of a record before its JSON is built. */
function ifSmall(context: QueryContext, selection: Selection, json: Sql): Sql {
  const size = summarySizeOf(context, selection, LISTED)
  return size === undefined
    ? json
    : sql`case when ${size} > ${sql.lit(context.maxAnswer)} then ${TOO_LARGE} else ${json} end`
}

/** JSON: pairs of an owner, of those in slot 0, and a record that it owns. */
export function ownedQuery(context: QueryContext, { source, target, inverse }: Owns): Prepared {
  const [owners, ids] = [idSqlOf(context, source), idSqlOf(context, target)]
  const owner = column('t', inverse.column)
  const rows = storedRows(context, target, 't').from(sql`${owner} in (${owners.list(slot(0))})`)
  const pair = jsonTuple([owners.json(owner), ids.json(rowId(target, 't'))])
  return prepare(context.db, sql`select (${jsonArrayQuery(pair, rows, ids.order(rowId(target, 't')))}) as json`)
}

/** Locks rows by their ids (slot 0), one after the other in the order of their ids. Gives a row for each that is
 * locked. */
export function lockRowsQuery(context: QueryContext, resource: Resource, lock: RowLock, waiting: Waiting): Prepared {
  const { list, orderAsCompared } = idSqlOf(context, resource)
  const id = rowId(resource, 't')
  const rows = storedRows(context, resource, 't').from(sql`${id} in (${list(slot(0))})`)
  return prepare(context.db, sql`select 1 ${rows} order by ${orderAsCompared(id)}${lockedBy(context, lock, waiting)}`)
}
