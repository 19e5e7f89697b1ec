import { sql } from 'kysely'
import { mayHide } from '../../asking/policies/rights.ts'
import { nameOfProperty, type SelectedProperty, type Selection } from '../../asking/select/selection.ts'
import { idAlone } from '../../asking/select/selections.ts'
import { type IdForm, idFormBehind } from '../../model/ids/short-id.ts'
import type { Link, Owns, Reference, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { computedSql } from '../filters/computed-sql.ts'
import { sortedBy } from '../filters/sort-sql.ts'
import { inside } from '../rows/path-condition.ts'
import { relatedRows } from '../rows/related-rows.ts'
import { visibleBelow, visibleRows } from '../rows/visible-rows.ts'
import { fieldJson } from '../text/field-column.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { column, join, type Sql } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import {
  jsonArrayOfSortedQuery,
  jsonArrayQuery,
  jsonIdOrNull,
  jsonNull,
  jsonObject,
  jsonOrNull,
  jsonTuple,
} from './json-text.ts'
import { fromChosen, lacksRows } from './listed-rows.ts'

/** A property of a record, as JSON. */
export type JsonEntry = readonly [name: string, value: Sql]

/**
 * A record as JSON, built by the database: its id and what is selected of it. `alias` names its row. `form`: of its id.
 * `besides`: what it has that no selection knows.
 */
export function recordJson(
  context: QueryContext,
  selection: Selection,
  alias: string,
  form: IdForm,
  besides: readonly JsonEntry[] = [],
): Sql {
  const { resource, properties } = selection
  const selected = properties.map((one): JsonEntry => [nameOfProperty(one), propertyJson(context, one, alias)])
  const entries = [...besides, ...selected]
  if (!resource.hasId) return jsonObject(entries, partialMark(context, selection, alias))
  const id = idSqlOf(context, resource, form).json(rowId(resource, alias, form))
  return jsonObject([['id', id], ...entries], partialMark(context, selection, alias))
}

const PARTIAL = sql`',"partial":true'`

/** What an object ends in if it lacks something that a body could set, or if one of its arrays may. */
function partialMark(context: QueryContext, { isPartial, properties }: Selection, alias: string): Sql | undefined {
  if (isPartial) return PARTIAL
  const lacking = properties.flatMap((one) => (one.kind === 'chosen' ? (lacksRows(context, one, alias) ?? []) : []))
  return lacking.length === 0 ? undefined : sql`case when ${join(lacking, sql` or `)} then ${PARTIAL} else '' end`
}

function propertyJson(context: QueryContext, property: SelectedProperty, alias: string): Sql {
  switch (property.kind) {
    case 'field':
      return fieldJson(context, property.field, alias)
    case 'computed':
      return context.dialect.jsonComputed(computedSql(context, property.computed, alias), property.computed)
    case 'foreignKey': {
      const { target, column: key } = property.reference
      return jsonIdOrNull(idSqlOf(context, target), column(alias, key))
    }
    case 'reference':
      return referencedJson(context, property.reference, property.record, alias)
    case 'link':
      return linkedJson(context, property.link, property.records, alias)
    case 'owned':
      return ownedJson(context, property.owns, property.records, alias)
    case 'descendants':
      return descendantsJson(context, property, alias)
    case 'children':
      return jsonNull
    case 'single': {
      const { from, alias: far } = relatedRows(context, property.relation, alias)
      return jsonOrNull(
        sql`select ${recordJson(context, property.record, far, idFormBehind(property.relation))} ${from()}`,
      )
    }
    case 'chosen':
      return sql`(${jsonArrayOfSortedQuery(recordJson(context, property.records, inside(alias), idFormBehind(property.relation)), fromChosen(context, property, alias))})`
    case 'count':
      return sortedBy(context, property.counted, alias)
  }
}

function referencedJson(context: QueryContext, reference: Reference, record: Selection, alias: string): Sql {
  return jsonOrNull(recordById(context, record, inside(alias), column(alias, reference.column)))
}

/** A query of the record that has an id. */
function recordById(context: QueryContext, selection: Selection, alias: string, id: Sql): Sql {
  const { resource } = selection
  const hasId = idSqlOf(context, resource).equalsByIndex(rowId(resource, alias), id)
  return sql`select ${recordJson(context, selection, alias, 'whole')} ${visibleRows(context, resource, alias).from(hasId)}`
}

function linkedJson(context: QueryContext, link: Link, records: Selection | undefined, alias: string): Sql {
  const inner = inside(alias)
  const links = linksOf(context, link, alias)
  const { json, orderWithoutIndex } = idSqlOf(context, link.target)
  // A link says nothing of whether its target may be seen.
  const target = records ?? (mayHide(context.rights, link.target) ? idAlone(link.target) : undefined)
  // Each record by its id: PostgreSQL would read a thousand records for three links if they were joined. A record that
  // may not be seen is NULL, which the array leaves out.
  const item =
    target === undefined ? jsonObject([['id', json(links.to)]]) : sql`(${recordById(context, target, inner, links.to)})`
  const place = link.order === undefined ? [] : [column(links.alias, link.order)]
  return sql`(${jsonArrayQuery(item, links.from, inOrder(place, orderWithoutIndex(links.to)))})`
}

