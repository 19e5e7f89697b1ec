import { createTables, defineResources } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { freePort } from '../../../../../test/support/free-port.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { resources, useSeveralDatabases } from './several.ts'

const ERROR = 50
const WARN = 40

describeOnBoth('At its first use, a database', (kind) => {
  const several = useSeveralDatabases(kind)
  const { request, signUp, open, start } = several
  const list = (tenant: string) => request(tenant, 'GET', '/api/list')
  const logged = (level: number) => several.log.filter((line) => line.level === level)

  test('is checked once, however many requests come at once', async () => {
    await start()
    await signUp('ink', 'nib')
    const checksOf = async (tenant: string, run: () => Promise<unknown>) => {
      const { statements } = await open(tenant)
      const sent = await statements.record(run)
      return sent.filter((statement) =>
        /sqlite_schema|sqlite_master|pragma_|pg_class|pg_catalog|to_regclass/.test(statement),
      ).length
    }
    const once = await checksOf('ink', () => list('ink'))
    expect(once).toBeGreaterThan(0)
    const atOnce = await checksOf('nib', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => list('nib')))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    })
    expect(atOnce).toBe(once)
    expect(await checksOf('nib', () => list('nib'))).toBe(0)
  })

  test('whose tables do not fit is refused, until they do', async () => {
    await start()
    await open('ink')
    const both = await Promise.all([list('ink'), list('ink')])
    for (const answer of both) expectProblem(answer, { code: 'CRUD_ERR_INTERNAL' })
    expect(logged(ERROR)).toHaveLength(2)
    const [first, ...others] = logged(ERROR)[0]?.err?.message.split('\n') ?? []
    expect(first).toMatch(/the request's database does not fit the model, so it is not served/)
    expect(others).toEqual(['item', 'list'].map((table) => `the table ${table} is missing: createTables creates it`))
    await signUp('ink')
    expect((await list('ink')).status).toBe(200)
  })

  test('is not refused for what the option `tables` allows, and warnings are in the log', async () => {
    await start({ tables: 'warn' })
    const { db } = await open('ink')
    const { list: descriptor, item } = resources.descriptors
    await createTables(db, defineResources({ list: { ...descriptor, unique: [] }, item }))
    expect((await list('ink')).status).toBe(200)
    expect(logged(ERROR).map(({ msg }) => msg)).toEqual([expect.stringMatching(/^fastify-crud: .*unique/)])
  })

  test('that lacks what a policy asks for is refused', async () => {
    const { db } = await open('the model')
    await sql`create table shown (name text)`.execute(db)
    await start({ policies: { list: () => sql<boolean>`name in (select name from shown)` } as never })
    await signUp('ink')
    expectProblem(await list('ink'), { code: 'CRUD_ERR_INTERNAL' })
    expect(logged(ERROR)[0]?.err?.message).toMatch(/policies\.list.*: the database says: .*shown/)
    await sql`create table shown (name text)`.execute((await open('ink')).db)
    expect((await list('ink')).status).toBe(200)
    expect(logged(WARN)).toEqual([])
  })
})

describe('A PostgreSQL server that is not there', () => {
  const several = useSeveralDatabases(databases[1] as TestDatabase)

  test('is 503, and other tenants have theirs', async () => {
    const away = openPostgres(`postgres://nobody@127.0.0.1:${await freePort()}/none`, { warn: () => {} })
    await several.start({
      of: async ({ tenant }) => (tenant === 'away' ? away : (await several.open(tenant)).db),
    })
    await several.signUp('ink')
    for (const _ of [1, 2]) {
      expectProblem(await several.request('away', 'GET', '/api/list'), { code: 'CRUD_ERR_BUSY' })
      expect((await several.request('ink', 'GET', '/api/list')).status).toBe(200)
    }
    await away.destroy()
  })
})
