import { createStore, defineResources, type Model, needs } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { keysOf } from './keys-of.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const short = Type.String({ maxLength: 50 })
const seconds = Type.Integer()
const define = (descriptors: object, options?: object) =>
  defineResources(descriptors as never, options as never) as Model
const tenants = { tenant: { resource: 'org' } }

const org = { fields: { name: short } }
const page = { fields: { name: short }, relations: { org: needs.one('org') } }
const visit = { id: false, fields: { seconds }, relations: { page: needs.one('page') } }
const click = { ...visit, relations: { page: needs.one('page', { optional: true }) } }
const hit = { ...visit, id: 'integer', writable: false }
const ping = { id: false, fields: { seconds } }

describeOnBoth('generateMigrations, which gives rows a tenant that the service only reads,', (setup) => {
  const { database, folder, isThere } = useMigrations(setup)
  const integer = setup.name === 'postgres' ? 'bigint' : 'integer'

  const run = async (...statements: readonly string[]) => {
    for (const statement of statements) await sql.raw(statement).execute(database().db)
  }
  const values = async (query: string) =>
    (await sql.raw<Record<string, unknown>>(query).execute(database().db)).rows.map((row) =>
      Object.values(row).map(String),
    )
  const errors = async (model: Model) =>
    (await checkTables(database().db, model)).filter(({ severity }) => severity === 'error')

  /** Two tenants with a page each. */
  async function withPages(...tables: readonly string[]): Promise<void> {
    await createTables(database().db, define({ org, page }))
    await run(`insert into org (name) values ('Four'), ('Nine')`)
    await run(`insert into page (name, "orgId") values ('One', 1), ('Two', 2)`, ...tables)
  }

  async function migrated(to: Model, fill: Readonly<Record<string, unknown>> = {}): Promise<Migrations> {
    const { files, byHand, unfilled } = await generateMigrations(database().db, to, { fill })
    expect({ byHand, unfilled }).toEqual({ byHand: [], unfilled: [] })
    const migrations = await Migrations.in(database(), folder())
    await migrations.add(files)
    await migrations.up()
    return migrations
  }

  const reference = 'references page (id)'
  for (const [title, constraint] of [
    ['with a foreign key', reference],
    ['without a foreign key', ''],
  ]) {
    test(`takes the tenant of what rows without ids need, ${title}`, async () => {
      await withPages(
        `create table visit (seconds integer not null, "pageId" ${integer} not null ${constraint})`,
        'insert into visit values (4, 1), (5, 2), (6, 2)',
      )
      const from = define({ org, page, visit })
      const to = define({ org, page, visit }, tenants)
      const before = await keysOf(database())
      const migrations = await migrated(to)
      await isThere(to)
      expect(await values('select seconds, "orgId" from visit order by 1')).toEqual([
        ['4', '1'],
        ['5', '2'],
        ['6', '2'],
      ])
      const store = createStore({ db: database().db, resources: to }).asSystem({ tenant: 2 })
      expect(await store.resource('visit').list()).toMatchObject({ count: 2 })
      await migrations.down()
      expect(await errors(from)).toEqual([])
      const ofVisits = (lines: readonly string[]) => lines.filter((line) => /key of visit/.test(line))
      expect(ofVisits(await keysOf(database()))).toEqual(ofVisits(before))
      await run('insert into visit (seconds, "pageId") values (7, 1)')
      await migrations.up()
      await isThere(to)
      expect(await values('select "orgId" from visit where seconds = 7')).toEqual([['1']])
    })
  }

  test('has the database refuse rows that name a record of another tenant, where it has refused unknown ones', async () => {
    const id = `text ${setup.name === 'postgres' ? 'collate "C" ' : ''}not null`
    const ofTexts = { org, page: { ...page, id: 'text' }, visit }
    await createTables(database().db, define({ org: ofTexts.org, page: ofTexts.page }))
    await run(
      `insert into org (name) values ('Four'), ('Nine')`,
      `insert into page (id, name, "orgId") values ('a', 'One', 1), ('b', 'Two', 2)`,
      `create table visit (seconds integer not null, "pageId" ${id} references page (id))`,
      `insert into visit values (4, 'a'), (5, 'b')`,
    )
    const to = define(ofTexts, tenants)
    const migrations = await migrated(to)
    await isThere(to)
    await expect(run(`insert into visit values (6, 'a', 2)`)).rejects.toThrow(/foreign key/i)
    await run(`insert into visit values (6, 'a', 1)`)
    await migrations.down()
    await expect(run(`insert into visit values (6, 'c', 1)`)).rejects.toThrow(/foreign key/i)
    await migrations.up()
    await isThere(to)
  })

  test('says that others who write the rows have to give the tenant', async () => {
    await withPages(
      `create table visit (seconds integer not null, "pageId" ${integer} not null)`,
      'insert into visit values (4, 1)',
    )
    const { files } = await generateMigrations(database().db, define({ org, page, visit }, tenants))
    expect(files.flatMap(({ changes }) => changes)).toContain(
      'column visit.orgId of the tenant is missing: whoever writes rows of visit has to give it from then on',
    )
  })

  test('asks for the tenant of rows that name no record, or one that is not there', async () => {
    await withPages(
      'create table ping (seconds integer not null)',
      `create table click (seconds integer not null, "pageId" ${integer})`,
      `create table visit (seconds integer not null, "pageId" ${integer} not null)`,
      `insert into click values (4, 2), (5, null)`,
      `insert into visit values (4, 2), (5, 7)`,
      'insert into ping values (4)',
    )
    const to = define({ org, page, click, visit, ping }, tenants)
    const { files, unfilled } = await generateMigrations(database().db, to)
    expect(files).toEqual([])
    expect(unfilled.map(({ message }) => message)).toEqual([
      'rows of click, visit, ping have no tenant: give it by --fill orgId=ID, or for one table by --fill click.orgId=ID',
    ])
    const some = await generateMigrations(database().db, to, { fill: { 'ping.orgId': 1, 'click.orgId': 1 } })
    expect(some.unfilled.map(({ message }) => message)).toEqual([
      'rows of visit have no tenant: give it by --fill orgId=ID, or for one table by --fill visit.orgId=ID',
    ])
    await migrated(to, { orgId: 1 })
    await isThere(to)
    const all = 'select seconds, "orgId" from'
    expect(await values(`${all} click union all ${all} visit union all ${all} ping order by 1, 2`)).toEqual([
      ['4', '1'],
      ['4', '2'],
      ['4', '2'],
      ['5', '1'],
      ['5', '1'],
    ])
  })

  test('gives tables with ids that others write the column, and leaves their keys alone', async () => {
    await withPages(
      `create table hit (id ${integer} primary key ${setup.name === 'postgres' ? '' : 'autoincrement'}, seconds integer not null unique, "pageId" ${integer} not null ${reference})`,
      'insert into hit values (1, 4, 1), (2, 5, 2)',
    )
    const to = define({ org, page, hit }, tenants)
    const keys = async () => (await keysOf(database())).filter((line) => /hit.*(_pkey|_key|1[pu]0)/.test(line))
    const before = await keys()
    await migrated(to)
    await isThere(to)
    expect(await values('select id, "orgId" from hit order by 1')).toEqual([
      ['1', '1'],
      ['2', '2'],
    ])
    expect(await keys()).toEqual(before)
  })

  test('gives them the column alone where the model takes plain keys, and the keys later', async () => {
    await withPages(
      `create table visit (seconds integer not null, "pageId" ${integer} not null ${reference})`,
      'insert into visit values (4, 2)',
    )
    const plain = define({ org, page, visit }, { tenant: { resource: 'org', keys: 'plain' } })
    await migrated(plain)
    expect(await errors(plain)).toEqual([])
    expect((await generateMigrations(database().db, plain)).files).toEqual([])
    const whole = define({ org, page, visit }, tenants)
    await run('delete from kysely_migration')
    await migrated(whole)
    await isThere(whole)
  })

  test('leaves a view to a person, and says what it lacks', async () => {
    await withPages('create view sale as select id, 1 as seconds, id as "pageId" from page')
    const sale = { ...hit, fields: {} }
    const to = define({ org, page, sale }, tenants)
    const { byHand, files } = await generateMigrations(database().db, to)
    expect(byHand).toEqual(['column sale.orgId is missing: the view has to show the tenant of each row'])
    const migrations = await Migrations.in(database(), folder())
    await migrations.add(files)
    await migrations.up()
    await run('drop view sale', 'create view sale as select id, "orgId", id as "pageId" from page')
    await isThere(to)
  })
})
