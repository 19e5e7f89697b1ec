import { sql } from 'kysely'
import type { Field, Link, Owns, Property, Reference, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { shownRows } from '../source.ts'
import { column, join, type Sql } from '../sql-text.ts'
import { descendants, inside } from './record-json.ts'

/**
 * How many bytes the texts of related records take in a whole record, at least; undefined where none of them can be long.
 *
 * What a record owns is stored once for each time that it is shown. A related record is stored once and shown by all that name
 * it: a body of 1 kB can ask for 100 MB. Databases know the size of a text without reading it, so this is known before the JSON
 * is built, which takes them seconds then, and SQLite the service with it. It costs about a quarter of the query.
 */
export function summarySizeOf(
  context: QueryContext,
  resource: Resource,
  alias: string,
  withDescendants = true,
): Sql | undefined {
  return sum(resource.properties.map((property) => sizeOfProperty(context, property, alias, withDescendants)))
}

function sizeOfProperty(
  context: QueryContext,
  property: Property,
  alias: string,
  withDescendants: boolean,
): Sql | undefined {
  switch (property.kind) {
    case 'field':
      return undefined
    case 'reference':
      return referencedSize(context, property, alias)
    case 'link':
      return linkedSize(context, property, alias)
    case 'owns': {
      const { source, target } = property
      if (source !== target) return ownedSize(context, property, alias)
      const carries = withDescendants && property === source.recursive[0]
      return carries ? descendantsSize(context, source, alias) : undefined
    }
  }
}

/** Shorter texts do not count: they multiply a body by a few hundred at most. */
const SHORT = 1_000

function fieldSize({ dialect }: QueryContext, field: Field, alias: string): Sql | undefined {
  const { storage, schema } = field
  if (storage !== 'string' && storage !== 'json') return undefined
  const isShort = schema.enum !== undefined || 'const' in schema || Number(schema.maxLength) <= SHORT
  if (storage === 'string' && isShort) return undefined
  return sql`coalesce(${dialect.byteLength(column(alias, field.column))}, 0)`
}

/** Of the record that has an id. */
function summarySize(context: QueryContext, target: Resource, alias: string, id: Sql): Sql | undefined {
  const size = sum(target.fields.map((field) => fieldSize(context, field, alias)))
  const hasId = context.dialect.equalsByIndex(column(alias, target.idColumn), id)
  return size && sql`(select ${size} ${shownRows(context, target, alias).from(hasId)})`
}

function referencedSize(context: QueryContext, { target, column: name }: Reference, alias: string): Sql | undefined {
  const size = summarySize(context, target, inside(alias), column(alias, name))
  return size && sql`coalesce(${size}, 0)`
}

function linkedSize(context: QueryContext, link: Link, alias: string): Sql | undefined {
  const pair = `${inside(alias)}l`
  const size = summarySize(context, link.target, inside(alias), column(pair, link.to))
  const isLinked = context.dialect.equalsInFewRows(column(pair, link.from), column(alias, link.source.idColumn))
  return size && total(size, shownRows(context, link, pair).from(isLinked))
}

function ownedSize(context: QueryContext, { target, inverse, source }: Owns, alias: string): Sql | undefined {
  const inner = inside(alias)
  const size = summarySizeOf(context, target, inner)
  const isOwned = context.dialect.equalsInFewRows(column(inner, inverse.column), column(alias, source.idColumn))
  return size && total(size, shownRows(context, target, inner).from(isOwned))
}

function descendantsSize(context: QueryContext, resource: Resource, alias: string): Sql | undefined {
  const node = inside(alias)
  const size = summarySizeOf(context, resource, node, false)
  if (size === undefined) return undefined
  const { withBelow, below } = descendants(context, resource, alias)
  return sql`coalesce((${withBelow} select sum(${size}) from ${sql.id(below)} as ${sql.id(node)}), 0)`
}

/** Of all rows of a query. */
export function total(size: Sql, from: Sql): Sql {
  return sql`coalesce((select sum(${size}) ${from}), 0)`
}

function sum(sizes: readonly (Sql | undefined)[]): Sql | undefined {
  const known = sizes.filter((size) => size !== undefined)
  return known.length === 0 ? undefined : sql`(${join(known, sql` + `)})`
}
