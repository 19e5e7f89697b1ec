import { type CompiledQuery, RawNode } from 'kysely'
import type { DirectText } from '../drivers/handle.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import type { AnyKysely } from './database.ts'
import { Slot, type Sql } from './sql-text.ts'

export type Row = Readonly<Record<string, unknown>>

/** A statement with its parameters. */
export type Query = CompiledQuery<Row>

/** A statement without its parameters, for one database. */
export interface Statement extends Pick<Query, 'sql' | 'query' | 'queryId'>, DirectText {}

/** What statements run on. */
export interface Runner {
  rows(statement: Statement, parameters: readonly unknown[]): PromiseOrValue<readonly Row[]>
  /** What the only row has in its first column; undefined if there is no row. */
  value(statement: Statement, parameters: readonly unknown[]): PromiseOrValue<unknown>
  /** SQLite: the id that was given to the last row which the statement inserted. */
  insertedId(statement: Statement, parameters: readonly unknown[]): PromiseOrValue<number>
  /** Statements without parameters that were run on it, by their text. */
  readonly plain: Map<string, Statement>
  /** Statements that are given to it at one moment go off together, and after one that fails none is done. */
  readonly isBatched: boolean
  /** SQLite: a transaction may begin as a reader, as it can be given up if it may not write then, and nobody waits for it. */
  readonly canBeginReading: boolean
  /** The connection was there a moment ago. */
  hasJustAnswered(): boolean
}

/** JSON that the database made: a text, or null where it made none; undefined if there is no row. */
export type JsonText = string | null | undefined

/** Values for the slots of a statement: by name, or by number. */
export type Values = Readonly<Record<string, unknown>> | readonly unknown[]

/** A statement that was compiled once and runs with other values each time. */
export interface Prepared {
  /** Runs it with a value for each slot, for its rows. */
  run(on: Pick<Runner, 'rows'>, values: Values): PromiseOrValue<readonly Row[]>
  /** Runs it with a value for each slot, for what its only row has in its first column. */
  value(on: Pick<Runner, 'value'>, values: Values): PromiseOrValue<unknown>
  /** The same where that is JSON. */
  json(on: Pick<Runner, 'value'>, values: Values): PromiseOrValue<JsonText>
  /** Runs it with a value for each slot, for the id that SQLite gave the last row which it inserted. */
  insert(on: Pick<Runner, 'insertedId'>, values: Values): PromiseOrValue<number>
  /** The statement with integers in place of its slots: to be sent together with another one. */
  withIntegers(values: Readonly<Record<string, number>>): string
}

/** Gives what is kept under a name, or builds and keeps it. */
export interface Once {
  <Kept extends object>(name: string, build: () => Kept): Kept
  /** What is kept for a part of the model: so the name need not be put together to look it up. */
  of<Kept extends object>(part: object, name: string | number, build: () => Kept): Kept
}

/** Compiles a statement for a database. Its slots are filled by name or number when it runs. */
export function prepare(db: AnyKysely, statement: Sql): Prepared {
  const compiled = statement.compile(db) as Query
  const names = compiled.parameters.map((parameter) => {
    if (parameter instanceof Slot) return parameter.name
    throw new TypeError('a prepared statement takes its values from slots')
  })
  const { sql } = compiled
  const kept = statementOf(compiled)
  const isInOrder = names.every((name, index) => name === index)
  const parametersOf = (values: Values): readonly unknown[] => {
    if (isInOrder && Array.isArray(values)) return values
    return names.map((name) => (values as Readonly<Record<string | number, unknown>>)[name])
  }
  return {
    run: (on, values) => on.rows(kept, parametersOf(values)),
    value: (on, values) => on.value(kept, parametersOf(values)),
    json: (on, values) => on.value(kept, parametersOf(values)) as PromiseOrValue<JsonText>,
    insert: (on, values) => on.insertedId(kept, parametersOf(values)),
    withIntegers(values) {
      return sql.replaceAll(/\$(\d+)(?=::bigint)/g, (_, number) => {
        const value = values[names[Number(number) - 1] as string]
        if (!Number.isSafeInteger(value)) throw new TypeError('only integers can stand in a statement')
        return String(value)
      })
    },
  }
}

/** To be kept: so without the tree that it was compiled from, which is far larger. */
export function statementOf({ sql, queryId }: Pick<Query, 'sql' | 'queryId'>): Statement {
  return { sql, query: RawNode.createWithSql(sql), queryId, whole: undefined, plucked: undefined }
}
