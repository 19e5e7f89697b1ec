import { sql } from 'kysely'
import {
  type Comparison,
  type Condition,
  comparisonsIn,
  matchesAll,
  operandShape,
  type Union,
  unionsIn,
} from '../../asking/condition.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import { elementTypeOf, idsComparedWith, type Operand } from '../../asking/operand.ts'
import type { ElementType } from '../../asking/scalar-type.ts'
import { nestedRows } from '../../asking/select/contents.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { isForeignKey } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { IdSql } from '../dialect/id-sql.ts'
import type { ValueType } from '../dialect/value-sql.ts'
import { inside } from '../rows/path-condition.ts'
import { relatedRows } from '../rows/related-rows.ts'
import { comparedField } from '../text/field-column.ts'
import { comparedIdSlot, idSqlOf, rowId } from '../text/member-id-sql.ts'
import { column, combined, join, partsOf, type Sql, slot } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { comparedType } from './compared-type.ts'
import { singleValueSql } from './computed-sql.ts'
import { loweredOnce } from './lowered-once.ts'
import { candidatesInTable, matchedBy } from './search-candidates.ts'

/**
 * A condition as SQL that is true for the rows that match it. {@link valuesOf} has the values of its slots. `path`:
 * tells the slots of the conditions of one query apart. `whole`: the condition that it is a part of, and whose slots it
 * has.
 */
export function filterSql(
  context: QueryContext,
  condition: Condition,
  alias: string,
  path = '',
  whole = condition,
): Sql {
  const comparisons = comparisonsIn(whole)
  const slotOf = (one: Comparison) => `${path}#${comparisons.indexOf(one)}`
  const compileRow = (ofRow: Condition, on: string): Sql => {
    const { operands, withThem, others } = loweredOnce(ofRow)
    if (operands.size === 0) return compile(ofRow, on, NONE_LOWERED)
    const names = new Map([...operands.keys()].map((shape, index) => [shape, column(`${on}f`, `crud_lower${index}`)]))
    const columns = [...operands].map(
      ([, operand], index) =>
        sql`${lowerSql(context, valueSql(context, operand, on), comparedType(context, operand))} as ${sql.id(`crud_lower${index}`)}`,
    )
    const withLowered = allOf(withThem.map((one) => compile(one, on, names)))
    const once = context.dialect.computedOnce(sql`select ${join(columns)}`)
    return allOf([
      ...others.map((one) => compile(one, on, NONE_LOWERED)),
      sql`(select ${withLowered} from ${once} as ${sql.id(`${on}f`)})`,
    ])
  }
  const compile = (one: Condition, on: string, lowered: Lowered): Sql => {
    switch (one.kind) {
      case 'all': {
        const unions = context.comparing.findsParts ? one.conditions.filter((inner) => inner.kind === 'union') : []
        const others = one.conditions.filter((inner) => !unions.includes(inner as Union))
        const found = unions.length === 0 ? [] : [isFoundIn(unions, on)]
        return allOf([...found, ...others.map((inner) => compile(inner, on, lowered))])
      }
      case 'any':
        return joined(
          one.conditions.map((inner) => compile(inner, on, lowered)),
          sql` or `,
        )
      case 'union':
        if (!context.comparing.findsParts) return compile({ kind: 'any', conditions: one.conditions }, on, lowered)
        return isFoundIn([one], on)
      case 'not':
        return sql`(${compile(one.condition, on, lowered)}) is not true`
      case 'some': {
        const related = relatedRows(context, one.relation, on)
        return related.isRelated(...(matchesAll(one.condition) ? [] : [compileRow(one.condition, related.alias)]))
      }
      case 'compare':
        return comparisonSql(context, one, on, slotOf(one), lowered)
    }
  }
  /** A query of the ids of a union's rows. */
  const rowsIn = ({ resource, conditions }: Union, row: string): Sql => {
    const found = conditions.map((inner) => {
      const inTable = candidatesInTable(context, resource, row, inner, matchOf(path, whole, inner))
      const isCandidate = inTable === undefined ? [] : [sql`${inTable.id} in (${inTable.ids})`]
      const ids = join(partsOf(rowId(resource, row)))
      return sql`select ${ids} ${storedRows(context, resource, row).from(...isCandidate, compileRow(inner, row))}`
    })
    return join(found, sql` union all `)
  }
  // With a list of ids for each union, PostgreSQL before 17 would search one of them for each row of another.
  const isFoundIn = (unions: readonly Union[], on: string): Sql => {
    const [{ resource }] = unions as readonly [Union, ...Union[]]
    const rows = unions.map((one) => rowsIn(one, inside(on)))
    const named = (one: Sql, index: number) => sql`select * from (${one}) as ${sql.id(`crud_word${index}`)}`
    const inAll = rows.length === 1 ? rows : rows.map(named)
    return context.dialect.isFound(rowId(resource, on), join(inAll, sql` intersect `))
  }
  return compileRow(condition, alias)
}

