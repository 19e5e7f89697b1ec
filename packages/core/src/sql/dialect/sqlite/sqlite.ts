import { sql } from 'kysely'
import type { IdStorage } from '../../../model/ids/id-kind.ts'
import { column, constant, join, type Sql } from '../../text/sql-text.ts'
import { ABSENT, type Dialect, hexOf, ROW_INDEX, type RowsColumn, UNSHOWN } from '../dialect.ts'
import type { ColumnsOfId, IdSql } from '../id-sql.ts'
import { bigintIdSql, integerIdSql } from './ids/integer-id-sql.ts'
import { sqliteForms } from './sqlite-forms.ts'
import { SQLITE_FUNCTIONS } from './sqlite-functions.ts'
import { isJson, sqliteValueSql } from './sqlite-value-sql.ts'

const TEXT_AFFINITIES = Object.freeze(['text', 'none'])

/** A column of the type `uuid` has the affinity NUMERIC. It keeps a UUID with hyphens, because that is not spelled like
 * a number. */
const HYPHENATED_AFFINITIES = Object.freeze([...TEXT_AFFINITIES, 'numeric'])

/** Text ids on SQLite. */
const textIdSql: IdSql = Object.freeze<IdSql>({
  ...integerIdSql,
  list: (parameter) => sql`select value as ${sql.id('id')} from json_each(${parameter})`,
  orderAsCompared: (id) => sql`${id} collate binary`,
  orderWithoutIndex: (id) => sql`${id} collate binary`,
  // JSON has no blob, which a column of SQLite may hold nevertheless.
  json: (id) => sql`json_quote(cast(${id} as text))`,
  jsonText: (id) => sql`case when ${id} is not null then json_quote(cast(${id} as text)) end`,
  fromText: (text) => text,
  columns: Object.freeze<ColumnsOfId>({
    type: 'text',
    define: (column) => column.notNull(),
    fits: Object.freeze({ id: TEXT_AFFINITIES, foreignKey: TEXT_AFFINITIES }),
  }),
  assigned: undefined,
})

/** UUIDs in text columns, which spell them in one of several ways. `shown` gives the one of JSON. */
function uuidTextSql(
  stored: (id: Sql) => Sql,
  shown: (id: Sql) => Sql,
  generated: Sql,
  affinities: readonly string[] = TEXT_AFFINITIES,
): IdSql {
  const json = (id: Sql) => sql`json_quote(${shown(sql`cast(${id} as text)`)})`
  return Object.freeze<IdSql>({
    ...textIdSql,
    typed: stored,
    inRow: stored,
    list: (parameter) => sql`select ${stored(sql`value`)} as ${sql.id('id')} from json_each(${parameter})`,
    json,
    jsonText: (id) => sql`case when ${id} is not null then ${json(id)} end`,
    text: shown,
    columns: Object.freeze<ColumnsOfId>({
      ...textIdSql.columns,
      fits: Object.freeze({ id: affinities, foreignKey: affinities }),
      define: (column, { assignedBy }) =>
        assignedBy === 'database' ? column.notNull().defaultTo(generated) : column.notNull(),
    }),
  })
}

const asItIs = (id: Sql): Sql => id

const hyphenated = (hex: Sql): Sql =>
  sql`(substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || '-' || substr(${hex}, 13, 4) || '-' || substr(${hex}, 17, 4) || '-' || substr(${hex}, 21))`

/** A random UUID (RFC 9562, version 4) in lower case. SQLite takes no subquery as the default of a column. */
function randomUuid(hyphen: Sql): Sql {
  const hex = (bytes: number) => sql.raw(`lower(hex(randomblob(${bytes})))`)
  const variant = sql`substr('89ab', 1 + (random() & 3), 1)`
  return sql`(${hex(4)} || ${hyphen} || ${hex(2)} || ${hyphen} || '4' || substr(${hex(2)}, 2) || ${hyphen} || ${variant} || substr(${hex(2)}, 2) || ${hyphen} || ${hex(6)})`
}

const lower = uuidTextSql(asItIs, asItIs, randomUuid(sql`'-'`), HYPHENATED_AFFINITIES)

