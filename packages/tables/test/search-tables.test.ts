import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, introspect, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import SqliteDriver from 'better-sqlite3'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openedSetups, type Setup } from '../../../test/support/databases.ts'
import { useDatabase } from './use-database.ts'

const text = Type.String()
const note = Type.Optional(text)
const search = { fields: ['title', 'note'], index: true } as const

const model = defineResources({
  shelf: { fields: { name: text }, relations: { leaves: owns.many('leaf') } },
  leaf: { topLevel: true, fields: { title: text, note }, relations: { shelf: ownedBy('shelf') }, search },
  book: { fields: { title: text, note }, search },
  page: { id: 'text', fields: { title: text, note }, search },
  pair: { id: ['left', 'right'], fields: { left: text, right: Type.Integer(), title: text, note }, search },
})
const searched = ['book', 'page', 'pair', 'leaf']
const withoutIndex = defineResources({ book: { fields: { title: text, note } } })

const sqlite = openedSetups.find(({ name }) => name === 'sqlite') as Setup
const WARNING = 'book has no index for searches over (title, note): they read the whole table'

const messagesOf = async ({ db }: OpenDatabase) =>
  (await checkTables(db, model)).map(({ message }) => message.replace(/: (DROP|CREATE) .*$/s, ''))

async function partsIn({ db }: OpenDatabase): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_schema where name like 'crud_search_book%' and (type = 'trigger' or name like '%_fts' or name like '%_rows')
    order by 1`.execute(db)
  return rows.map(({ name }) => name.replace('crud_search_book_', ''))
}

const ALL = ['delete', 'fts', 'insert', 'rows', 'update']

describe('the index of a search (sqlite)', () => {
  const database = useDatabase(sqlite)
  const find = async (resource: 'book' | 'page' | 'pair' | 'leaf', words: string) => {
    const list = createStore({ db: database().db, resources: model })[resource].list as (
      options: object,
    ) => Promise<{ rows: { title: string }[] }>
    return (await list({ search: words, limit: 100 })).rows.map(({ title }) => title)
  }

  test('is made by createTables with all its parts, once', async () => {
    await createTables(database().db, model)
    expect(await partsIn(database())).toEqual(ALL)
    expect(await messagesOf(database())).toEqual([])
    const again = await database().statements.record(() => createTables(database().db, model))
    expect(again.filter((one) => /^create/i.test(one))).toEqual([])
    expect(await pushTables(database().db, model)).toEqual([])
  })

  test('is made for rows that are there, by createTables and by pushTables', async () => {
    for (const make of [createTables, pushTables]) {
      const { db } = database()
      await createTables(db, withoutIndex)
      await db
        .insertInto('book')
        .values({ title: `of ${make.name}`, note: 'Lamp' })
        .execute()
      await make(db, model)
      expect(await find('book', 'lam')).toEqual([`of ${make.name}`])
      expect(await messagesOf(database())).toEqual([])
      await db.schema.dropTable('book').execute()
      for (const one of ['fts', 'rows']) await sql.raw(`drop table crud_search_book_${one}`).execute(db)
    }
  })

  test('is named by checkTables where a part is missing or is another one, with the SQL that makes it anew', async () => {
    const { db } = database()
    await createTables(db, model)
    await db.insertInto('book').values({ title: 'A lamp' }).execute()
    for (const broken of [
      'drop trigger crud_search_book_update',
      'drop table crud_search_book_fts',
      'drop trigger crud_search_book_delete; create trigger crud_search_book_delete after delete on book begin select 1; end',
    ]) {
      const other = new SqliteDriver(database().location)
      other.exec(broken)
      other.close()
      const [problem, another] = await checkTables(db, model)
      expect([problem?.severity, problem?.message.startsWith(WARNING), another]).toEqual(['warning', true, undefined])
      const fixing = new SqliteDriver(database().location)
      fixing.exec(problem?.fix ?? '')
      fixing.close()
      expect(await messagesOf(database())).toEqual([])
      expect(await find('book', 'lam')).toEqual(['A lamp'])
    }
  })

  test('is right whoever writes, for ids of all kinds', async () => {
    const { db, location } = database()
    await createTables(db, model)
    // Without any function of ours.
    const other = new SqliteDriver(location)
    const keys = {
      book: ['id', '1', '2', '3'],
      page: ['id', "'a'", "'b'", "'c'"],
      pair: ['left, right', "'a', 1", "'a', 2", "'b', 1"],
    }
    for (const name of ['book', 'page', 'pair'] as const) {
      const [key = '', one, two, three] = keys[name]
      const whole = key.includes(',') ? `(${key})` : key
      const is = (id: string | undefined) => `${whole} = ${key.includes(',') ? `(${id})` : id}`
      other.exec(
        `insert into ${name} (${key}, title, note) values (${one}, 'The LAMP', null), (${two}, 'No. 2', 'lamps'), (${three}, '100%', 'x')`,
      )
      expect(await find(name, 'lamp')).toEqual(['The LAMP', 'No. 2'])
      other.exec(`update ${name} set note = 'A Table', title = 'new' where ${is(one)}`)
      expect([await find(name, 'lamp'), await find(name, 'table new')]).toEqual([['No. 2'], ['new']])
      other.exec(`insert or replace into ${name} (${key}, title, note) values (${two}, 'replaced', 'by candle')`)
      expect([await find(name, 'lamp'), await find(name, 'candle')]).toEqual([[], ['replaced']])
      other.exec(
        `insert into ${name} (${key}, title, note) values (${two}, 'again', 'x') on conflict (${key}) do update set title = 'upserted'`,
      )
      expect([await find(name, 'again'), await find(name, 'upsert')]).toEqual([[], ['upserted']])
      other.exec(`delete from ${name} where ${is(one)}`)
      expect([await find(name, 'table'), await find(name, '100')]).toEqual([[], ['100%']])
      const moved = { book: 'id = 77', page: "id = 'zz'", pair: "left = 'zz'" }[name]
      other.exec(`update ${name} set ${moved} where ${is(three)}`)
      expect(await find(name, '00%')).toEqual(['100%'])
      other.exec('vacuum')
      expect([await find(name, '00%'), await find(name, 'upsert')]).toEqual([['100%'], ['upserted']])
      other.exec(`delete from ${name}`)
      other.exec(`insert into ${name} (${key}, title) values (${one}, 'the last')`)
      expect(await find(name, 'last')).toEqual(['the last'])
    }
    other.exec(
      "insert into shelf (id, name) values (1, 's'); insert into leaf (title, shelfId) values ('owned one', 1)",
    )
    expect(await find('leaf', 'owned')).toEqual(['owned one'])
    other.exec('delete from leaf')
    expect(await find('leaf', 'owned')).toEqual([])
    for (const name of searched)
      other.exec(`insert into crud_search_${name}_fts (crud_search_${name}_fts) values ('integrity-check')`)
    other.close()
  })

  test('follows the writes of the service, and those that are rolled back', async () => {
    const { db } = database()
    await createTables(db, model)
    const { leaf, shelf } = createStore({ db, resources: model })
    const { id, leaves } = await shelf.create({
      name: 's',
      leaves: [{ title: 'first lamp' }, { title: 'second lamp' }],
    })
    await shelf.patch(id, { leaves: [{ id: leaves[0]?.id as number, title: 'first candle' }] })
    expect([await find('leaf', 'lamp'), await find('leaf', 'candle')]).toEqual([['second lamp'], ['first candle']])
    await leaf.create({ title: 'a third lamp', shelfId: id }, { dryRun: true })
    await expect(leaf.create({ title: 5, shelfId: id } as never)).rejects.toMatchObject({ code: 'CRUD_ERR_INVALID' })
    await shelf.replace(id, { name: 's', leaves: [] })
    expect(await find('leaf', 'lamp')).toEqual([])
  })

  test('folds case as FTS5 does: a letter that it does not know is itself', async () => {
    const { db } = database()
    await createTables(db, model)
    await db
      .insertInto('book')
      .values([{ title: 'İstanbul' }, { title: 'STRAẞE Ωmega ÉÀ' }])
      .execute()
    expect([await find('book', 'istan'), await find('book', 'İST'), await find('book', 'is')]).toEqual([
      [],
      ['İstanbul'],
      ['İstanbul'],
    ])
    expect(await find('book', 'straße ωMEGA éà')).toEqual(['STRAẞE Ωmega ÉÀ'])
  })

  test('is used where it is there, and a search works before', async () => {
    const { db } = database()
    await createTables(db, withoutIndex)
    await db.insertInto('book').values({ title: 'A lamp' }).execute()
    const { book } = createStore({
      db,
      resources: defineResources({ book: { ...withoutIndex.descriptors.book, search } }),
    })
    const statementOf = async () => {
      const statements = await database().statements.record(async () =>
        expect((await book.list({ search: 'lamp' })).count).toBe(1),
      )
      return statements.join()
    }
    expect(await statementOf()).not.toContain(' match ')
    await createTables(db, defineResources({ book: { ...withoutIndex.descriptors.book, search } }))
    expect(await statementOf()).toContain(' match ')
  })

  test('is no table for introspect', async () => {
    await createTables(database().db, model)
    const { tables, source } = await introspect(database().db)
    expect([...tables.keys()].sort()).toEqual(['book', 'leaf', 'page', 'pair', 'shelf'])
    expect(source).not.toContain('crud_search')
  })
})

const ROWS = 100_000

describe('a search in a table of 100,000 rows (sqlite)', () => {
  let open: OpenDatabase
  beforeAll(async () => {
    open = await sqlite.open()
    await createTables(open.db, model)
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(ROWS)})
      insert into book (id, title, note) select i, printf('The Book %06d', i), case when i % 3 = 0 then 'note ' || hex(i) end from n`.execute(
      open.db,
    )
    await sql`analyze`.execute(open.db)
  }, 240_000)
  afterAll(() => open?.close())

  test.each([
    { search: '012345' },
    { search: '012345 BOOK', sort: ['-title'] },
    { search: '012345', count: 'none' },
  ] as const)('finds by the index: %j', async (options) => {
    const { book } = createStore({ db: open.db, resources: model })
    const run = () => book.list(options)
    await run()
    const [statement = ''] = (await open.statements.record(run)).filter((one) => one.includes(' match '))
    const driver = new SqliteDriver(open.location)
    driver.function('crud_lower', { deterministic: true, directOnly: true }, (text) => String(text).toLowerCase())
    const parameters = Array(statement.split('?').length - 1).fill(null)
    const steps = driver.prepare<unknown[], { detail: string }>(`explain query plan ${statement}`).all(...parameters)
    driver.close()
    const details = steps.map(({ detail }) => detail)
    expect(details.filter((step) => step.includes('VIRTUAL TABLE INDEX'))).not.toEqual([])
    expect(details.filter((step) => /^SCAN t\d/.test(step) && !/^SCAN t0$/.test(step))).toEqual([])
    expect(details.filter((step) => /^SEARCH t[01] USING INTEGER PRIMARY KEY/.test(step))).not.toEqual([])
    expect((await run()).rows).toMatchObject([{ id: 12345 }])
  })
})
