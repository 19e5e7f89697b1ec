import { defineResources, knows, type Model, needs } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CamelCasePlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openedSetups, type Setup } from '../../../../test/support/databases.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const short = Type.String({ maxLength: 50 })
const resources = defineResources(
  {
    org: { id: 'text', fields: { name: short } },
    author: { id: 'text', fields: { name: short, email: Type.Optional(short) }, unique: [['name'], ['email']] },
    book: {
      id: 'text',
      fields: { title: short },
      relations: {
        author: needs.one('author'),
        sequel: knows.one('book'),
        fans: knows.many('author', { through: 'fan' }),
      },
      unique: [['author', 'title']],
    },
  },
  { tenant: { resource: 'org' } },
) as Model
const on = (name: string) => openedSetups.filter((setup) => setup.name === name) as [Setup]

const ROWS = [
  `insert into org values ('four', 'Four')`,
  `insert into author (id, name, email) values ('ann', 'Ann', null)`,
  `insert into book (id, title, "authorId", "sequelId") values ('ink', 'Ink', 'ann', null), ('pen', 'Pen', 'ann', 'ink')`,
  `insert into fan values ('ink', 'ann')`,
]

const AS_TEXTS: Readonly<Record<string, readonly string[]>> = {
  'keys within the columns': [
    'create table org (id text not null primary key, name text not null)',
    `create table author (id text primary key on conflict abort, name text constraint one unique not null, email text unique)`,
    `create table book (id varchar(50) not null constraint "the key" primary key asc,
       title text not null,
       "authorId" text not null references author on delete restrict on update no action not deferrable,
       "sequelId" text default null constraint next references book (id) match simple deferrable initially deferred,
       unique (title, "authorId"))`,
    'create table fan (bookId text not null references book, authorId text references author (id) not null, primary key (bookId, authorId)) without rowid',
    'create index by_author on book ("authorId")',
    'create index by_fan on fan (authorId)',
    'create index by_sequel on book ("sequelId")',
  ],
  'keys behind the columns, and unique indexes': [
    'CREATE TABLE org (id text not null primary key, name text not null)',
    `CREATE TABLE [author] (id text not null, name text not null, email text, PRIMARY KEY (id))`,
    'create unique index author_name on author (name)',
    'create unique index author_email_key on author (email)',
    `CREATE TABLE "book" ("id" text not null, title text not null check (title <> ','), "authorId" text not null, "sequelId" text,
       CONSTRAINT a PRIMARY KEY ("id"), constraint b FOREIGN KEY ("authorId") references author (id), foreign key (sequelid) references book,
       UNIQUE ("authorId" collate binary, title))`,
    `CREATE TABLE fan (bookId text not null, authorId text not null, foreign key (bookId) references book, foreign key (authorId) references author,
       UNIQUE (bookId, authorId), PRIMARY KEY (authorId, bookId))`,
    'create index by_sequel on book ("sequelId")',
  ],
}

describe.each(on('sqlite'))(
  'generateMigrations, to a model with tenants, for tables made by hand ($title)',
  (setup) => {
    const { database, folder } = useMigrations(setup)
    const run = async (...statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(database().db)
    }
    const select = async (query: string) => (await sql.raw<object>(query).execute(database().db)).rows

    for (const [title, tables] of Object.entries(AS_TEXTS)) {
      test(`takes ${title} away, and gives them back`, async () => {
        await run(...tables, ...ROWS)
        const { db } = database()
        const schema = "select name, sql from sqlite_schema where name not like 'kysely_%' order by name"
        const before = await select('select * from book')
        const { files, byHand, unfilled } = await generateMigrations(db, resources, { fill: { orgId: 'four' } })
        expect({ byHand, unfilled }).toEqual({ byHand: [], unfilled: [] })
        const migrations = await Migrations.in(database(), folder())
        await migrations.add(files)
        await migrations.up()
        const found = await checkTables(db, resources)
        expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
        expect(await select('pragma foreign_key_check')).toEqual([])
        const after = await select(schema)
        await run(
          `insert into org values ('nine', 'Nine')`,
          `insert into author ("orgId", id, name) values ('nine', 'ann', 'Ann')`,
        )
        const insert = `insert into book ("orgId", id, title, "authorId") values ('nine', 'x', 'X', 'bob')`
        await expect(run(insert)).rejects.toThrow(/foreign key/i)
        await run(`delete from author where "orgId" = 'nine'`, `delete from org where id = 'nine'`)
        await migrations.down()
        expect(await select('select id, title, "authorId", "sequelId" from book')).toEqual(before)
        await expect(run(`insert into author (id, name) values ('bob', 'Ann')`)).rejects.toThrow(/unique/i)
        await expect(run(`insert into author (id, name) values ('ann', 'Bob')`)).rejects.toThrow(/unique/i)
        await expect(run(`update book set "authorId" = 'eve'`)).rejects.toThrow(/foreign key/i)
        await migrations.up()
        expect(await select(schema)).toEqual(after)
      })
    }

    test('leaves to a person what another table names by a key that goes, and what is made in a way of its own', async () => {
      await run(...(AS_TEXTS['keys within the columns'] as readonly string[]))
      await run('create table award (author text references author (id))')
      const fill = { orgId: 'four' }
      const { files, byHand } = await generateMigrations(database().db, resources, { fill })
      expect(files).toEqual([])
      expect(byHand).toEqual([
        'award (author) references author (id), which is no key any more once keys begin with the tenant: drop this foreign key first',
      ])
      await run('drop table award', 'drop table author')
      await run('create table author (id text /* its */ primary key, name text unique not null, email text unique)')
      expect((await generateMigrations(database().db, resources, { fill })).byHand).toEqual([
        'the keys of author do not begin with the tenant. SQLite needs a new table for it, and what the CREATE TABLE of this one says could be lost',
      ])
    })

    test('leaves to a person a column of the tenant that is of another type', async () => {
      await run('create table org (id text not null primary key, name text not null)')
      await run(
        'create table author (id text not null primary key, name text not null unique, email text unique, orgId integer)',
      )
      const { byHand } = await generateMigrations(database().db, resources)
      expect(byHand).toEqual([expect.stringMatching(/^column author\.orgId of the tenant is of type integer/i)])
    })
  },
)