/** The lower case of values that is there already, by {@link operandShape}. */
type Lowered = ReadonlyMap<string, Sql>

const NONE_LOWERED: Lowered = new Map()

function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : joined(conditions, sql` and `)
}

function joined(conditions: readonly Sql[], separator: Sql): Sql {
  return conditions.length === 1 ? (conditions[0] as Sql) : sql`(${combined(conditions, separator)})`
}

function lowerSql({ dialect: { values }, comparing }: QueryContext, text: Sql, type: ValueType): Sql {
  return values.lower(values.text(text, type), comparing.foldsAll)
}

function comparisonSql(
  context: QueryContext,
  { operand, comparator }: Comparison,
  alias: string,
  slotName: string,
  lowered: Lowered,
): Sql {
  const given = slot(slotName)
  if (comparator === 'present') return isPresent(context, operand, alias)
  const ids = idsComparedWith(operand)
  if (ids !== undefined) {
    const id = heldBy(context, operand, alias)
    return comparator === 'in'
      ? sql`${id} in (${idSqlOf(context, ids.of, ids.form).list(given)})`
      : sql`${id} ${OPERATORS[comparator as Ordering]} ${comparedIdSlot(context, ids.of, slotName, ids.form)}`
  }
  const {
    dialect: { values },
    comparing: { printsIso },
  } = context
  if (comparator === 'has') return hasElement(context, operand, alias, given)
  const type = comparedType(context, operand)
  const isInJson = operand.kind === 'json'
  const value = valueSql(context, operand, alias)
  const equal = isInJson ? value : values.equal(value, type, printsIso)
  const ordered = isInJson && type !== 'string' ? value : values.ordered(value, type, printsIso)
  const parameter = values.parameter(given, type)
  const text = () => values.text(value, type)
  const lower = () => lowered.get(operandShape(operand)) ?? lowerSql(context, value, type)
  // As a subquery, it is made once, and not for each row.
  const lowerGiven = () => sql`(select ${lowerSql(context, given, 'string')})`
  switch (comparator) {
    case 'eq':
      return sql`${equal} = ${parameter}`
    case 'in':
      return values.isAmong(equal, given, type)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return sql`${ordered} ${OPERATORS[comparator]} ${parameter}`
    case 'startsWith':
      return sql`(${ordered} >= ${parameter} and ${ordered} < ${values.parameter(slot(endOf(slotName)), type)})`
    case 'contains':
      return values.contains(text(), values.text(parameter, 'string'))
    case 'endsWith':
      return values.endsWith(text(), values.text(parameter, 'string'))
    case 'icontains':
      return values.contains(lower(), lowerGiven())
    case 'occurs':
      return values.occurs(lower(), lowerGiven())
    case 'istartsWith':
      return values.startsWith(lower(), lowerGiven())
    case 'iendsWith':
      return values.endsWith(lower(), lowerGiven())
  }
}

function hasElement(context: QueryContext, operand: Operand, alias: string, given: Sql): Sql {
  const type = elementTypeOf(operand) as ElementType
  return context.dialect.values.hasElement(heldBy(context, operand, alias), given, type, listType(context, operand))
}

