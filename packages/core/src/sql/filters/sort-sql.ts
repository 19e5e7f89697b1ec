import { sql } from 'kysely'
import { LONGEST_TEXT, NOT_IN_CURSOR } from '../../asking/cursor.ts'
import { idsComparedWith } from '../../asking/operand.ts'
import { scalarTypeOf } from '../../asking/scalar-type.ts'
import type { SortKey } from '../../asking/sort-key.ts'
import type { Relation, Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { computesDecimals } from '../dialect/sqlite/sqlite-functions.ts'
import type { ValueType } from '../dialect/value-sql.ts'
import { jsonIdOrNull } from '../reads/json-text.ts'
import { placeAmongLinks } from '../rows/path-condition.ts'
import { alongPath, relatedRows } from '../rows/related-rows.ts'
import { formOf } from '../text/field-column.ts'
import { comparedIdSlot, idSlot, idSqlOf, rowId } from '../text/member-id-sql.ts'
import { column, constant, join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { comparedType } from './compared-type.ts'
import { heldBy, valueSql } from './filter-sql.ts'

/** One of the expressions that rows are sorted by. */
export interface SortSql {
  readonly value: Sql
  readonly isDescending: boolean
  /** Whether the record may have no value: ORDER BY says that such rows come last. */
  readonly isNullable: boolean
  /** Where rows come for which the expression is null. */
  readonly nulls: 'none' | 'first' | 'last'
  /** Whether a cursor has {@link NOT_IN_CURSOR} in place of the value. */
  readonly isInNoCursor: Sql
  /** What stands beside the value to compare it with one that a cursor has in a slot. */
  parameter(slotName: string): Sql
}

/** What rows are sorted by, and what of it a cursor has. */
export interface Sorting {
  readonly keys: readonly SortSql[]
  /** JSON: the values of the sort keys, and the id. */
  readonly cursor: readonly Sql[]
}

/**
 * What rows are sorted by. The parts of the id come last, so that no two rows are equal, in the direction of the last
 * key. Without ids, all values come last: rows that are equal in these look the same.
 */
export function sortSql(context: QueryContext, resource: Resource, sort: readonly SortKey[], alias: string): Sorting {
  const keys = sort.map(({ by, isDescending }) => {
    const value = sortedBy(context, by, alias)
    return { value, isDescending, ...nullsOf(context, by, isDescending), ...inCursor(context, by, value) }
  })
  const isDescending = sort.at(-1)?.isDescending ?? false
  if (!resource.hasId) return { keys: [...keys, ...wholeRow(context, resource, isDescending, alias)], cursor: [] }
  const id = rowId(resource, alias)
  const ofId = partsOf(id).map(
    (value, index): SortSql => ({
      value,
      isDescending,
      isNullable: false,
      nulls: 'none',
      isInNoCursor: sql`false`,
      parameter: (slotName) => partsOf(comparedIdSlot(context, resource, slotName))[index] as Sql,
    }),
  )
  return { keys: [...keys, ...ofId], cursor: [...keys.map(({ json }) => json), idSqlOf(context, resource).json(id)] }
}

/** All that the caller sees of a row itself. No two rows that differ in it are equal. */
function wholeRow(
  context: QueryContext,
  { members }: Resource,
  isDescending: boolean,
  alias: string,
): readonly SortSql[] {
  return members.flatMap((member) => {
    if (member.kind === 'field' && !context.fieldRights.sees(member)) return []
    const type = scalarTypeOf(member)
    const isOrdered = type !== undefined && (type !== 'decimal' || computesDecimals(context.db))
    const operand = { kind: 'member', member, type } as const
    const value = isOrdered
      ? ownValue(context, { kind: 'value', relations: [], operand, isLowered: false }, alias)
      : context.dialect.values.text(column(alias, member.column), 'string')
    const nulls = member.nullable ? 'last' : 'none'
    return [
      { value, isDescending, isNullable: member.nullable, nulls, isInNoCursor: sql`false`, parameter: () => value },
    ]
  })
}

/** `json`: the value as it stands in a cursor. */
type InCursor = Pick<SortSql, 'isInNoCursor' | 'parameter'> & { readonly json: Sql }

function nullsOf(
  context: QueryContext,
  by: SortKey['by'],
  isDescending: boolean,
): Pick<SortSql, 'isNullable' | 'nulls'> {
  if (mayBeNull(by)) return { isNullable: true, nulls: 'last' }
  if (!context.dialect.values.isPartlyOrdered(typeOf(context, by), hasForm(context, by)))
    return { isNullable: false, nulls: 'none' }
  // `nulls last` would keep SQLite from sorting by an index whose first columns are others. Without it, null is less
  // than any value.
  return { isNullable: false, nulls: isDescending ? 'last' : 'first' }
}

function inCursor(context: QueryContext, by: SortKey['by'], value: Sql): InCursor {
  const ids = by.kind === 'value' ? idsComparedWith(by.operand) : undefined
  if (ids !== undefined) {
    const ofIds = idSqlOf(context, ids.of, ids.form)
    const parameter = (slotName: string) =>
      context.dialect.compared(ofIds.orderAsCompared(idSlot(context, ids.of, slotName, ids.form)))
    return { isInNoCursor: sql`false`, json: jsonIdOrNull(ofIds, value), parameter }
  }
  const { printed, reread } = context.dialect.values
  const type = typeOf(context, by)
  return {
    isInNoCursor: isInNoCursor(context, value, printed(value, type), type),
    json: textJson(context, value, type),
    parameter: (slotName) => reread(slot(slotName), type),
  }
}

function hasForm(context: QueryContext, by: SortKey['by']): boolean {
  if (by.kind !== 'value' || by.operand.kind !== 'member' || by.operand.member.kind !== 'field') return false
  return formOf(context, by.operand.member) !== undefined
}

function typeOf(context: QueryContext, by: SortKey['by']): ValueType {
  if (by.kind !== 'value') return 'integer'
  return by.isLowered ? 'string' : comparedType(context, by.operand)
}

/** A value that is not an id, in JSON: null, its text, or {@link NOT_IN_CURSOR}. */
function textJson(context: QueryContext, value: Sql, type: ValueType): Sql {
  const { printed, jsonOfText } = context.dialect.values
  const [given, text] = [column(VALUE, 'given'), column(PRINTED, 'text')]
  const json = sql`case when ${text} is null then 'null' when ${isInNoCursor(context, column(PRINTED, 'given'), text, type)} then ${constant(JSON.stringify(NOT_IN_CURSOR))} else ${jsonOfText(text)} end`
  const texts = sql`select ${given}, ${printed(given, type)} as ${sql.id('text')} from (select ${value} as ${sql.id('given')}) as ${sql.id(VALUE)}`
  return sql`(select ${json} from (${texts}) as ${sql.id(PRINTED)})`
}

function isInNoCursor({ dialect }: QueryContext, value: Sql, text: Sql, type: ValueType): Sql {
  const isLong = sql`octet_length(${text}) > ${sql.lit(LONGEST_TEXT)}`
  const isOther = dialect.values.isOfOtherType(value, type)
  return isOther === undefined ? isLong : sql`(${isOther} or ${isLong})`
}

const VALUE = 'crud_value'
const PRINTED = 'crud_printed'

type Ordering = Pick<SortSql, 'value' | 'isDescending' | 'isNullable'>

/** ` order by …`; nothing for rows of which nothing is shown that could tell one from another. */
export function orderedBy(keys: readonly Ordering[]): Sql {
  return keys.length === 0 ? sql`` : sql` order by ${join(orderBy(keys))}`
}

/** What stands behind ORDER BY. */
export function orderBy(keys: readonly Ordering[]): readonly Sql[] {
  return keys.map(({ value, isDescending, isNullable }) => {
    const directed = isDescending ? sql`${value} desc` : value
    return isNullable ? sql`${directed} nulls last` : directed
  })
}

/** The value that records are sorted by. */
export function sortedBy(context: QueryContext, by: SortKey['by'], alias: string): Sql {
  if (by.kind === 'value') return alongPath(context, by.relations, alias, (far) => ownValue(context, by, far))
  if (by.kind === 'place') return placeAmongLinks(context, by.from, alias)
  const counted = by.relations.at(-1) as Relation
  const toOne = by.relations.slice(0, -1)
  const count = alongPath(context, toOne, alias, (far) => relatedRows(context, counted, far).count)
  // A record that is not there has none of them.
  return toOne.length === 0 ? count : sql`coalesce(${count}, 0)`
}

function ownValue(
  context: QueryContext,
  { operand, isLowered }: Extract<SortKey['by'], { kind: 'value' }>,
  alias: string,
): Sql {
  const ids = idsComparedWith(operand)
  if (ids !== undefined) {
    return idSqlOf(context, ids.of, ids.form).orderAsCompared(heldBy(context, operand, alias))
  }
  const {
    dialect: { values },
    comparing: { foldsAll, printsIso },
  } = context
  const value = valueSql(context, operand, alias)
  const type = comparedType(context, operand)
  if (isLowered) return values.ordered(values.lower(values.text(value, type), foldsAll), 'string', printsIso)
  return operand.kind === 'json' && type !== 'string' ? value : values.ordered(value, type, printsIso)
}

function mayBeNull(by: SortKey['by']): boolean {
  if (by.kind !== 'value') return by.kind === 'place'
  return by.relations.length > 0 || isOptional(by.operand)
}

function isOptional(operand: Extract<SortKey['by'], { kind: 'value' }>['operand']): boolean {
  if (operand.kind !== 'member') return operand.kind === 'json'
  const { member } = operand
  // An expression may be null whatever its schema says.
  return member.nullable || (member.kind === 'computed' && member.value.kind === 'expression')
}
