import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineResources, knows, type Model, needs } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenDatabase, openedSetups, type Setup } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useDatabase } from '../use-database.ts'
import { Migrations } from './migrations.ts'

const short = Type.String({ maxLength: 20 })
const before = defineResources({
  book: { fields: { title: short, code: Type.Integer() }, unique: [['title']] },
  author: { fields: { name: short } },
}) as Model
/** Each kind of file is needed for it. */
const after = defineResources({
  book: { fields: { title: short, code: Type.String(), more: Type.Optional(short) }, index: [['title']] },
  author: { fields: { name: short }, unique: [['name']] },
}) as Model

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(import.meta.dirname, '.printed-'))
})
afterAll(() => rm(parent, { recursive: true }))

async function begin({ db }: OpenDatabase): Promise<void> {
  await createTables(db, before)
  await db.insertInto('author').values({ name: 'Ann' }).execute()
  await db.insertInto('book').values({ title: 'Ink', code: 7 }).execute()
}

describeOnBoth('A migration', (setup) => {
  const database = useDatabase(setup)

  test('compiles in strict projects', async () => {
    await begin(database())
    const { files } = await generateMigrations(database().db, after)
    expect(files.length).toBe(2)
    const folder = await mkdtemp(join(parent, 'strict-'))
    for (const { kind, source } of files) await writeFile(join(folder, `${kind}.ts`), source)
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, module: 'nodenext', target: 'esnext', types: ['node'] },
      ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, verbatimModuleSyntax: true },
      ...{ noUnusedLocals: true, noUnusedParameters: true },
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    const compiler = join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc')
    expect(execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })).toBe('')
  })

  test('comes with its SQL, and changes nothing before it runs', async () => {
    await begin(database())
    const { files } = await generateMigrations(database().db, after)
    const statements = files.flatMap((file) => file.statements)
    expect(statements[0]).toMatch(
      setup.name === 'postgres'
        ? /^ALTER TABLE "book" DROP CONSTRAINT/
        : /^-- book is made anew: book \(title\) is unique, which the descriptors do not say$/,
    )
    expect((await checkTables(database().db, after)).length).toBeGreaterThan(0)
  })

  test('that fails changes nothing, and can run again', async () => {
    await begin(database())
    const { db } = database()
    await db.insertInto('author').values({ name: 'Ann' }).execute()
    const { files } = await generateMigrations(db, after)
    const migrations = await Migrations.in(database(), parent)
    await migrations.add(files)
    expect((await migrations.tryUp()).error).toMatchObject({ message: expect.stringMatching(/unique/i) })
    await sql`delete from author where id = 2`.execute(db)
    await migrations.up()
    expect(await checkTables(db, after)).toEqual([])
  })
})

const on = (name: string) => openedSetups.filter((setup) => setup.name === name) as [Setup]

describe.each(on('postgres'))('A migration ($title)', (setup) => {
  const database = useDatabase(setup)

  test('with statements that no transaction can have says so in one, and which setting it needs', async () => {
    await begin(database())
    const { files } = await generateMigrations(database().db, after)
    const migrations = await Migrations.in(database(), parent, false)
    await migrations.add(files)
    const { error } = await migrations.tryUp()
    expect((error as Error).message).toMatch(/cannot run in a transaction.*disableTransactions: true/)
    const ordinary = await Migrations.in(database(), parent, false)
    await ordinary.add(files.filter(({ kind }) => kind === 'ordinary'))
    await ordinary.up()
    expect((await checkTables(database().db, after)).map(({ kind }) => kind)).toEqual(['unique', 'index'])
  })

  test('waits for other writers for a few seconds only, and puts the timeouts back', async () => {
    await begin(database())
    const { files } = await generateMigrations(database().db, after)
    expect(files[0]?.source).toContain(`await run(db, "set local lock_timeout = '5s'")`)
    const migrations = await Migrations.in(database(), parent)
    await migrations.add(files)
    const settings = () =>
      sql`select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`
        .execute(database().db)
        .then(({ rows }) => rows)
    const first = await settings()
    await migrations.up()
    expect(await settings()).toEqual(first)
  })
})

