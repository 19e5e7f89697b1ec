import SqliteDriver from 'better-sqlite3'
import pg from 'pg'
import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { festival } from '../support/festival.ts'
import { exercise } from './exercise.ts'
import { fill } from './fill.ts'

const ROWS = 10_000

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

describeOnDatabases('the statements of a model with every relation kind', (database) => {
  const service = useApp(database, festival, { plugin: { handlers: {} } })

  test(`all use an index, in tables of ${ROWS.toLocaleString('en')} rows`, async () => {
    await fill(service, ROWS)
    const sent = new Set(await service.statements(() => exercise(service)))
    // What begins a transaction locks the owner with it.
    const statements = [...sent].map((one) => one.replace(/^begin[^;]*; /, ''))
    const explained = statements.filter((one) => !/^(begin|commit|rollback|pragma)/.test(one))
    expect(explained.length).toBeGreaterThan(60)
    const { explain, close } = await openExplain(service.database)
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
    expect(found).toEqual([])
  })
})
