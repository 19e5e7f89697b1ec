import { sql } from 'kysely'
import type { Field } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { idSqlOf } from '../id-sql-of.ts'
import { shownRows } from '../shown-rows.ts'
import { column, join, type Sql } from '../sql-text.ts'
import { descendants, fromOwned, inside, linksOf } from './record-json.ts'
import type { SelectedProperty, Selection } from './selection.ts'

/**
 * How many bytes the texts of related records take in a record, at least; undefined where none of them can be long.
 *
 * What a record owns is stored once for each time that it is shown. A related record is stored once and shown by all that name
 * it: a body of 1 kB can ask for 100 MB. Databases know the size of a text without reading it, so this is known before the JSON
 * is built, which would take them seconds, and SQLite would block the service with it. It costs about a quarter of the query.
 */
export function summarySizeOf(
  context: QueryContext,
  { properties }: Selection,
  alias: string,
  withDescendants = true,
): Sql | undefined {
  const counted = withDescendants ? properties : properties.filter(({ kind }) => kind !== 'descendants')
  return sum(counted.map((property) => sizeOfProperty(context, property, alias)))
}

function sizeOfProperty(context: QueryContext, property: SelectedProperty, alias: string): Sql | undefined {
  switch (property.kind) {
    case 'field':
    case 'foreignKey':
    case 'children':
      return undefined
    case 'reference': {
      const { record, reference } = property
      const size = sizeById(context, record, inside(alias), column(alias, reference.column))
      return size && sql`coalesce(${size}, 0)`
    }
    case 'link': {
      const { from, to } = linksOf(context, property.link, alias)
      const size = property.records && sizeById(context, property.records, inside(alias), to)
      return size && total(size, from)
    }
    case 'owned': {
      const size = summarySizeOf(context, property.records, inside(alias))
      return size && total(size, fromOwned(context, property.owns, alias))
    }
    case 'descendants':
      return descendantsSize(context, property.records, alias)
  }
}

/** A query of the size of the related record that has an id. */
function sizeById(context: QueryContext, { resource, properties }: Selection, alias: string, id: Sql): Sql | undefined {
  const size = sum(properties.map((one) => (one.kind === 'field' ? fieldSize(context, one.field, alias) : undefined)))
  const hasId = idSqlOf(context, resource).equalsByIndex(column(alias, resource.idColumn), id)
  return size && sql`(select ${size} ${shownRows(context, resource, alias).from(hasId)})`
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

function descendantsSize(context: QueryContext, records: Selection, alias: string): Sql | undefined {
  const node = inside(alias)
  const size = summarySizeOf(context, records, node)
  if (size === undefined) return undefined
  const { withBelow, below } = descendants(context, records.resource, alias)
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