/** How ids stand in the SQL of SQLite, which has no type of its own for UUIDs. */
const sqliteIds: Readonly<Record<IdStorage, IdSql>> = Object.freeze({
  integer: integerIdSql,
  bigint: bigintIdSql,
  text: textIdSql,
  value: textIdSql,
  uuid: lower,
  'uuid, lower': lower,
  'uuid, upper': uuidTextSql(
    (id) => sql`upper(${id})`,
    (id) => sql`lower(${id})`,
    sql`(upper(${randomUuid(sql`'-'`)}))`,
    HYPHENATED_AFFINITIES,
  ),
  'uuid, hex': uuidTextSql(
    (id) => sql`replace(${id}, '-', '')`,
    (id) => hyphenated(sql`lower(${id})`),
    randomUuid(sql`''`),
  ),
})

export const sqlite: Dialect = {
  // A transaction that starts as a reader and wants to write later fails at once if another process wrote meanwhile.
  begin: 'begin immediate',
  reading: { begin: 'begin', first: 'pragma query_only = on', last: 'pragma query_only = off' },
  isolation: undefined,
  hasSavepoints: true,
  checkDeferred: [],
  // It ends with the transaction.
  deferForeignKeys: sql`pragma defer_foreign_keys = on`,
  othersMayWrite: false,
  rowLocks: undefined,
  hasComparingUpdates: true,
  sendsAnswers: false,
  pipelining: undefined,

  byteLength: (column) => sql`octet_length(${column})`,
  // A column takes values of any type, whatever it has been declared as.
  jsonField(value, field) {
    switch (field.storage) {
      case 'boolean':
        return sql`case when ${value} is null then 'null' when ${value} then 'true' else 'false' end`
      case 'integer':
        return shownIf(isSafeInteger(value), value, value)
      case 'number':
        return shownIf(isFiniteNumber(value), value, sql`json_quote(${value})`)
      case 'json':
        return shownIf(isJson(value), value, value)
      case 'bytes': {
        const base64 = sql`${sql.raw(SQLITE_FUNCTIONS.base64)}(${value})`
        return sql`coalesce('"' || ${base64} || '"', case when ${value} is null then 'null' else ${MARK} end)`
      }
      case 'string':
      case 'date':
        // A blob comes behind all that is none: https://www.sqlite.org/datatype3.html#comparison_expressions
        return sql`case when ${value} >= x'' then ${MARK} else json_quote(${value}) end`
    }
  },
  jsonIfRead: (value, read, field) =>
    sql`case when ${value} is not null and ${read} is null then ${MARK} else ${sqlite.jsonField(read, field)} end`,
  jsonComputed(value, field) {
    switch (field.storage) {
      case 'json': {
        const computed = sql.id('crud_computed')
        // Otherwise SQLite would put the expression wherever its column is named.
        const once = sql`with ${computed}(value) as materialized (select ${value})`
        return sql`(${once} select ${sqlite.jsonField(sql`value`, field)} from ${computed})`
      }
      case 'integer':
      case 'number':
        return sql`json_quote(${value})`
      default:
        return sqlite.jsonField(value, field)
    }
  },
  isDifferent(value, _, { storage }, parameter) {
    if (storage === 'bytes') return sql`${value} is not unhex(${parameter})`
    const isOther = sql`${value} is not ${parameter} collate binary`
    if (storage !== 'integer' && storage !== 'number') return isOther
    // As real, the numbers that a reader of JSON has. A text must not be cast, as any text gives some number.
    return sql`(${isOther} and (typeof(${value}) <> 'integer' or cast(${value} as real) is not cast(${parameter} as real)))`
  },
  encodeCompared: (_, encoded) => encoded,
  // SQLite keeps the order of a CROSS JOIN: https://www.sqlite.org/optoverview.html#crossjoin
  joinRowByRow: (rows, source, condition) => sql`${rows} cross join ${source.joinedOn(condition)}`,
  // A query without FROM stays a query of its own: https://www.sqlite.org/optoverview.html#flattening
  computedOnce: (query) => sql`(${query})`,
  // SQLite would look at the value of a parameter that stands right behind LIMIT, and compile the statement again for
  // each execution.
  // Whole seconds have no fraction: https://www.sqlite.org/lang_datefunc.html
  momentNow: sql`cast(strftime('%s') || substr(strftime('%f'), 4) as integer)`,
  quantity: (parameter) => sql`(select ${parameter})`,
  plansWithoutValues: undefined,
  hasSearchTables: true,
  takesNullsForEqual: true,
  isFound: (id, ids) => sql`${id} in (${ids})`,
  firstOf: (rows, limit) => sql`${rows} limit ${limit}`,
  page: ({ source, conditions, order, limit, offset }) =>
    sql`select * ${source.from(...conditions)} order by ${join(order)} limit ${limit} offset ${offset}`,

  mostRowsAtOnce: 1_000,
  mostBoundInserts: 8,
  // SQLite compiles a statement again whenever a parameter changes that stands right beside `=`, as its value might
  // tell how many rows there are. That would take five times as long as the statement itself.
  compared: (parameter) => sql`(select ${parameter})`,
  ofCaller: (parameter, type) =>
    sqlite.compared(type.name === 'id' ? sqlite.ids[type.kind.stored].typed(parameter) : parameter),
  encodeValue(value, { storage, form }) {
    if (value === null || typeof storage === 'object') return value
    if (form !== undefined) return form.encode(value)
    if (storage === 'json') return JSON.stringify(value)
    if (storage === 'bytes') return hexOf(value)
    if (typeof value === 'boolean') return value ? 1 : 0
    // There is no negative zero in JSON.
    return typeof value === 'number' ? value + 0 : value
  },
  // A driver may bind every number as a float, which stays one where the column has no type of its own.
  value(parameter, { storage }) {
    if (typeof storage === 'object') return storage.inRow(parameter)
    if (storage === 'bytes') return sql`unhex(${parameter})`
    return storage === 'integer' ? sql`cast(${parameter} as integer)` : parameter
  },
  rows(parameter, { columns }, use) {
    const selected = columns.map((one, index) => sql`${valueAt(index, one)} as ${sql.id(one.name)}`)
    const own = use === 'numbered' ? sql`key as ${sql.id(ROW_INDEX)}` : sql`value as ${sql.id('crud_row')}`
    // Without the limit, SQLite may go through all of the JSON once for each row of a tenant, or of whatever else a
    // policy compares: it expects few of these, and that JSON costs nothing.
    const kept = use === 'set' || use === 'mixed' ? sql` limit -1` : sql``
    return sql`(select ${own}, ${join(selected)} from json_each(${parameter})${kept})`
  },
  encodeRows: (rows, { columns }) =>
    JSON.stringify(rows.map((row) => row.map((value, index) => encodeInRow(value, columns[index] as RowsColumn)))),
  hasColumn: (alias, one, { columns }) =>
    sql`${column(alias, 'crud_row')} -> ${sql.raw(String(columns.indexOf(one)))} <> '{}'`,

  lastDrawn: ({ inDatabase }) =>
    sql`select seq as ${sql.id('drawn')} from sqlite_sequence where name = ${constant(inDatabase)}`,
  writersOf: undefined,
  isView: ({ inDatabase }) =>
    sql`select 1 as one from sqlite_master where type = 'view' and name = ${constant(inDatabase)} collate nocase`,
  sequences: sql`select 1 as one from sqlite_master where name = 'sqlite_sequence'`,
  ids: sqliteIds,
  forms: sqliteForms,
  values: sqliteValueSql,
}

