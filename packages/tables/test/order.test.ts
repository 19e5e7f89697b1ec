import { defineResources, knows, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, introspect, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { useDatabase } from './use-database.ts'

const fields = { name: Type.String() }

const plain = defineResources({
  list: { fields, relations: { items: owns.many('item'), tags: knows.many('tag') } },
  item: { fields, relations: { list: ownedBy('list') } },
  tag: { fields, relations: { lists: knows.many('list', { through: 'list_tags', from: 'tagId', to: 'listId' }) } },
})

const back = { through: 'list_tags', from: 'tagId', to: 'listId', order: 'rank' } as const
const ordered = defineResources({
  list: {
    fields,
    relations: { items: owns.many('item', { order: 'position' }), tags: knows.many('tag', { order: 'position' }) },
  },
  item: { fields, columns: { position: 'place' }, relations: { list: ownedBy('list') } },
  tag: { fields, relations: { lists: knows.many('list', back) } },
})

describeOnBoth('the columns of orders', (setup) => {
  const database = useDatabase(setup)

  test('are integers that may be null, of the owned table and of the link table', async () => {
    const { db } = database()
    await createTables(db, ordered)
    expect(await checkTables(db, ordered)).toEqual([])
    await sql`insert into list (name) values ('l')`.execute(db)
    await sql`insert into item (name, place, ${sql.ref('listId')}) select 'i', 7, id from list`.execute(db)
    await sql`insert into item (name, ${sql.ref('listId')}) select 'j', id from list`.execute(db)
    await sql`insert into tag (name) values ('t')`.execute(db)
    await sql`insert into list_tags (${sql.ref('listId')}, ${sql.ref('tagId')}, position, rank) select list.id, tag.id, 1, null from list, tag`.execute(
      db,
    )
  })

  test('are added to tables that are there', async () => {
    const { db } = database()
    await createTables(db, plain)
    const missing = await checkTables(db, ordered)
    expect(missing.map(({ table, column }) => `${table}.${column}`).sort()).toEqual([
      'item.place',
      'list_tags.position',
      'list_tags.rank',
    ])
    await pushTables(db, ordered)
    expect(await checkTables(db, ordered)).toEqual([])
  })

  test('may be NOT NULL in a table that is there, but hold no other values than integers', async () => {
    const { db } = database()
    await createTables(db, plain)
    for (const statement of [
      'alter table item add column place integer not null default 0',
      'alter table list_tags add column position integer not null default 0',
      'alter table list_tags add column rank text',
    ]) {
      await sql.raw(statement).execute(db)
    }
    expect((await checkTables(db, ordered)).map(({ table, column }) => `${table}.${column}`)).toEqual([
      'list_tags.rank',
    ])
  })

  test('are proposed by introspect beside an owner’s key', async () => {
    const { db } = database()
    const [id, key] =
      setup.name === 'postgres' ? ['id bigserial primary key', 'bigint'] : ['id integer primary key', 'integer']
    const tables = [
      `create table list (${id}, sort_order integer)`,
      `create table item (${id}, sort_order integer, list_id ${key} not null references list (id) on delete cascade)`,
    ]
    for (const table of tables) await sql.raw(table).execute(db)
    const { source } = await introspect(db)
    const lines = source.split('\n').filter((line) => line.includes('sort_order'))
    expect(lines.filter((line) => line.includes("order: 'sort_order'"))).toHaveLength(1)
    expect(lines).toHaveLength(2)
  })
})
