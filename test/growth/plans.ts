import SqliteDriver from 'better-sqlite3'
import pg from 'pg'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'

/** A statement with the steps of the plan that the database makes for it. */
interface Plan {
  readonly database: OpenDatabase['name']
  readonly statement: string
  readonly steps: readonly string[]
}

type Wrong = [statement: string, steps: string[]]

type Explain = (statement: string) => Promise<readonly string[]>

async function openExplain({ name, location }: OpenDatabase): Promise<{ explain: Explain; close(): Promise<void> }> {
  if (name === 'sqlite') {
    const database = new SqliteDriver(location)
    // As `openSqlite` registers it.
    database.function('crud_lower', { deterministic: true, directOnly: true }, (text) => String(text).toLowerCase())
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
  return {
    async explain(statement) {
      // The ids that a transaction keeps for its statements.
      for (const [, name] of statement.matchAll(/'fastify_crud\.(\w+)'/g))
        await client.query(`set fastify_crud."${name}" = '1'`)
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${statement}`)
      return rows.map((row) => row['QUERY PLAN'])
    },
    close: () => client.end(),
  }
}

/** The steps that read a whole table, or a whole index of it. */
function wholeTableSteps({ database, statement, steps }: Plan): string[] {
  if (database === 'sqlite') return steps.filter((step) => isSqliteScan(statement, step))
  return steps.filter((step, index) => {
    // How a catalog is read depends on how many tables there are.
    if (/ on pg_\w/.test(step)) return false
    if (/Seq Scan on /.test(step)) return true
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
function isListOfAll({ statement }: Plan): boolean {
  const isBelowOwner = statement.includes(' as "o" where')
  return statement.includes(`'{"rows":'`) && !isBelowOwner
}

/** The statements that read a whole table, with the steps that do. */
export function thatReadWholeTables(plans: readonly Plan[]): Wrong[] {
  return wrongOf(plans, (plan) => (isListOfAll(plan) ? [] : wholeTableSteps(plan)))
}

/** The statements that compare rows with every id of a list in turn, with the conditions that do. */
export function thatCompareWithEachId(plans: readonly Plan[]): Wrong[] {
  return wrongOf(plans, ({ steps }) => steps.filter((step) => /Filter: .*(= ANY|<> ALL) \(/.test(step)))
}

/** What a plan has to cost in PostgreSQL's eyes for it to be compiled at each execution: its default for `jit_above_cost`. */
const COMPILED_FROM = 100_000

/** The statements that PostgreSQL would compile, with their first steps: what these cost, all do. */
export function thatAreCompiled(plans: readonly Plan[]): Wrong[] {
  return wrongOf(plans, ({ database, steps: [first = ''] }) => {
    if (database === 'sqlite') return []
    const [, cost] = /\(cost=[\d.]+\.\.([\d.]+) /.exec(first) ?? []
    return Number(cost) < COMPILED_FROM ? [] : [first]
  })
}

function wrongOf(plans: readonly Plan[], wrongIn: (plan: Plan) => string[]): Wrong[] {
  return plans.map((plan): Wrong => [plan.statement, wrongIn(plan)]).filter(([, steps]) => steps.length > 0)
}

/**
 * The plans of the statements that are sent meanwhile.
 *
 * @throws if no more than `moreThan` are sent: then the requests are not what they are meant to be.
 */
export async function plansOf(
  { database, statements }: TestApp,
  moreThan: number,
  requests: () => Promise<void>,
): Promise<Plan[]> {
  const sent = new Set(await statements(requests))
  // What begins a transaction locks the owner with it.
  const withoutBegin = [...sent].map((one) => one.replace(/^begin[^;]*; /, ''))
  const explained = withoutBegin.filter((one) => !/^(begin|commit|rollback|pragma)/.test(one))
  expect(explained.length).toBeGreaterThan(moreThan)
  const { explain, close } = await openExplain(database)
  try {
    const plans: Plan[] = []
    for (const statement of explained) {
      plans.push({ database: database.name, statement, steps: await explain(statement) })
    }
    return plans
  } finally {
    await close()
  }
}
