import { sql } from 'kysely'
import type { Selection } from '../../asking/select/selection.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { amongIds } from '../rows/among-ids.ts'
import { idSqlOf, rowId } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { storedRows } from '../text/stored-rows.ts'
import { jsonArrayQuery, jsonIdOrNull, jsonTuple } from './json-text.ts'
import { recordJson } from './record-json.ts'

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
 * The query gives JSON in the column `json`: a list for each of the asked, which has for each row a list of the record and the ids of
 * its owners, in the order of `ownedBy`.
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
