import SqliteDriver from 'better-sqlite3'
import pg from 'pg'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'

/** The steps of the plan that the database makes for a statement. */
type Explain = (statement: string) => Promise<readonly string[]>

async function openExplain({ name, location }: OpenDatabase): Promise<{ explain: Explain; close(): Promise<void> }> {
  if (name === 'sqlite') {
    const database = new SqliteDriver(location)
    return {
      async explain(statement) {
        const parameters = Array(statement.split('?').length - 1).fill(null)
        const rows = database
          .prepare<unknown[], { detail: string }>(`explain query plan ${statement}`)
          .all(...parameters)
        return rows.map(({ detail }) => detail)
      },
      close: async () => void database.close(),
    }
  }
  const client = new pg.Client(location)
  await client.connect()
  // What a transaction keeps for its statements.
  await client.query(`set fastify_crud.id = '1'`)
  return {
    async explain(statement) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`)
      return rows.map((row) => row['QUERY PLAN'])
    },
    close: () => client.end(),
  }
}

/** The steps that read a whole table, or a whole index of it. */
function wholeTableSteps(name: OpenDatabase['name'], statement: string, steps: readonly string[]): string[] {
  if (name === 'sqlite') return steps.filter((step) => isSqliteScan(statement, step))
  return steps.filter((step, index) => {
    if (/Seq Scan on (?!pg_)/.test(step)) return true
    if (!/Index (Only )?Scan (on|using)/.test(step)) return false
    const details = steps.slice(index + 1)
    const end = details.findIndex((line) => /^\s*(->|SubPlan|InitPlan|CTE )/.test(line))
    return !details.slice(0, end === -1 ? undefined : end).some((line) => line.includes('Index Cond'))
  })
}

/** Not if it scans the rows of a subquery or of a WITH, or those of a parameter. */
function isSqliteScan(statement: string, step: string): boolean {
  if (/^SCAN \d+(?:-ROW VALUES CLAUSE| CONSTANT ROWS?)$/.test(step)) return false
  const [, scanned = ''] = /^SCAN (\S+)/.exec(step) ?? []
  if (scanned === '' || /^(CONSTANT|json_each|sqlite_\w+)$/.test(scanned)) return false
  const isOfWith = [...statement.matchAll(/with recursive "(\w+)"/g)].some(
    ([, rows]) => scanned === rows || statement.includes(`from "${rows}" as "${scanned}"`),
  )
  return !isOfWith && !statement.includes(`) as "${scanned}"`)
}

/** A list of all records of a resource and their count cost as much as there are: nothing else may. */
function isListOfAll(statement: string): boolean {
  return /^select \(+'\{"rows":'/.test(statement)
}

/**
 * Of the statements that are sent meanwhile, those that read a whole table, with the steps of their plans that do.
 *
 * @throws if no more than `moreThan` are sent: then the requests are not what they are meant to be.
 */
export async function wholeTableStatements(
  { database, statements }: TestApp,
  moreThan: number,
  requests: () => Promise<void>,
): Promise<[statement: string, steps: string[]][]> {
  const sent = new Set(await statements(requests))
  // What begins a transaction locks the owner with it.
  const withoutBegin = [...sent].map((one) => one.replace(/^begin[^;]*; /, ''))
  const explained = withoutBegin.filter((one) => !/^(begin|commit|rollback|pragma)/.test(one))
  expect(explained.length).toBeGreaterThan(moreThan)
  const { explain, close } = await openExplain(database)
  const found: [statement: string, steps: string[]][] = []
  try {
    for (const statement of explained) {
      if (isListOfAll(statement)) continue
      const whole = wholeTableSteps(database.name, statement, await explain(statement))
      if (whole.length > 0) found.push([statement, whole])
    }
  } finally {
    await close()
  }
  return found
}
