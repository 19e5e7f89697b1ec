import { defineResources, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { tableLayout } from '../src/layout/tables-of-model.ts'
import { useDatabase } from './use-database.ts'

const admin = {
  table: 'person',
  where: { type: 'Admin' },
  fields: { name: Type.String(), level: Type.Integer({ index: true }) },
  unique: [['name']],
} as const

const resources = defineResources({
  admin,
  member: {
    table: 'person',
    where: { type: 'Member' },
    fields: { name: Type.String() },
    relations: { boss: needs.one('admin') },
    unique: [['name']],
  },
})

test('A table has the columns of all its resources, and what one of them lacks may be null', () => {
  const [person, ...others] = tableLayout(resources)
  expect(others).toEqual([])
  expect(person?.columns.map(({ name, kind, nullable }) => [name, kind, nullable])).toEqual([
    ['id', 'id', false],
    ['name', 'string', false],
    ['level', 'integer', true],
    ['type', 'string', false],
    ['bossId', 'foreignKey', true],
  ])
  expect(person).toMatchObject({
    uniques: [{ columns: ['name', 'type'] }],
    foreignKeys: [{ column: 'bossId', target: 'person' }],
    indexes: [['bossId']],
    declaredIndexes: [['level']],
    searched: [],
    discriminator: 'type',
  })
})

test('A row has at most one owner, where only some resources of a table have several', () => {
  const model = defineResources({
    a: { relations: { xs: owns.many('x') } },
    b: { relations: { xs: owns.many('x'), ys: owns.many('y') } },
    x: { table: 't', where: { kind: 1 }, relations: { a: ownedBy('a'), b: ownedBy('b') } },
    y: { table: 't', where: { kind: 2 }, relations: { b: ownedBy('b') } },
  })
  expect(tableLayout(model).at(-1)).toMatchObject({
    columns: [{ name: 'id' }, { name: 'kind', kind: 'integer' }, { name: 'aId' }, { name: 'bId', nullable: true }],
    owners: { columns: ['aId', 'bId'], optional: true },
  })
})

describeOnBoth('a table of several resources', (setup) => {
  const database = useDatabase(setup)
  const id = setup.name === 'postgres' ? 'id serial primary key' : 'id integer primary key autoincrement'

  async function problems(...statements: readonly string[]): Promise<unknown[]> {
    for (const statement of statements) await sql.raw(statement).execute(database().db)
    const found = await checkTables(database().db, resources)
    return found.filter(({ severity, kind }) => severity === 'error' || kind.endsWith('unique'))
  }

  const columns = `${id}, type varchar(40), name text not null, level integer, "bossId" integer references person (id)`

  test('may take rows without a kind, and be stricter about what is unique', async () => {
    expect(await problems(`create table person (${columns}, unique (name))`)).toEqual([])
  })

  test('needs the column in its unique keys', async () => {
    expect(await problems(`create table person (${columns})`)).toMatchObject([
      { kind: 'unique', wanted: 'unique (name, type)' },
    ])
  })

  test('lets be null what only one of them requires', async () => {
    const all = columns.replace('level integer', 'level integer not null')
    expect(await problems(`create table person (${all}, unique (name, type))`)).toMatchObject([
      { kind: 'null', column: 'level', wanted: 'null' },
    ])
  })

  test('grows by another resource', async () => {
    const { db } = database()
    await createTables(db, defineResources({ admin }))
    await db.insertInto('person').values({ name: 'a', level: 1, type: 'Admin' }).execute()
    await pushTables(db, resources)
    expect(await checkTables(db, resources)).toEqual([])
    const [row] = await db.selectFrom('person').select(['name', 'level', 'type']).execute()
    // Some drivers give integers as texts.
    expect({ ...row, level: Number(row?.level) }).toEqual({ name: 'a', level: 1, type: 'Admin' })
  })
})
