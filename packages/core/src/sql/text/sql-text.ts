import { type OperationNode, type RawBuilder, sql } from 'kysely'
import { type AnyKysely, nameInDatabase } from '../dialect/database.ts'

/** A piece of SQL. */
export type Sql = RawBuilder<unknown>

/** Stands in a statement for a value that each execution brings. */
export class Slot {
  readonly name: string | number
  /** What the parameter has of the value; undefined: the value itself. */
  readonly read: ((value: unknown) => unknown) | undefined

  constructor(name: string | number, read?: Slot['read']) {
    this.name = name
    this.read = read
  }
}

/** Named, or by its number among the values. */
export function slot(name: string | number, read?: Slot['read']): Sql {
  return sql`${new Slot(name, read)}`
}

/** Stands in a statement for a value that the request supplies, such as who is asking. */
export class RequestSlot {
  /** Takes the value from what the calling code handed in for the request. */
  readonly read: (requestContext: unknown) => unknown

  constructor(read: RequestSlot['read']) {
    this.read = read
  }
}

export function requestSlot(read: RequestSlot['read']): Sql {
  return sql`${new RequestSlot(read)}`
}

/** The alias of the rows of a list. */
export const LISTED = 't0'

/** A node of Kysely's in a statement. */
export function sqlOfNode(node: OperationNode): Sql {
  return sql`${{ toOperationNode: () => node, expressionType: undefined }}`
}

/** A column of a table that goes by an alias. */
export function column(alias: string, name: string): Sql {
  return sql`${sql.id(alias, name)}`
}

export function join(parts: readonly Sql[], separator: Sql = sql`, `): Sql {
  return sql`${sql.join([...parts], separator)}`
}

/** So many operands of a row have a depth far below the 1,000 that SQLite allows an expression. */
const MOST_IN_A_ROW = 50

/** Operands of an operator that may stand in any order, such as `and` and `+`. Many of them are halves of halves, so
 * that the expression is not deep. */
export function combined(operands: readonly Sql[], operator: Sql): Sql {
  if (operands.length <= MOST_IN_A_ROW) return join(operands, operator)
  const middle = Math.ceil(operands.length / 2)
  return sql`(${combined(operands.slice(0, middle), operator)})${operator}(${combined(operands.slice(middle), operator)})`
}

/** A string constant in a statement. Never a value of a request: those go into slots. */
export function constant(text: string): Sql {
  // With `standard_conforming_strings = off`, PostgreSQL reads a backslash as the beginning of an escape.
  if (text.includes('\\')) return sql`cast(${requestSlot(() => text)} as text)`
  return sql.raw(`'${text.replaceAll("'", "''")}'`)
}

/** A table as an instance names it, its plugins and its schema included. */
export interface Table {
  /** The whole quoted name, to stand in a statement. */
  readonly sql: Sql
  /** The same as a string: `"schema"."table"`. */
  readonly text: string
  /** The bare name as the database itself would spell it. */
  readonly inDatabase: string
}

/** The names that an instance gives to tables and columns. */
export interface Names {
  table(name: string): Table
  /** The column's name as the database itself would spell it. */
  column(name: string): string
}

export function namesOf(db: AnyKysely): Names {
  const tables = new Map<string, Table>()
  return {
    table(name) {
      let table = tables.get(name)
      if (table === undefined) {
        // Only a whole query passes through every plugin: `delete from "schema"."table"`.
        const text = db.deleteFrom(name).compile().sql.slice('delete from '.length)
        table = { sql: sql.raw(text), text, inDatabase: nameInDatabase(db, name) }
        tables.set(name, table)
      }
      return table
    },
    column: (name) => nameInDatabase(db, name),
  }
}

/**
 * Several values as one, `(a, b)`, which both databases compare part by part: https://www.sqlite.org/rowvalue.html,
 * https://www.postgresql.org/docs/current/functions-comparisons.html#ROW-WISE-COMPARISON. One value is itself.
 */
export function rowValue(parts: readonly [Sql, ...Sql[]]): Sql {
  const [only] = parts
  if (parts.length === 1) return only
  const value = sql`(${join(parts)})`
  partsOfValues.set(value, parts)
  return value
}

/** What {@link rowValue} was made of; of any other piece of SQL, the piece itself. */
export function partsOf(value: Sql): readonly [Sql, ...Sql[]] {
  return partsOfValues.get(value) ?? [value]
}

/** ORDER BY takes the parts beside each other: only these are in the order of an index. */
const partsOfValues = new WeakMap<Sql, readonly [Sql, ...Sql[]]>()

/**
 * The rows that one part of a query reads or writes. Nothing else names a table in a query, so a condition that holds
 * for all rows of a resource has one place: here.
 *
 * All conditions must hold. One that contains OR stands in parentheses of its own.
 */
export interface Source {
  /** How the query names the rows: by their alias, or else by their table. */
  readonly name: Sql
  /** `from … where …` */
  from(...conditions: readonly Sql[]): Sql
  /** The same with joins between the rows and their conditions. */
  fromWith(joins: readonly Sql[], ...conditions: readonly Sql[]): Sql
  /** What stands behind JOIN: `… on …`. */
  joinedOn(...conditions: readonly Sql[]): Sql
  /** `update … set … where …`. The assignments may end in a FROM of their own. */
  update(assignments: Sql, ...conditions: readonly Sql[]): Sql
  /** `delete from … where …` */
  delete(...conditions: readonly Sql[]): Sql
}
