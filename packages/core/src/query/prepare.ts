import { type CompiledQuery, RawNode } from 'kysely'
import type { DirectStatement } from '../connection/drivers/direct-statement.ts'
import type { DirectText, WholeStatement } from '../connection/drivers/handle.ts'
import type { PromiseOrValue } from '../connection/promise-or-value.ts'
import type { AnyKysely } from './dialect/database.ts'
import { Slot, type Sql } from './sql-text.ts'

export type Row = Readonly<Record<string, unknown>>

/** A statement with its parameters. */
export type Query = CompiledQuery<Row>

/** What statements run on. */
export interface Runner {
  rows(statement: Prepared, parameters: readonly unknown[]): PromiseOrValue<readonly Row[]>
  /** What the only row has in its first column; undefined if there is no row. */
  value(statement: Prepared, parameters: readonly unknown[]): PromiseOrValue<unknown>
  /** SQLite: the id that was given to the last row which the statement inserted. */
  insertedId(statement: Prepared, parameters: readonly unknown[]): PromiseOrValue<number>
  /** What runs a statement at once, time and again; undefined where one statement for all rows is quicker. */
  readonly repeat: ((statement: Prepared) => (parameters: readonly unknown[]) => void) | undefined
  /** Statements without parameters that were run on it, by their text. */
  readonly plain: Map<string, Prepared>
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

/**
 * A statement that was compiled once for one database, and runs there with other values each time. A class, as there are many:
 * what they do, they have in common.
 */
export class Prepared implements DirectText {
  readonly sql: string
  readonly query: Query['query']
  readonly queryId: Query['queryId']
  whole: WholeStatement | undefined = undefined
  plucked: DirectStatement | undefined = undefined
  /** Of its slots. */
  readonly #names: readonly (string | number)[]
  /** They are numbered in the order in which they stand. */
  readonly #isInOrder: boolean

  constructor({ sql, queryId, parameters }: Query) {
    this.sql = sql
    // Not the tree that it was compiled from: that would be kept as long as the statement, and is far larger.
    this.query = RawNode.createWithSql(sql)
    this.queryId = queryId
    this.#names = parameters.map((parameter) => {
      if (parameter instanceof Slot) return parameter.name
      throw new TypeError('a prepared statement takes its values from slots')
    })
    this.#isInOrder = this.#names.every((name, index) => name === index)
  }

  /** Runs it with a value for each slot, for its rows. */
  run(on: Pick<Runner, 'rows'>, values: Values): PromiseOrValue<readonly Row[]> {
    return on.rows(this, this.#parameters(values))
  }

  /** Runs it with a value for each slot, for what its only row has in its first column. */
  value(on: Pick<Runner, 'value'>, values: Values): PromiseOrValue<unknown> {
    return on.value(this, this.#parameters(values))
  }

  /** The same where that is JSON. */
  json(on: Pick<Runner, 'value'>, values: Values): PromiseOrValue<JsonText> {
    return this.value(on, values) as PromiseOrValue<JsonText>
  }

  /** Runs it with a value for each slot, for the id that SQLite gave the last row which it inserted. */
  insert(on: Pick<Runner, 'insertedId'>, values: Values): PromiseOrValue<number> {
    return on.insertedId(this, this.#parameters(values))
  }

  /** The statement with integers in place of its slots: to be sent together with another one. */
  withIntegers(values: Readonly<Record<string, number>>): string {
    return this.sql.replaceAll(/\$(\d+)(?=::bigint)/g, (_, number) => {
      const value = values[this.#names[Number(number) - 1] as string]
      if (!Number.isSafeInteger(value)) throw new TypeError('only integers can stand in a statement')
      return String(value)
    })
  }

  #parameters(values: Values): readonly unknown[] {
    if (this.#isInOrder && Array.isArray(values)) return values
    return this.#names.map((name) => (values as Readonly<Record<string | number, unknown>>)[name])
  }
}

/** Compiles a statement for a database. Its slots are filled by name or number when it runs. */
export function prepare(db: AnyKysely, statement: Sql): Prepared {
  return new Prepared(statement.compile(db) as Query)
}
