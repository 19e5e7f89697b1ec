import { type CompiledQuery, type QueryResult, RawNode } from 'kysely'
import type { AnyKysely } from './database.ts'
import { Slot, type Sql } from './sql-text.ts'

export type Row = Readonly<Record<string, unknown>>

/** What statements run on: one connection, or whichever is free. */
export interface Runner {
  execute(query: CompiledQuery<Row>): Promise<QueryResult<Row>>
  /** What the only row has in the column `json`; undefined if there is no row. */
  json(query: CompiledQuery<Row>): Promise<JsonText>
  /** Statements that are given to it at one moment go off together, and after one that fails none is done. */
  readonly isBatched: boolean
  /** The connection was there a moment ago. */
  hasJustAnswered(): boolean
}

/** JSON that the database made: a text, or null where it made none; undefined if there is no row. */
export type JsonText = string | null | undefined

/** Values for the slots of a statement: by name, or by number. */
export type Values = Readonly<Record<string, unknown>> | readonly unknown[]

/** A statement that was compiled once and runs with other values each time. */
export interface Prepared {
  readonly sql: string
  /** The parameters of an execution, by a value for each slot. */
  parameters(values: Values): unknown[]
  /** Runs it with a value for each slot; resolves to its rows. */
  run(on: Runner, values: Values): Promise<readonly Row[]>
  /** Runs it with a value for each slot; resolves to what its only row has in the column `json`. */
  json(on: Runner, values: Values): Promise<JsonText>
  /** Runs it with a value for each slot; resolves to the id that SQLite gave the last row which it inserted. */
  insert(on: Runner, values: Values): Promise<number>
  /** The statement with integers in place of its slots: to be sent together with another one. */
  withIntegers(values: Readonly<Record<string, number>>): string
}

/** Gives what is kept under a name, or builds and keeps it. */
export type Once = <Kept extends object>(name: string, build: () => Kept) => Kept

function insertedId({ insertId }: QueryResult<Row>): number {
  if (insertId === undefined) throw new TypeError('the dialect does not tell which id a row was given')
  return Number(insertId)
}

/** Compiles a statement for a database. Its slots are filled by name or number when it runs. */
export function prepare(db: AnyKysely, statement: Sql): Prepared {
  const compiled = statement.compile(db) as CompiledQuery<Row>
  const names = compiled.parameters.map((parameter) => {
    if (parameter instanceof Slot) return parameter.name
    throw new TypeError('a prepared statement takes its values from slots')
  })
  const { sql, queryId } = compiled
  // Not the tree that it was compiled from: that would be kept as long as the statement, and is far larger.
  const query = RawNode.createWithSql(sql)
  const parameters = (values: Values): unknown[] =>
    names.map((name) => (values as Readonly<Record<string | number, unknown>>)[name])
  const filled = (values: Values): CompiledQuery<Row> => ({ sql, query, queryId, parameters: parameters(values) })
  return {
    sql,
    parameters,
    run: (on, values) => on.execute(filled(values)).then(({ rows }) => rows),
    json: (on, values) => on.json(filled(values)),
    insert: (on, values) => on.execute(filled(values)).then(insertedId),
    withIntegers(values) {
      return sql.replaceAll(/\$(\d+)(?=::bigint)/g, (_, number) => {
        const value = values[names[Number(number) - 1] as string]
        if (!Number.isSafeInteger(value)) throw new TypeError('only integers can stand in a statement')
        return String(value)
      })
    },
  }
}