describe.each(on('postgres'))(
  'generateMigrations, to a model with tenants, for tables made by hand ($title)',
  (setup) => {
    const { database, folder } = useMigrations(setup)
    const run = async (...statements: readonly string[]) => {
      for (const statement of statements) await sql.raw(statement).execute(database().db)
    }
    const select = async (query: string) => (await sql.raw<object>(query).execute(database().db)).rows

    test('takes their keys away, whatever they are called, and gives them back', async () => {
      await run(
        'create table org (id text collate "C" primary key, name text not null)',
        'create table author (id text collate "C" constraint "the key" primary key, name text constraint one unique not null, email text)',
        'create unique index by_email on author (email)',
        `create table book (id text collate "C" primary key, title text not null,
        "authorId" text not null collate "C" constraint written references author on delete cascade,
        "sequelId" text collate "C" references book on delete set null deferrable, unique (title, "authorId"))`,
        'create table fan ("bookId" text collate "C" references book on delete cascade, "authorId" text collate "C" references author, primary key ("bookId", "authorId"))',
        'create index by_author on book ("authorId")',
        ...ROWS,
      )
      const { db } = database()
      const keys = () =>
        select(`select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as is from pg_constraint
        where connamespace = current_schema()::regnamespace and contype <> 'n' and conrelid::regclass::text not like 'kysely%' and conrelid::regclass::text not like 'crud%' order by 1, 2`)
      const before = await keys()
      const { files, byHand, unfilled } = await generateMigrations(db, resources, { fill: { orgId: 'four' } })
      expect({ byHand, unfilled }).toEqual({ byHand: [], unfilled: [] })
      const migrations = await Migrations.in(database(), folder())
      await migrations.add(files)
      await migrations.up()
      const found = await checkTables(db, resources)
      expect(found.filter(({ kind }) => kind !== 'collation')).toEqual([])
      await migrations.down()
      const unique = { table: 'author', name: 'by_email', is: 'UNIQUE (email)' }
      expect(await keys()).toEqual([...before, unique].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)))
      await migrations.up()
      expect(await checkTables(db, resources)).toEqual(found)
    })

    test('takes tables of a schema, with names that a plugin changes', async () => {
      await run('create schema plant')
      const db = database().db.withPlugin(new CamelCasePlugin()).withSchema('plant')
      const define = (options?: object) =>
        defineResources(
          {
            workOrg: { fields: { orgName: short } },
            workItem: {
              fields: { itemName: short },
              relations: { nextItem: knows.one('workItem') },
              unique: [['itemName']],
            },
          },
          options as never,
        ) as Model
      await createTables(db, define())
      await run(
        `insert into plant.work_org (org_name) values ('Four')`,
        `insert into plant.work_item (item_name) values ('a')`,
      )
      const to = define({ tenant: { resource: 'workOrg' } })
      const { files } = await generateMigrations(db, to, { fill: { workOrgId: 1 } })
      const migrations = await Migrations.in(database(), folder())
      await migrations.add(files)
      await migrations.up()
      expect(await checkTables(db, to)).toEqual([])
      await migrations.down()
      await migrations.up()
      expect(await checkTables(db, to)).toEqual([])
    })
  },
)