/** The type of a column that holds arrays; undefined where it is not known. */
function listType({ learnedTypes }: QueryContext, operand: Operand): string | undefined {
  if (operand.kind !== 'member' || operand.member.kind !== 'field') return undefined
  const learned = learnedTypes.typeOf(operand.member)
  return typeof learned === 'object' && 'array' in learned ? learned.array : 'jsonb'
}

type Ordering = keyof typeof OPERATORS

const OPERATORS = { eq: sql`=`, lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const

export function isPresent(context: QueryContext, operand: Operand, alias: string): Sql {
  const value = heldBy(context, operand, alias)
  const { values } = context.dialect
  if (operand.kind === 'json') return values.isInJson(value, operand.keys)
  const isJson = operand.kind === 'member' && !isForeignKey(operand.member) && operand.member.storage === 'json'
  // No part of an id is null.
  return isJson ? values.isInJson(value, []) : sql`${partsOf(value)[0]} is not null`
}

/** The value of an operand in the row of an alias. */
export function valueSql(context: QueryContext, operand: Operand, alias: string): Sql {
  if (operand.kind === 'member' && operand.member.kind === 'field') return comparedField(context, operand.member, alias)
  const value = heldBy(context, operand, alias)
  if (operand.kind !== 'json') return value
  return context.dialect.values.inJson(value, operand.keys, operand.type as ValueType)
}

/** The value that an operand is, or that it is inside of. */
export function heldBy(context: QueryContext, operand: Operand, alias: string): Sql {
  switch (operand.kind) {
    case 'id':
      return rowId(operand.resource, alias, operand.form)
    case 'member':
      return singleValueSql(context, operand.member, alias)
    case 'json':
      return singleValueSql(context, operand.field, alias)
    case 'aggregate':
      return column(alias, operand.column)
  }
}

function idSqlIn(context: QueryContext, operand: Operand): IdSql | undefined {
  const ids = idsComparedWith(operand)
  return ids && idSqlOf(context, ids.of, ids.form)
}

/** The values of the slots of all conditions of a query. */
export function valuesOf(
  context: QueryContext,
  { condition, contents }: Partial<Pick<ListQuery, 'condition' | 'contents'>>,
): Readonly<Record<string, unknown>> {
  const own = condition === undefined ? {} : filterValues(context, condition)
  if (contents === undefined) return own
  const nested = [...nestedRows(contents)].map(([path, rows]) => filterValues(context, rows.condition, path))
  return Object.assign({}, own, ...nested)
}

/** The values of the slots of {@link filterSql}. */
export function filterValues(
  context: QueryContext,
  condition: Condition,
  path = '',
): Readonly<Record<string, unknown>> {
  const { values } = context.dialect
  const found: Record<string, unknown> = {}
  for (const [number, { operand, comparator, value }] of comparisonsIn(condition).entries()) {
    if (comparator === 'present') continue
    const ids = idSqlIn(context, operand)
    const type = elementTypeOf(operand) ?? comparedType(context, operand)
    const isList = comparator === 'in'
    const name = `${path}#${number}`
    if (ids !== undefined) found[name] = isList ? ids.encodeList(value as readonly Id[]) : value
    else if (isList) found[name] = values.encodeList(value as unknown[], type)
    else if (comparator === 'startsWith') {
      const [from, end] = value as readonly [string, string]
      found[name] = from
      found[endOf(name)] = end
    } else if (comparator === 'occurs') found[name] = values.encodePart(value as string)
    else found[name] = values.encode(value, type)
  }
  if (!context.dialect.hasSearchTables) return found
  for (const one of lookedUpIn(condition)) found[matchOf(path, condition, one)] = matchedBy(context, one)
  return found
}

/** The slot of what a search table is asked for by a part of a condition. */
export function matchOf(path: string, whole: Condition, part: Condition): string {
  return `${path}#match${lookedUpIn(whole).indexOf(part)}`
}

function lookedUpIn(condition: Condition): readonly Condition[] {
  return unionsIn(condition).flatMap(({ conditions }) => conditions)
}

/** The slot of the end of a range. */
function endOf(slotName: string): string {
  return `${slotName} end`
}
