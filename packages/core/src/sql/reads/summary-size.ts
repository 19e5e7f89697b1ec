import { sql } from 'kysely'
import type { SelectedProperty, Selection } from '../../asking/select/selection.ts'
import type { Computed, Field } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { singleValueSql } from '../filters/computed-sql.ts'
import { inside } from '../rows/path-condition.ts'
import { relatedRows } from '../rows/related-rows.ts'
import { visibleRows } from '../rows/visible-rows.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { column, combined, type Sql } from '../text/sql-text.ts'
import { fromChosen } from './listed-rows.ts'
import { type Descendants, descendants, fromOwned, linksOf } from './record-json.ts'

/**
 * How many bytes the texts of related records take in a record, at least; undefined where none of them can be long.
 *
 * What a record owns is stored once for each time that it is shown. A related record is stored once and shown by all
 * that name it: a body of 1 kB can ask for 100 MB. Databases know the size of a text without reading it, so this is
 * known before the JSON is built, which would take them seconds, and SQLite would block the service with it. It costs
 * about a quarter of the query.
 */
export function summarySizeOf(
  context: QueryContext,
  { properties }: Selection,
  alias: string,
  withDescendants = true,
): Sql | undefined {
  const counted = withDescendants ? properties : properties.filter(({ kind }) => kind !== 'descendants')
  return sum(counted.map((property) => sizeOfProperty(context, property, alias, false)))
}

/** `isShared`: several records may show this one. */
function sizeOfProperty(
  context: QueryContext,
  property: SelectedProperty,
  alias: string,
  isShared: boolean,
): Sql | undefined {
  const inner = inside(alias)
  switch (property.kind) {
    case 'field':
      return isShared ? valueSize(context, property.field, alias) : undefined
    case 'computed':
      return isShared ? valueSize(context, property.computed, alias) : undefined
    case 'foreignKey':
    case 'children':
    case 'count':
      return undefined
    case 'reference': {
      const { record, reference } = property
      const size = sizeById(context, record, inner, column(alias, reference.column))
      return size && sql`coalesce(${size}, 0)`
    }
    case 'link': {
      const { from, to } = linksOf(context, property.link, alias)
      const size = property.records && sizeById(context, property.records, inner, to)
      return size && total(size, from)
    }
    case 'owned': {
      const size = sizeOfAll(context, property.records, inner, isShared)
      return size && total(size, fromOwned(context, property.owns, alias))
    }
    case 'descendants':
      return descendantsSize(context, property, alias, isShared)
    case 'single': {
      const size = sizeOfAll(context, property.record, inner, true)
      return size && total(size, relatedRows(context, property.relation, alias).from())
    }
    case 'chosen': {
      const size = sizeOfAll(context, property.records, inner, isShared || property.relation.kind !== 'owns')
      return size && total(size, fromChosen(context, property, alias))
    }
  }
}

function sizeOfAll(
  context: QueryContext,
  { properties }: Selection,
  alias: string,
  isShared: boolean,
): Sql | undefined {
  return sum(properties.map((property) => sizeOfProperty(context, property, alias, isShared)))
}

/** A query of the size of the related record that has an id. */
function sizeById(context: QueryContext, selection: Selection, alias: string, id: Sql): Sql | undefined {
  const { resource } = selection
  const size = sizeOfAll(context, selection, alias, true)
  const hasId = idSqlOf(context, resource).equalsByIndex(rowId(resource, alias), id)
  return size && sql`(select ${size} ${visibleRows(context, resource, alias).from(hasId)})`
}

/** Shorter texts do not count: they multiply a body by a few hundred at most. */
const SHORT = 1_000

function valueSize(context: QueryContext, value: Field | Computed, alias: string): Sql | undefined {
  const { storage, schema } = value
  if (storage !== 'string' && storage !== 'bytes' && storage !== 'json') return undefined
  const isShort = schema.enum !== undefined || 'const' in schema || Number(schema.maxLength) <= SHORT
  if (storage !== 'json' && isShort) return undefined
  return sql`coalesce(${context.dialect.byteLength(singleValueSql(context, value, alias))}, 0)`
}

function descendantsSize(
  context: QueryContext,
  { records, through }: Descendants,
  alias: string,
  isShared: boolean,
): Sql | undefined {
  const node = inside(alias)
  const size = sizeOfAll(context, records, node, isShared)
  if (size === undefined) return undefined
  const { withBelow, below } = descendants(context, records.resource, through, alias)
  return sql`coalesce((${withBelow} select sum(${size}) from ${sql.id(below)} as ${sql.id(node)}), 0)`
}

/** Of all rows of a query. */
export function total(size: Sql, from: Sql): Sql {
  return sql`coalesce((select sum(${size}) ${from}), 0)`
}

function sum(sizes: readonly (Sql | undefined)[]): Sql | undefined {
  const known = sizes.filter((size) => size !== undefined)
  return known.length === 0 ? undefined : sql`(${combined(known, sql` + `)})`
}

/** The highest limit that can be set, in bytes: a string of V8 holds twice as many characters. */
export const HIGHEST_MAX_ANSWER = 256 * 1024 * 1024

/** Stands for an answer that is too large. No JSON object begins like this. */
export const TOO_LARGE = sql`'too large'`

/**
 * A query that gives JSON in its column `json`, or {@link TOO_LARGE} if the JSON is larger than an answer may be.
 * `summarySize` is the part of the size that is known before the JSON is built; `from` is the rest of the query, from
 * its FROM on.
 */
export function answerQuery(
  { dialect, maxAnswer }: QueryContext,
  json: Sql,
  summarySize: Sql | undefined,
  from: Sql = sql``,
): Sql {
  const most = sql.lit(maxAnswer)
  const answer =
    summarySize === undefined ? json : sql`case when ${summarySize} > ${most} then ${TOO_LARGE} else ${json} end`
  if (!dialect.sendsAnswers) return sql`select ${answer} as json ${from}`
  const text = sql`${sql.id('crud_answer')}.json`
  // With the offset PostgreSQL builds the JSON once. Without it, it would build it twice: to measure it, and to send
  // it.
  return sql`select case when octet_length(${text}) > ${most} then ${TOO_LARGE} else ${text} end as json from (select ${answer} as json ${from} offset 0) as ${sql.id('crud_answer')}`
}
