import type { QueryExecutorProvider, QueryResult } from 'kysely'
import type { AnyKysely } from './database.ts'
import { Slot, type Sql } from './sql-text.ts'

/** A statement that was compiled once and runs with other values each time. */
export interface Prepared {
  readonly sql: string
  run(
    on: QueryExecutorProvider,
    values: Readonly<Record<string, unknown>>,
  ): Promise<QueryResult<Record<string, unknown>>>
}

/** Gives the statement that is kept under a name, or builds and keeps it. */
export type Once = (name: string, build: () => Prepared) => Prepared

/** Compiles a statement for a database. Its slots are filled by name when it runs. */
export function prepare(db: AnyKysely, statement: Sql): Prepared {
  const compiled = statement.compile(db)
  const names = compiled.parameters.map((parameter) => {
    if (parameter instanceof Slot) return parameter.name
    throw new TypeError('a prepared statement takes its values from slots')
  })
  return {
    sql: compiled.sql,
    run(on, values) {
      const parameters = names.map((name) => values[name])
      return on.getExecutor().executeQuery<Record<string, unknown>>({ ...compiled, parameters })
    },
  }
}
