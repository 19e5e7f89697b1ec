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

/** Operands of an operator that may stand in any order, such as `and` and `+`. Many of them are halves of halves, so that the expression is not deep. */
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