/** {@link UNSHOWN} */
const MARK = sql`char(${sql.lit(UNSHOWN.charCodeAt(0))})`

function shownIf(canBeShown: Sql, value: Sql, json: Sql): Sql {
  return sql`case when ${canBeShown} then ${json} when ${value} is null then 'null' else ${MARK} end`
}

/** Any text or blob is greater than any number. With the plus, the column has no type of its own, which the numbers
 * would take. */
function isFiniteNumber(value: Sql): Sql {
  const greatest = sql.raw(String(Number.MAX_VALUE))
  return sql`+${value} between -${greatest} and ${greatest}`
}

/** A whole number is one, however it is stored: `2.0` is 2 in JSON. */
function isSafeInteger(value: Sql): Sql {
  const greatest = sql.raw(String(Number.MAX_SAFE_INTEGER))
  return sql`+${value} between -${greatest} and ${greatest} and ${value} = cast(${value} as integer)`
}

/** An absent value is `{}`, which no other value of a row is: JSON values are wrapped. */
function encodeInRow(value: unknown, { storage, form }: RowsColumn): unknown {
  if (value === ABSENT) return {}
  if (form !== undefined && value !== null) return form.encode(value)
  if (storage === 'bytes' && value !== null) return hexOf(value)
  return storage === 'json' && value !== null ? [value] : value
}

function valueAt(index: number, { storage }: RowsColumn): Sql {
  const value = sql.raw(`value ->> ${index}`)
  if (typeof storage === 'object') return storage.inRow(value)
  if (storage === 'bytes') return sql`unhex(${value})`
  if (storage !== 'json') return value
  return sql.raw(`value -> '$[${index}][0]'`)
}
