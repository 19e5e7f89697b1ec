import { sql } from 'kysely'
import { mayHide, type RowAction } from '../../asking/policies/rights.ts'
import type { Link, Reference, Resource, UniqueKey } from '../../model/model.ts'
import { type QueryContext, withDeleted } from '../context.ts'
import { ROW_INDEX, type RowsTable } from '../dialect/dialect.ts'
import { jsonArrayQuery, jsonTuple } from '../reads/json-text.ts'
import { amongIds } from '../rows/path-condition.ts'
import { forbiddenRows, visibleRows } from '../rows/visible-rows.ts'
import { rowsOf } from '../steps/step-shape.ts'
import { columnCondition } from '../text/field-column.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import type { Source } from '../text/sql-text.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import { storedRows, tableRows } from '../text/stored-rows.ts'

/** What a lookup asks, without the ids and values that it asks about. */
export type LookupQuestion =
  | readonly [asks: 'existing' | 'existingForRules' | 'given', resource: Resource]
  | readonly [asks: 'holders', resource: Resource, key: UniqueKey]
  | readonly [asks: 'linkHolders', link: Link]
  | readonly [asks: 'forbidden', resource: Resource, action: RowAction]
  | readonly [asks: 'needing', relation: Reference | Link]

/** SQL that answers a question with a JSON array. The slots of its parameters are the name with a number behind it. */
export function answerTo(context: QueryContext, question: LookupQuestion, name: string): Sql {
  switch (question[0]) {
    case 'existing':
      return idsAmong(context, question[1], visibleRows(context, question[1], 't'), name)
    case 'given':
      return idsAmong(context, question[1], tableRows(context, question[1], 't'), name)
    case 'existingForRules':
      return idsAmong(context, question[1], storedRows(context, question[1], 't'), name)
    case 'holders':
      return whoHolds(context, question[1], question[2], name)
    case 'linkHolders':
      return whomTheyServe(context, question[1], name)
    case 'forbidden':
      return idsAmong(context, question[1], forbiddenRows(context, question[1], question[2]), name)
    case 'needing':
      return howManyNeed(context, question[1], name)
  }
}

/** What the values of a key travel in. */
export function rowsOfKey(context: QueryContext, resource: Resource, key: UniqueKey): RowsTable {
  return rowsOf(context, resource, false, key.members)
}

function idsAmong(context: QueryContext, resource: Resource, rows: Source, name: string): Sql {
  const { jsonText, order } = idSqlOf(context, resource)
  const id = rowId(resource, 't')
  const from = sql`from ${amongIds(context, resource, slot(`${name}_0`), rows)}`
  return sql`(${jsonArrayQuery(jsonText(id), from, order(id))})`
}

function whoHolds(context: QueryContext, resource: Resource, key: UniqueKey, name: string): Sql {
  const { json, order } = idSqlOf(context, resource)
  const id = rowId(resource, 't')
  const same = key.members.map((member) => sql`${column('t', member.column)} = ${column('x', member.column)}`)
  const where = key.where.map(({ member, is }) => columnCondition(context, column('t', member.column), is))
  const item = jsonTuple([column('x', ROW_INDEX), json(id)])
  const given = sql`${context.dialect.rows(slot(`${name}_0`), rowsOfKey(context, resource, key), 'numbered')} as ${sql.id('x')}`
  const isHolder = join([...same, ...where], sql` and `)
  const rows = context.dialect.joinRowByRow(given, storedRows(context, resource, 't'), isHolder)
  return sql`(${jsonArrayQuery(item, sql`from ${rows}`, order(id))})`
}

function whomTheyServe(context: QueryContext, link: Link, name: string): Sql {
  const ids = idSqlOf(context, link.target)
  const sources = idSqlOf(context, link.source)
  const [from, to] = [column('t', link.fromColumn), column('t', link.toColumn)]
  const rows = storedRows(context, link, 't').from(sql`${to} in (${ids.list(slot(`${name}_0`))})`)
  const item = jsonTuple([ids.json(to), sources.json(from)])
  return sql`(${jsonArrayQuery(item, rows, sources.order(from))})`
}

function howManyNeed(context: QueryContext, relation: Reference | Link, name: string): Sql {
  const ids = idSqlOf(context, relation.target)
  const sources = idSqlOf(context, relation.source)
  const isLink = relation.kind === 'link'
  // Of a record that goes for good, the database counts what is deleted and kept, too.
  const counting = relation.target.softDelete === undefined ? withDeleted(context) : context
  const naming = storedRows(counting, isLink ? relation : relation.source, 't')
  const target = column('x', 'id')
  const isTarget = ids.equalsInFewRows(column('t', isLink ? relation.toColumn : relation.column), target)
  const asked = sql`(${ids.list(slot(`${name}_0`))}) as ${sql.id('x')}`
  const rows = context.dialect.joinRowByRow(asked, naming, isTarget)
  const source = isLink ? column('t', relation.fromColumn) : rowId(relation.source, 't')
  const mayBeUnseen = mayHide(context.rights, relation.source) || (counting !== context && isKept(relation.source))
  const shown = mayBeUnseen ? countVisible(context, relation.source, source) : sql`count(*)`
  const counted = sql`select ${target}, count(*) as ${sql.id('needs')}, ${shown} as ${sql.id('shown')} from ${rows} where ${source} not in (${sources.list(slot(`${name}_1`))}) group by ${target}`
  const id = column('n', 'id')
  const item = jsonTuple([ids.json(id), column('n', 'needs'), column('n', 'shown')])
  return sql`(${jsonArrayQuery(item, sql`from (${counted}) as ${sql.id('n')}`, ids.order(id))})`
}

/** Whether rows of deleted records are kept. */
function isKept({ softDelete }: Resource): boolean {
  return softDelete !== undefined
}

/** How many of the rows have an id of a record that the caller may see. */
function countVisible(context: QueryContext, resource: Resource, id: Sql): Sql {
  const hasId = sql`${rowId(resource, 's')} = ${id}`
  return sql`sum(case when exists (select 1 ${visibleRows(context, resource, 's').from(hasId)}) then 1 else 0 end)`
}
