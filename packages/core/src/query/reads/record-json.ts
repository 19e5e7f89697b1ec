import { sql } from 'kysely'
import type { Link, Owns, Property, Reference, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { shownRows } from '../source.ts'
import { column, join, type Sql } from '../sql-text.ts'
import { jsonArrayQuery, jsonIdOrNull, jsonNull, jsonObject, jsonOrNull, jsonTuple } from './json-text.ts'

/**
 * What of a record: all of it; its state, which is what a write is planned from (of records that are not owned nothing but their
 * ids); or its id and those of all that it owns.
 */
export type Extent = 'whole' | 'state' | 'ids'

/**
 * A record as JSON, built by the database: its fields, what it owns in full, and a summary of what it needs and
 * knows. `alias` names its row.
 *
 * A resource that owns itself has trees of any depth, which a query cannot nest. Such a record carries its
 * descendants in one flat array, which `nestTrees` puts in order.
 */
export function recordJson(context: QueryContext, resource: Resource, alias: string, extent: Extent): Sql {
  return recordObject(context, resource, alias, extent, true)
}

function recordObject(
  context: QueryContext,
  resource: Resource,
  alias: string,
  extent: Extent,
  withDescendants: boolean,
): Sql {
  const properties = extent === 'ids' ? resource.owns : resource.properties
  const entries = properties.flatMap((property) => entriesOf(context, property, alias, extent, withDescendants))
  return jsonObject([['id', column(alias, resource.idColumn)], ...entries])
}

function entriesOf(
  context: QueryContext,
  property: Property,
  alias: string,
  extent: Extent,
  withDescendants: boolean,
): [string, Sql][] {
  const { dialect } = context
  switch (property.kind) {
    case 'field':
      return [[property.name, dialect.jsonField(column(alias, property.column), property)]]
    case 'reference': {
      const foreignKey: [string, Sql] = [property.foreignKey, jsonIdOrNull(column(alias, property.column))]
      return extent === 'whole' ? [foreignKey, [property.name, referencedJson(context, property, alias)]] : [foreignKey]
    }
    case 'link':
      return [[property.name, linkedJson(context, property, alias, extent)]]
    case 'owns': {
      if (property.target !== property.source) return [[property.name, ownedJson(context, property, alias, extent)]]
      const carries = withDescendants && property === property.source.recursive[0]
      return [[property.name, carries ? descendantsJson(context, property.source, alias, extent) : jsonNull]]
    }
  }
}

/** A related record that is not owned: its id and its fields. */
export function summaryJson(context: QueryContext, resource: Resource, alias: string): Sql {
  const { dialect } = context
  const id: [string, Sql] = ['id', column(alias, resource.idColumn)]
  const fields = resource.fields.map((field): [string, Sql] => [
    field.name,
    dialect.jsonField(column(alias, field.column), field),
  ])
  return jsonObject([id, ...fields])
}

function referencedJson(context: QueryContext, reference: Reference, alias: string): Sql {
  return jsonOrNull(summaryQuery(context, reference.target, inside(alias), column(alias, reference.column)))
}

/** The summary of the record that has an id. */
function summaryQuery(context: QueryContext, resource: Resource, alias: string, id: Sql): Sql {
  const hasId = context.dialect.equalsByIndex(column(alias, resource.idColumn), id)
  return sql`select ${summaryJson(context, resource, alias)} ${shownRows(context, resource, alias).from(hasId)}`
}

function linkedJson(context: QueryContext, link: Link, alias: string, extent: Extent): Sql {
  const { dialect } = context
  const { target } = link
  const inner = inside(alias)
  const pair = `${inner}l`
  const to = column(pair, link.to)
  // Joined, PostgreSQL would read a thousand records for three links.
  const item = extent === 'whole' ? sql`(${summaryQuery(context, target, inner, to)})` : jsonObject([['id', to]])
  const isLinked = dialect.equalsInFewRows(column(pair, link.from), column(alias, link.source.idColumn))
  const from = shownRows(context, link, pair).from(isLinked)
  return sql`(${jsonArrayQuery(item, from, dialect.unindexed(to))})`
}

function ownedJson(context: QueryContext, owns: Owns, alias: string, extent: Extent): Sql {
  const { dialect } = context
  const { target, inverse } = owns
  const inner = inside(alias)
  const json = recordJson(context, target, inner, extent)
  const isOwned = dialect.equalsInFewRows(column(inner, inverse.column), column(alias, owns.source.idColumn))
  const from = shownRows(context, target, inner).from(isOwned)
  if (!owns.many) return jsonOrNull(sql`select ${json} ${from}`)
  return sql`(${jsonArrayQuery(json, from, dialect.unindexed(column(inner, target.idColumn)))})`
}

/** All records below one of a self-owned kind: `[index of the owns relation, owner's id, record]` each, by id. */
function descendantsJson(context: QueryContext, resource: Resource, alias: string, extent: Extent): Sql {
  const { withBelow, below } = descendants(context, resource, alias)
  const node = inside(alias)
  const foreignKeys = resource.recursive.map((owns) => column(node, owns.inverse.column))
  const relation = sql`case ${join(
    foreignKeys.map((key, index) => sql`when ${key} is not null then ${sql.raw(String(index))}`),
    sql` `,
  )} end`
  const owner = foreignKeys.length === 1 ? join(foreignKeys) : sql`coalesce(${join(foreignKeys)})`
  const item = jsonTuple([relation, owner, recordObject(context, resource, node, extent, false)])
  // Whole rows go down the tree: a join by their ids at the end would be planned for far more of them.
  const items = jsonArrayQuery(item, sql`from ${sql.id(below)} as ${sql.id(node)}`, column(node, resource.idColumn))
  return sql`(${withBelow} ${items})`
}

/** A common table expression of the rows below one of a self-owned kind, to stand in front of a query, and its name. */
export function descendants(
  context: QueryContext,
  resource: Resource,
  alias: string,
): { readonly withBelow: Sql; readonly below: string } {
  const { dialect } = context
  const child = `${alias}c`
  const below = `crud_${alias}b`
  const children = shownRows(context, resource, child)
  const isChildOf = (owner: string) => {
    const isOne = resource.recursive.map((owns) =>
      dialect.equalsInFewRows(column(child, owns.inverse.column), column(owner, resource.idColumn)),
    )
    return sql`(${join(isOne, sql` or `)})`
  }
  const childrenOfEach = dialect.joinRowByRow(sql.id(below), children, isChildOf(below))
  const withBelow = sql`with recursive ${sql.id(below)} as (select ${children.name}.* ${children.from(isChildOf(alias))} union all select ${children.name}.* from ${childrenOfEach})`
  return { withBelow, below }
}

/** The alias of rows one level further in: relations beside each other do not see each other's. */
export function inside(alias: string): string {
  return `t${Number(alias.slice(1)) + 1}`
}
