import { defineResources } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../test/support/databases.ts'
import { momentText } from '../../core/src/sql/dialect/value-sql.ts'

const ROWS = 100_000

const text = (options: object = {}) => Type.String({ maxLength: 40, index: true, ...options })

const modelOf = (options: object) =>
  defineResources({
    task: {
      fields: {
        status: text(),
        title: text(),
        note: Type.Optional(text()),
        created: text({ format: 'date-time', ...options }),
        done: Type.Optional(text({ format: 'date-time', ...options })),
        price: text({ format: 'decimal', ...options }),
        rank: Type.Optional(Type.Integer()),
      },
      index: [
        ['status', 'created'],
        ['status', 'rank'],
      ],
    },
  })

/** Row `i`: one of a thousand statuses, its own title, minute and price. Few rows have no note, no rank and are not done. */
const INSERT = {
  sqlite: `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ROWS}),
    t(i, title, minute) as (select i, printf('t%06d', i), strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + i * 60, 'unixepoch') from n)`,
  postgres: `with t(i, title, minute) as (select i, 't' || lpad(i::text, 6, '0'),
    to_char(to_timestamp(1700000000 + i * 60) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from generate_series(1, ${ROWS}) as n(i))`,
}
const SELECT = `insert into task (status, title, note, created, done, price, rank)
  select 's' || (i % 1000), title, case when i % 500 > 0 then 'n' || (i % 5000) end, minute,
    case when i % 500 > 0 then minute end, (i / 100) || '.5', case when i % 500 > 0 then i % 700 end from t`
const WITH_TYPES = SELECT.replaceAll('minute', 'minute::timestamptz').replace("|| '.5'", '+ 0.5')

const kinds = databases.flatMap(({ name, open }) => [
  { name, open, columns: 'texts' },
  ...(name === 'postgres' ? [{ name, open, columns: 'types of their own' }] : []),
])

describe.each(kinds)('Indexes of the descriptor ($name, $columns)', ({ name, open: openDatabase, columns }) => {
  const isPostgres = name === 'postgres'
  const areTexts = columns === 'texts'
  let open: OpenDatabase

  beforeAll(async () => {
    open = await openDatabase()
    await createTables(open.db, modelOf(areTexts ? { stored: 'text' } : {}))
    await sql`${sql.raw(isPostgres ? `${INSERT.postgres} ${areTexts ? SELECT : WITH_TYPES}` : SELECT.replace('select', `${INSERT.sqlite} select`))}`.execute(
      open.db,
    )
    await sql`analyze`.execute(open.db)
  }, 120_000)
  afterAll(() => open?.close())

  const moment = (value: string) => (areTexts ? momentText(name, value) : value)
  const [created, done] = [moment('created'), moment('done')]
  const momentOf = (value: string) => (areTexts ? momentText(name, value) : `${value}::timestamptz`)
  const c = isPostgres ? 'collate "C"' : ''
  const descending = isPostgres ? '_desc_idx' : '_idx'

  /** A title, the query with its values in quotes, and the index that it uses. */
  const queries: [string, string, string][] = [
    ['an equal value', `where status = «s3» order by id`, 'task_status_idx'],
    ['an equal value, sorted by it', `where status = «s3» order by status ${c}, id`, 'task_status_idx'],
    [
      'an equal value, the last minutes first',
      `where status = «s3» order by ${created} desc, id desc`,
      'task_status_created_idx',
    ],
    ['an equal value, the least first', `where status = «s3» order by rank nulls last, id`, 'task_status_rank_idx'],
    [
      'an equal value, the greatest first',
      `where status = «s3» order by rank desc nulls last, id desc`,
      `task_status_rank${descending}`,
    ],
    ['no value', `where note is null order by note ${c} nulls last, id`, 'task_note_idx'],
    ['a prefix', `where title ${c} >= «t05» and title ${c} < «t06» order by title ${c}, id`, 'task_title_idx'],
    ['all, sorted', `order by title ${c}, id`, 'task_title_idx'],
    ['all, the last first', `order by title ${c} desc, id desc`, 'task_title_idx'],
    ['all, sorted, nulls last', `order by note ${c} nulls last, id`, 'task_note_idx'],
    ['all, the last first, nulls last', `order by note ${c} desc nulls last, id desc`, `task_note${descending}`],
    [
      'a row and those behind it',
      `where (title ${c}, id) > («t050000», 50000) order by title ${c}, id`,
      'task_title_idx',
    ],
    [
      'a row and those before it',
      `where (title ${c}, id) < («t050000», 50000) order by title ${c} desc, id desc`,
      'task_title_idx',
    ],
    [
      'a range of time',
      `where ${created} >= ${momentOf('«2023-12-01T00:00:00Z»')} and ${created} < ${momentOf('«2023-12-02T00:00:00+02:00»')} order by ${created}, id`,
      'task_created_idx',
    ],
    ['all by time, nulls last', `order by ${done} nulls last, id`, 'task_done_idx'],
    ['all by time, the last first, nulls last', `order by ${done} desc nulls last, id desc`, `task_done${descending}`],
  ]
  if (isPostgres) {
    queries.push(
      ['a range of decimals', `where price::numeric >= «500»::numeric order by price::numeric, id`, 'task_price_idx'],
      ['decimals, the greatest first', `order by price::numeric desc, id desc`, 'task_price_idx'],
    )
  }

  test.each(queries)('serve %s', async (_title, query, index) => {
    const statement = `select * from task ${query.replaceAll(/«(.*?)»/g, literal)} limit 20`
    expectUse(await planOf(statement), index, query)
  })

  if (isPostgres) {
    test.each(queries)('serve %s, also with one plan for all values', async (_title, query, index) => {
      const values: string[] = []
      const body = query.replaceAll(/«(.*?)»/g, (_, value: string) => `$${values.push(value)}`)
      await open.db.transaction().execute(async (transaction) => {
        const run = (text: string) => sql.raw<Record<string, string>>(text).execute(transaction)
        await run('set local plan_cache_mode = force_generic_plan')
        const types = values.length > 0 ? `(${values.map(() => 'text').join(', ')})` : ''
        await run(`prepare page${types} as select * from task ${body} limit 20`)
        const given = values.length > 0 ? `(${values.map((value) => `'${value}'`).join(', ')})` : ''
        const { rows } = await run(`explain execute page${given}`)
        await run('deallocate page')
        expectUse(rows.map((row) => row['QUERY PLAN']).join('\n'), index, query)
      })
    })
  }

  function literal(_: string, value: string): string {
    return isPostgres ? `'${value}'::text` : `'${value}'`
  }

  async function planOf(statement: string): Promise<string> {
    const explain = isPostgres ? 'explain' : 'explain query plan'
    const { rows } = await sql.raw<Record<string, string>>(`${explain} ${statement}`).execute(open.db)
    return rows.map((row) => row[isPostgres ? 'QUERY PLAN' : 'detail']).join('\n')
  }

  /** The index finds the rows, and has them in order. */
  function expectUse(plan: string, index: string, query: string): void {
    const isNarrowed = query.startsWith('where')
    if (isPostgres) {
      expect(plan).toMatch(new RegExp(`Index Scan (?:Backward )?using "?${index}"? on task`))
      expect(plan).not.toMatch(/\bSort\b/)
      if (isNarrowed) expect(plan).toContain('Index Cond')
    } else {
      expect(plan).toMatch(new RegExp(`^${isNarrowed ? 'SEARCH' : 'SCAN'} task USING INDEX ${index}\\b`))
      expect(plan).not.toContain('TEMP B-TREE')
    }
  }
})
