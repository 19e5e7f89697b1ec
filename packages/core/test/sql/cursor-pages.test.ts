import { defineResources, type ParameterProblem } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { type ListQuery, type ListRequest, readListQuery } from '../../src/asking/list-query.ts'
import { topPath } from '../../src/model/collection-path.ts'
import { DEFAULT_LIMITS } from '../../src/model/descriptors/default-limits.ts'
import { ALL_FIELDS } from '../../src/model/field-rights.ts'
import { queryContext } from '../../src/sql/context.ts'
import { type Statements, statementsOf } from '../../src/sql/statements.ts'
import type { Row } from '../../src/sql/text/prepare.ts'
import { typesLearner } from '../../src/store/learn-types.ts'
import { withCursor } from '../../src/store/read/read-page.ts'

/** So many that to read the whole table or index is more than the pages that are allowed. */
const ROWS = isLong ? 100_000 : 20_000

const text = (options: object = {}) => Type.String({ maxLength: 40, index: true, ...options })

const model = defineResources({
  task: {
    fields: {
      status: text(),
      title: text(),
      note: Type.Optional(text()),
      created: text({ format: 'date-time' }),
      done: Type.Optional(text({ format: 'date-time' })),
      rank: Type.Optional(Type.Integer({ index: true })),
      weight: Type.Number({ index: true }),
    },
    index: [
      ['status', 'created'],
      ['status', 'rank'],
    ],
  },
})

const NUMBERS = {
  sqlite: `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS}),
    t(i, title, minute) as (select i, printf('t%06d', i * 7919 % ${ROWS}), strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + i * 60, 'unixepoch') from n)`,
  postgres: `with t(i, title, minute) as (select i, 't' || lpad((i * 7919 % ${ROWS})::text, 6, '0'),
    to_timestamp(1700000000 + i * 60) from generate_series(1, ${ROWS}) as n(i))`,
}
/** Titles in no order, one status of ten and one rank of 700 for each row, no note, rank and end in one row of 500. */
const SELECT = `select 's' || (i % 10), title, case when i % 500 > 0 then 'n' || (i % 5000) end, minute,
  case when i % 500 > 0 then minute end, case when i % 500 > 0 then i % 700 end, (i % 1000) / 7.0 from t`

describe.each(databases)('a page behind a cursor ($name)', ({ name, open: openDatabase }) => {
  const isPostgres = name === 'postgres'
  const at = { path: topPath(model, 'task'), owners: [] }
  const limits = { ...DEFAULT_LIMITS, count: 'none' } as const
  const scope = {
    hidden: new Set<never>(),
    fieldRights: ALL_FIELDS,
    ids: 'short' as const,
    limits,
    hasFunctions: isPostgres,
    costs: [],
    findsParts: false,
  }
  let open: OpenDatabase
  let statements: Statements

  beforeAll(async () => {
    open = await openDatabase()
    await createTables(open.db, model)
    const columns = 'status, title, note, created, done, rank, weight'
    const insert = isPostgres
      ? `${NUMBERS.postgres} insert into task (${columns}) ${SELECT}`
      : `insert into task (${columns}) ${NUMBERS.sqlite} ${SELECT}`
    await sql.raw(insert).execute(open.db)
    await sql.raw(isPostgres ? 'vacuum analyze task' : 'analyze').execute(open.db)
    const context = queryContext(open.db, { model })
    await typesLearner(context, model)?.()
    statements = statementsOf(context)
  }, 120_000)
  afterAll(() => open?.close())

  function read(request: Omit<ListRequest, 'limit'>): ListQuery {
    const problems: ParameterProblem[] = []
    const query = readListQuery(at, { limit: 20, ...request }, scope, problems)
    expect(problems).toEqual([])
    return query
  }

  function parametersOf(query: ListQuery, offset = 0): readonly unknown[] {
    return statements.page(at.path, query).statement.parameters({ limit: 20, offset, ...statements.queryValues(query) })
  }

  /** The cursor of the page that begins so far from the first. */
  async function cursorAt(request: { sort: string[]; filter?: object }, offset: number): Promise<string> {
    const query = read(request)
    const statement = CompiledQuery.raw(statements.page(at.path, query).statement.sql, [...parametersOf(query, offset)])
    const [row] = (await open.db.executeQuery<Row>(statement)).rows
    const page = withCursor(row?.json as string, { at, condition: query.condition, sort: query.sort })
    return (JSON.parse(page) as { next: string }).next
  }

  const cases: [sort: string, filter?: { [name: string]: unknown }][] = [
    ['id'],
    ['-id'],
    ['title'],
    ['-title'],
    ['note'],
    ['-note'],
    ['status'],
    ['-status'],
    ['created'],
    ['-created'],
    ['done'],
    ['-done'],
    ['rank'],
    ['-rank'],
    ['weight'],
    ['status,created'],
    ['status,rank'],
    ['-status,-rank'],
    ['created', { status: 's3' }],
    ['-rank', { status: 's3' }],
  ]

  test.each(cases)(
    'is as cheap at the end of the list as at its beginning: sort=%s, filter=%j',
    async (keys, filter) => {
      const request = { sort: keys.split(','), ...(filter && { filter }) }
      const last = (filter === undefined ? ROWS : ROWS / 10) - 30
      for (const offset of [0, last]) {
        const query = read({ ...request, after: await cursorAt(request, offset) })
        const { sql: text } = statements.page(at.path, query).statement
        if (isPostgres) {
          for (const mode of ['force_generic_plan', 'force_custom_plan']) {
            const buffers = await buffersOf(text, parametersOf(query), mode)
            expect(buffers, `${offset}, ${mode}`).toBeLessThan(offset === last ? 100 : 150)
          }
        } else expectSearches(await stepsOf(text), keys.includes(',') && keys.includes('rank'))
      }
    },
  )

  async function stepsOf(text: string): Promise<string[]> {
    const explain = sql.raw<{ detail: string }>(`explain query plan ${text.replaceAll('?', 'null')}`)
    return (await explain.execute(open.db)).rows.map(({ detail }) => detail)
  }

  /** Each range begins where an index says, and is read in its order. SQLite has no index with nulls last behind another column. */
  function expectSearches(steps: readonly string[], hasNullsInSecond: boolean): void {
    const plan = steps.join('\n')
    expect(plan).toContain('SEARCH t0 USING')
    expect(plan).not.toMatch(/SCAN t0 USING/)
    const ranges = plan.split('CO-ROUTINE crud_range').slice(1)
    for (const range of ranges.map((one) => one.slice(0, one.indexOf('SCAN crud_range')))) {
      expect(range).toContain('SEARCH t0 USING')
      if (!hasNullsInSecond) expect(range).not.toContain('TEMP B-TREE')
    }
  }

  /** How many pages of tables and indexes the statement reads. */
  async function buffersOf(text: string, parameters: readonly unknown[], mode: string): Promise<number> {
    return await open.db.transaction().execute(async (transaction) => {
      const run = (one: string) => sql.raw<Record<string, string>>(one).execute(transaction)
      await run(`set local plan_cache_mode = ${mode}`)
      await run(`prepare page as ${text}`)
      const values = parameters.map((value) => `'${String(value)}'`).join(', ')
      const explain = `explain (analyze, buffers, timing off) execute page(${values})`
      const { rows } = await run(explain)
      await run('deallocate page')
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      const [, hit = '0'] = /Buffers: shared hit=(\d+)/.exec(plan) ?? []
      const [, read = '0'] = /Buffers: shared (?:hit=\d+ )?read=(\d+)/.exec(plan) ?? []
      return Number(hit) + Number(read)
    })
  }
})
