import { type ColumnDefinitionBuilder, sql } from 'kysely'
import type { Id, IdKind } from '../../../../model/ids/id-kind.ts'
import { constant, type Sql, type Table } from '../../../text/sql-text.ts'
import type { AssignedIds, ColumnsOfId, IdSql } from '../../id-sql.ts'
import type { PostgresEngine } from '../engine.ts'
import { hideFromPlanner } from '../type-of.ts'

const INTEGER_TYPES = Object.freeze(['int2', 'int4', 'int8'])

/** What engines may lack that concerns the ids that the database counts. */
export type CountingFacts = Pick<PostgresEngine, 'advisoryLocks' | 'identityColumns'>

function assignedOn({ advisoryLocks }: CountingFacts): AssignedIds {
  return Object.freeze<AssignedIds>({
    overriding: sql` overriding system value`,
    isReturned: true,
    // As strings: JavaScript would round large numbers. The subquery looks the sequence up once, and not for each id.
    reserve: (table, idColumn, count) =>
      sql`(select '["' || string_agg(nextval((select ${sequenceOf(table, idColumn)}::regclass))::text, '","') || '"]' from generate_series(1, ${count}::int))`,
    toReserved: (ids) => (ids as string[]).map(Number).sort((first, second) => first - second),
    floorAbove: (chosen) => Math.max(0, ...(chosen as number[])),
    skip(table, idColumn, id) {
      const sequence = sql`${sequenceOf(table, idColumn)}::regclass`
      const start = sql`(select seqstart - 1 from pg_sequence where seqrelid = ${sequence})`
      const behind = sql`${id}::bigint - coalesce(pg_sequence_last_value(${sequence}), ${start})`
      const catchUp = sql`(select max(nextval(${sequence})) from generate_series(1, ${behind}))`
      const isNear = sql`${behind} <= ${sql.lit(NEAR)}`
      const jump = sql`setval(${sequence}, ${id}::bigint)`
      // Without the lock, two that jump at once may take the sequence back. The inserts that meet a taken id then are
      // tried again.
      if (!advisoryLocks) return sql`select case when ${isNear} then ${catchUp} else ${jump} end`
      const lock = sql`pg_advisory_xact_lock(${sql.lit(SEQUENCE_LOCK)}, ${sequence}::oid::int)`
      return sql`select case when ${isNear} then ${catchUp} when ${lock} is null then null when ${isNear} then ${catchUp} else ${jump} end`
    },
    highest: (idColumn, rows) => sql`(select coalesce(max(${sql.id(idColumn)}), 0) ${rows.from()})`,
  })
}

/** Integer ids on PostgreSQL. */
export const integerIdSqlOn = (facts: CountingFacts): IdSql =>
  Object.freeze<IdSql>({
    typed: (value) => sql`${value}::bigint`,
    inRow: (value) => value,
    list: (parameter) => sql`select unnest(${hideFromPlanner(sql`${parameter}::bigint[]`)}) as ${sql.id('id')}`,
    encodeList: (ids) => `{${ids.join(',')}}`,
    // The planner would read a small table from end to end for each of many ids. This condition makes each row that it
    // reads look expensive, so it uses the index. As hardly any id is below 1, the expensive half is hardly ever
    // computed.
    equalsByIndex: (column, id) => sql`${column} = ${id} and (${column} > 0 or ${EXPENSIVE_TRUE})`,
    // The planner assumes that an expression equals a value in one of 200 rows. Without this, a record that owns others
    // looks so expensive that PostgreSQL compiles the statement (JIT) at each execution.
    equalsInFewRows: (column, id) => sql`${column} = ${id} and ${column} + 0 = ${id}`,
    order: (id) => id,
    orderAsCompared: (id) => id,
    // Where each row costs much, all ways to the rows look equally expensive to the planner. It would take the one that
    // needs no sorting: through the whole table, in the order of its ids.
    orderWithoutIndex: (id) => sql`${id} + 0`,
    last: (id) => sql`max(${id})`,
    // An integer is concatenated as its digits.
    json: (id) => id,
    jsonText: (id) => sql`cast(${id} as text)`,
    text: (id) => sql`${id}::text`,
    fromText: Number,
    columns: columnsOn(facts),
    assigned: assignedOn(facts),
  })

function columnsOn({ identityColumns }: CountingFacts): ColumnsOfId {
  const counts = (column: ColumnDefinitionBuilder, { assignedBy }: IdKind) =>
    assignedBy === 'database' ? column.generatedByDefaultAsIdentity() : column
  return Object.freeze<ColumnsOfId>({
    type: 'bigint',
    ...(!identityColumns && { countedType: 'bigserial' }),
    define: identityColumns ? counts : (column) => column,
    fits: Object.freeze({ id: INTEGER_TYPES, foreignKey: INTEGER_TYPES }),
  })
}

/** The same, as strings of digits. */
export const bigintIdSqlOn = (facts: CountingFacts): IdSql =>
  Object.freeze<IdSql>({
    ...integerIdSqlOn(facts),
    json: (id) => sql`('"' || ${id} || '"')`,
    jsonText: (id) => sql`('"' || ${id} || '"')`,
    fromText: (text) => text,
    columns: Object.freeze<ColumnsOfId>({
      ...columnsOn(facts),
      fits: Object.freeze({ id: Object.freeze(['int8']), foreignKey: Object.freeze(['int8']) }),
    }),
    assigned: Object.freeze<AssignedIds>({
      ...assignedOn(facts),
      floorAbove: () => 0,
      toReserved: (ids) => (ids as Id[]).sort((first, second) => (BigInt(first) < BigInt(second) ? -1 : 1)),
    }),
  })

/**
 * A sequence that is at most so far behind a chosen id catches up by `nextval`, which only goes forward, so other
 * creates can take the ids in between at the same time. A sequence that is further behind is set by `setval`, because
 * each `nextval` costs 3 µs. `setval` could take it back only if others took more ids than this between two expressions
 * of one statement. Their inserts would then be tried again.
 */
const NEAR = 32

/** Any number will do that nobody else locks: "fcri" in ASCII. */
const SEQUENCE_LOCK = 0x66637269

/**
 * The sequence that the column owns, or else that of its default: `pg_dump` and some tools leave sequences without an
 * owner. The second query runs only if it is needed.
 */
function sequenceOf(table: Table, idColumn: string): Sql {
  const [name, column] = [constant(table.text), constant(idColumn)]
  return sql`coalesce(pg_get_serial_sequence(${name}, ${column}), (${sequenceOfDefault(sql`${name}::regclass`, column)}))`
}

/** A query for the name of the sequence of a column's default; without a row if there is none. */
export function sequenceOfDefault(table: Sql, column: Sql): Sql {
  return sql`select s.oid::regclass::text from pg_attrdef f join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid join pg_class s on d.refclassid = 'pg_class'::regclass and s.oid = d.refobjid and s.relkind = 'S' where f.adrelid = ${table} and a.attname = ${column} limit 1`
}

/** True, and the planner takes it for 100 times the cost of a comparison. */
export const EXPENSIVE_TRUE = sql`pg_catalog.to_tsvector('') is not null`
