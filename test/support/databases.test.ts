import { existsSync } from 'node:fs'
import { CamelCasePlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from './databases.ts'
import { describeOnDatabases } from './describe-on-databases.ts'
import { tableNames, takeSnapshot } from './tables.ts'

describeOnDatabases('a test database', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createFamily(open)
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  test('is the database that the title says', async () => {
    const version =
      database.name === 'sqlite' ? sql<{ v: string }>`select sqlite_version() as v` : sql`select version() as v`
    expect((await version.execute(open.db)).rows).toHaveLength(1)
    expect(open.name).toBe(database.name)
  })

  test('is emptied whatever names what, and ids go on', async () => {
    await addFamily(open)
    const { id: before } = await open.db.selectFrom('parent').select('id').executeTakeFirstOrThrow()
    await open.empty()
    expect(await takeSnapshot(open.name, open.db)).toEqual({ child: [], parent: [] })
    await addFamily(open)
    const { id: after } = await open.db.selectFrom('parent').select('id').executeTakeFirstOrThrow()
    expect(Number(after)).toBeGreaterThan(Number(before))
  })

  test('enforces foreign keys, also after it was emptied', async () => {
    await expect(open.db.insertInto('child').values({ parent_id: 99 }).execute()).rejects.toThrow(/foreign key/i)
  })

  test('a snapshot differs as soon as one value does', async () => {
    await addFamily(open)
    const before = await takeSnapshot(open.name, open.db)
    expect(await takeSnapshot(open.name, open.db)).toEqual(before)
    await open.db.updateTable('parent').set({ name: 'b' }).execute()
    expect(await takeSnapshot(open.name, open.db)).not.toEqual(before)
  })

  test('records every statement, in transactions and failing ones too', async () => {
    const statements = await open.statements.record(async () => {
      await open.db.transaction().execute((trx) => trx.updateTable('parent').set({ name: 'c' }).execute())
      await sql`insert into child (parent_id) values (null)`.execute(open.db).catch(() => {})
    })
    expect(statements.filter((statement) => statement.startsWith('update'))).toHaveLength(1)
    expect(statements).toContain('begin')
    expect(statements).toContain('insert into child (parent_id) values (null)')
    expect(await open.statements.record(async () => {})).toEqual([])
  })

  test('takes plugins, and shows the tables as they are', async () => {
    const other = await database.open({ plugins: [new CamelCasePlugin()] })
    await createFamily(other)
    await other.db.insertInto('parent').values({ name: 'a' }).execute()
    const { id } = await other.db.selectFrom('parent').select('id').executeTakeFirstOrThrow()
    await other.db.insertInto('child').values({ parentId: id }).execute()
    expect(await tableNames(other.name, other.db)).toEqual(['child', 'parent'])
    expect((await takeSnapshot(other.name, other.db)).child?.[0]).toContain('parent_id')
    await other.close()
  })

  test('is gone when it is closed, or empty for the next one', async () => {
    const other = await database.open()
    await createFamily(other)
    await other.close()
    if (other.name === 'sqlite') {
      expect(existsSync(other.location)).toBe(false)
    } else {
      const next = await database.open()
      expect(await tableNames(next.name, next.db)).toEqual([])
      await next.close()
    }
  })

  test('is emptied of many rows, too', async () => {
    await sql`insert into parent (name)
      with recursive n (n) as (select 1 union all select n + 1 from n where n < 1000) select ${'x'.repeat(1500)} from n`.execute(
      open.db,
    )
    await addFamily(open)
    await open.empty()
    expect(await takeSnapshot(open.name, open.db)).toEqual({ child: [], parent: [] })
  })
})

async function createFamily({ name, db }: OpenDatabase): Promise<void> {
  const id = sql.raw(name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key')
  await sql`create table parent (id ${id}, name text)`.execute(db)
  await sql`create table child (id ${id}, parent_id integer not null references parent (id))`.execute(db)
}

async function addFamily({ db }: OpenDatabase): Promise<void> {
  await db.insertInto('parent').values({ name: 'a' }).execute()
  const { id } = await db.selectFrom('parent').select('id').executeTakeFirstOrThrow()
  await db.insertInto('child').values({ parent_id: id }).execute()
}
