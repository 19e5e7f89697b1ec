import type { defineResources } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import type { OpenDatabase, TestDatabase } from '../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import type { Rights } from '../../src/asking/policies/rights.ts'
import type { Resource } from '../../src/model/model.ts'
import type { MemberValues, RowId } from '../../src/planning/rows.ts'
import { type QueryContext, queryContext } from '../../src/sql/context.ts'
import { type Statements, statementsOf } from '../../src/sql/statements.ts'
import type { Prepared, Row, SlotValues } from '../../src/sql/text/prepare.ts'
import { inLines } from './bookshop.ts'

type Model = ReturnType<typeof defineResources>

/** Statements that a test runs in a transaction, of which nothing stays. */
export interface Trial {
  readonly context: QueryContext
  readonly statements: Statements
  run(statement: Prepared, values: SlotValues): Promise<readonly Row[]>
  /** What the only row has in its only column. */
  value(statement: Prepared, values: SlotValues): Promise<unknown>
  /** SQLite: runs an INSERT, and returns the id of its last row. */
  insertedId(statement: Prepared, values: SlotValues): Promise<number>
  /** Each row that a query finds, with a space between its values. */
  rows(query: string): Promise<readonly string[]>
}

/** A database with the tables of a model and some rows, for trials. `rights`: what the caller may do. */
export function useTrials(
  database: TestDatabase,
  model: Model,
  rows: readonly string[],
  rights?: Rights,
): (work: (trial: Trial) => Promise<void>) => Promise<void> {
  let open: OpenDatabase
  let context: QueryContext
  let statements: Statements

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, model)
    for (const text of rows) await open.db.executeQuery(CompiledQuery.raw(text))
    context = queryContext(open.db, { rights })
    statements = statementsOf(context)
  })
  afterAll(() => open.close())

  return async (work) => {
    const transaction = await open.db.startTransaction().execute()
    try {
      await work({ context, statements, ...runningIn(transaction) })
    } finally {
      await transaction.rollback().execute()
    }
  }
}

function runningIn(transaction: TestKysely): Omit<Trial, 'context' | 'statements'> {
  const execute = (text: string, parameters: readonly unknown[] = []) =>
    transaction.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  const run = async (statement: Prepared, values: SlotValues) =>
    (await execute(statement.sql, statement.parameters(values, { caller: { label: 1 } }))).rows
  return {
    run,
    async value(statement, values) {
      const [row = {}] = await run(statement, values)
      return Object.values(row)[0]
    },
    insertedId: async (statement, values) =>
      Number((await execute(statement.sql, statement.parameters(values))).insertId),
    rows: async (query) => (await execute(query)).rows.map((row) => Object.values(row).map(inText).join(' ')),
  }
}

/** PostgreSQL's driver reads JSON. */
function inText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A statement and its parameters as a snapshot has them. */
export function inFull(statement: Prepared, values: SlotValues): string {
  const parameters = statement.parameters(values, { caller: { label: 1 } })
  return `${inLines(statement)}-- ${JSON.stringify(parameters)}\n`
}

/** The values of members by their properties. */
export function membersOf({ members }: Resource, values: Readonly<Record<string, unknown>>): MemberValues {
  return members.map((member) => values[member.kind === 'field' ? member.name : member.property])
}

/** A new row, or the id of a row that is stored. */
export const newRow = (number: number): RowId => ({ new: number })