describe.each(on('sqlite'))('A table that SQLite makes anew ($title)', (setup) => {
  const database = useDatabase(setup)

  const run = async (...statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(database().db)
  }
  const select = async (query: string) => (await sql.raw<object>(query).execute(database().db)).rows

  test('keeps rows, ids, indexes, triggers, views, foreign keys of others, and all that no descriptor knows', async () => {
    await run(
      'create table author (id integer primary key autoincrement, name text not null)',
      `create table [book] ( -- the books
        id integer primary key autoincrement,
        title text collate nocase not null check (title <> ''), /* a, b ) */
        "authorId" integer references author (id) on delete cascade deferrable initially deferred,
        size integer generated always as (length(title)) virtual,
        old text default 'none' check (old <> 'a'))`,
      'create table page (id integer primary key autoincrement, book integer not null references book (id) on delete cascade)',
      `create index "by ""title""" on book (title) where old = 'none'`,
      'create table log (text text)',
      "create trigger noted after update on book begin insert into log values ('book ' || new.id); end",
      "create trigger of_pages after insert on page begin update book set old = 'page' where id = new.book; end",
      'create view titles as select title, (select count(*) from page where book = book.id) as pages from book',
      `insert into author values (1, 'Ann')`,
      `insert into book (id, title, "authorId") values (3, 'Ink', 1), (9, 'gone', null)`,
      'delete from book where id = 9',
      'insert into page (book) values (3)',
      'delete from log',
    )
    const to = defineResources({
      author: { fields: { name: Type.String() } },
      book: { fields: { title: Type.String() }, relations: { author: needs.one('author', { optional: true }) } },
    }) as Model
    const knowing = defineResources({
      author: { fields: { name: Type.String() } },
      book: { fields: { title: Type.String() }, relations: { author: knows.one('author') } },
    }) as Model
    const { files } = await generateMigrations(database().db, knowing)
    expect(files.map(({ kind }) => kind)).toEqual(['rebuild', 'ordinary'])
    const objects = "select type, name, sql from sqlite_schema where type <> 'table' or name <> 'book' order by name"
    const rows = async () => [
      await select('select * from book'),
      await select('select * from page'),
      await select('select * from titles'),
    ]
    const [objectsBefore, rowsBefore] = [await select(objects), await rows()]
    const migrations = await Migrations.in(database(), parent)
    await migrations.add(files.slice(0, 1))
    await migrations.up()
    const text = String(Object.values((await select(`select sql from sqlite_schema where name = 'book'`))[0] ?? {})[0])
    expect(text).toContain('references author (id) deferrable initially deferred')
    expect(text).toContain(`old text default 'none' check (old <> 'a')`)
    const without = (list: object[]) =>
      list.filter((one) => !String((one as { name: string }).name).includes('kysely_'))
    expect(without(await select(objects))).toEqual(without(objectsBefore))
    expect(await rows()).toEqual(rowsBefore)
    expect(await select('pragma foreign_keys')).toEqual([{ foreign_keys: 1 }])
    expect(await select('pragma foreign_key_check')).toEqual([])
    await run(`insert into book (title) values ('New')`, 'update book set old = null where id = 3')
    expect(await select('select max(id) as id from book')).toEqual([{ id: 10 }])
    expect(await select('select text from log')).toEqual([{ text: 'book 3' }])
    await expect(run('delete from author')).rejects.toThrow(/foreign key/i)
    await migrations.down()
    await run('delete from author')
    expect(await select('select title from book')).toEqual([{ title: 'New' }])
    expect(to).toBeDefined()
  })

  test('is refused with the reason where more depends on the column than the model knows', async () => {
    await run('create table book (id integer primary key autoincrement, pages integer not null check (pages > 0))')
    const to = defineResources({ book: { fields: { pages: Type.String() } } }) as Model
    const { files, byHand } = await generateMigrations(database().db, to)
    expect(files.flatMap(({ changes }) => changes).filter((change) => change.includes('book'))).toEqual([])
    expect(byHand).toEqual([expect.stringMatching(/book\.pages is of type integer.*could be lost$/i)])
  })

  test('is rolled back where rows name what is not there', async () => {
    const from = defineResources({ book: { fields: { authorId: Type.Integer() } }, author: {} }) as Model
    const to = defineResources({ book: { relations: { author: needs.one('author') } }, author: {} }) as Model
    await createTables(database().db, from)
    await run('insert into book ("authorId") values (7)')
    const migrations = await Migrations.in(database(), parent)
    await migrations.add((await generateMigrations(database().db, to)).files)
    const { error } = await migrations.tryUp()
    expect((error as Error).message).toBe('Rows of book name rows that are not there')
    expect(await select('select "authorId" from book')).toEqual([{ authorId: 7 }])
    expect(await select('pragma foreign_keys')).toEqual([{ foreign_keys: 1 }])
  })

  test('must be as it was where the migration was generated', async () => {
    await begin(database())
    const migrations = await Migrations.in(database(), parent)
    await migrations.add((await generateMigrations(database().db, after)).files)
    await run('drop table book', 'create table book (id integer primary key autoincrement, title text, code blob)')
    const { error } = await migrations.tryUp()
    expect((error as Error).message).toMatch(/The table book is not as it was where this migration was generated/)
  })
})