function ownedJson(context: QueryContext, owns: Owns, records: Selection, alias: string): Sql {
  const inner = inside(alias)
  const json = recordJson(context, records, inner, 'short')
  const from = fromOwned(context, owns, alias)
  if (!owns.many) return jsonOrNull(sql`select ${json} ${from}`)
  const order = idSqlOf(context, owns.target).orderWithoutIndex(rowId(owns.target, inner))
  const place = owns.order === undefined ? [] : [column(inner, owns.order.column)]
  return sql`(${jsonArrayQuery(json, from, inOrder(place, order))})`
}

/** What an array is sorted by: the numbers that keep its order, where it has some, and then the ids. */
function inOrder(numbers: readonly Sql[], ids: Sql): Sql {
  return join([...numbers.map((number) => sql`${number} nulls last`), ids])
}

/** All records below one of a self-owned kind: `[index of the owns relation, owner's id, record]` each, by id. */
function descendantsJson(context: QueryContext, { records, through }: Descendants, alias: string): Sql {
  const { resource } = records
  const ids = idSqlOf(context, resource)
  const { withBelow, below } = descendants(context, resource, through, alias)
  const node = inside(alias)
  const foreignKeys = resource.recursive.map((owns) => column(node, owns.inverse.column))
  const relation = sql`case ${join(
    foreignKeys.map((key, index) => sql`when ${key} is not null then ${sql.raw(String(index))}`),
    sql` `,
  )} end`
  const owner = foreignKeys.length === 1 ? join(foreignKeys) : sql`coalesce(${join(foreignKeys)})`
  const item = jsonTuple([relation, ids.json(owner), recordJson(context, records, node, 'short')])
  // Whole rows go down the tree: a join by their ids at the end would be planned for far more of them.
  const order = inOrder(placesBelow(through, node), ids.orderAsCompared(rowId(resource, node)))
  const items = jsonArrayQuery(item, sql`from ${sql.id(below)} as ${sql.id(node)}`, order)
  return sql`(${withBelow} ${items})`
}

/** Of the relations of a tree, each has numbers of its own, or none. */
function placesBelow(through: readonly Owns[], node: string): readonly Sql[] {
  return through.flatMap(({ order, inverse }) =>
    order === undefined
      ? []
      : [sql`case when ${column(node, inverse.column)} is not null then ${column(node, order.column)} end`],
  )
}

export type Descendants = Extract<SelectedProperty, { readonly kind: 'descendants' }>

/**
 * A common table expression of the rows below one of a self-owned kind by these relations, to stand in front of a
 * query, and its name.
 *
 * A row has one owner: the first of its foreign keys that is not null. So if owners form a circle, which no request can
 * make, whoever comes upon a row again has passed the first one again. Without the first row, the recursion ends.
 */
export function descendants(
  context: QueryContext,
  resource: Resource,
  through: readonly Owns[],
  alias: string,
): { readonly withBelow: Sql; readonly below: string } {
  const { equalsInFewRows } = idSqlOf(context, resource)
  const child = `${alias}c`
  const below = `crud_${alias}b`
  const children = visibleBelow(context, resource, child)
  const foreignKeys = resource.recursive.map((owns) => column(child, owns.inverse.column))
  const isChildOf = (owner: string) => {
    const isOne = through.map((owns) => {
      const index = resource.recursive.indexOf(owns)
      const key = foreignKeys[index] as Sql
      const isFirst = foreignKeys.slice(0, index).map((earlier) => sql`${earlier} is null`)
      return join([equalsInFewRows(key, rowId(resource, owner)), ...isFirst], sql` and `)
    })
    return sql`(${join(isOne, sql` or `)})`
  }
  const isNotFirst = sql`${rowId(resource, child)} <> ${rowId(resource, alias)}`
  const childrenOfEach = context.dialect.joinRowByRow(
    sql.id(below),
    children,
    sql`${isChildOf(below)} and ${isNotFirst}`,
  )
  const withBelow = sql`with recursive ${sql.id(below)} as (select ${children.name}.* ${children.from(isChildOf(alias), isNotFirst)} union all select ${children.name}.* from ${childrenOfEach})`
  return { withBelow, below }
}

/** The links of a record, as the FROM of a query, and the ids that they name. */
export function linksOf(
  context: QueryContext,
  link: Link,
  alias: string,
): { readonly from: Sql; readonly to: Sql; readonly alias: string } {
  const pair = `${inside(alias)}l`
  const { equalsInFewRows } = idSqlOf(context, link.source)
  const isLinked = equalsInFewRows(column(pair, link.fromColumn), rowId(link.source, alias))
  return { from: storedRows(context, link, pair).from(isLinked), to: column(pair, link.toColumn), alias: pair }
}

/** The records that one owns, as the FROM of a query; {@link inside} is their alias. */
export function fromOwned(context: QueryContext, { target, inverse, source }: Owns, alias: string): Sql {
  const inner = inside(alias)
  const { equalsInFewRows } = idSqlOf(context, source)
  const isOwned = equalsInFewRows(column(inner, inverse.column), rowId(source, alias))
  return visibleBelow(context, target, inner).from(isOwned)
}
