import { createStore, defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'

const [sqlite, postgres] = databases as [TestDatabase, TestDatabase]

const shop = {
  project: {
    fields: { name: Type.String(), isOpen: Type.Boolean() },
    relations: { tasks: owns.many('task'), labels: knows.many('label'), country: knows.one('country') },
    unique: [['name'], ['isOpen', 'name']],
  },
  task: {
    fields: { title: Type.String() },
    relations: { project: ownedBy('project'), label: needs.one('label', { optional: true }), next: knows.one('task') },
  },
  label: { id: 'text', fields: { name: Type.String() } },
  country: { id: 'text', fields: {}, tenant: false, public: true },
} as const
const model = (unique: readonly (readonly ['name'])[]) =>
  defineResources(
    { ...shop, org: { id: 'uuid', fields: { name: Type.String() }, unique } },
    { tenant: { resource: 'org' } },
  )
const resources = model([])

/** What Citus lacks. */
const engine = { setConfig: false, identityColumns: false, comparingUpdates: false } as const

/**
 * Functions with the names and parameters of Citus', which note what they are asked for. They refuse what it refuses: identity columns, keys
 * without the column, and foreign keys, which have to come when all tables are spread.
 */
const CITUS = [
  'create table asked (number serial, "table" text, "column" text)',
  `create function refuse_unless_spread(one regclass, by text) returns void language plpgsql as $$
    begin
      if exists (select from pg_attribute where attrelid = one and attidentity <> '') then
        raise exception 'cannot complete operation on % with identity column', one;
      end if;
      if exists (select from pg_constraint where contype = 'f' and conrelid = one) then
        raise exception '% has foreign keys before all tables are distributed', one;
      end if;
      if by is not null and exists (select from pg_index i where i.indrelid = one and i.indisunique
        and not (select attnum from pg_attribute where attrelid = one and attname = by) = any (i.indkey)) then
        raise exception 'a key of % lacks the column %', one, by;
      end if;
      insert into asked ("table", "column") values (one::text, by);
    end
  $$`,
  `create function create_distributed_table(table_name regclass, distribution_column text, distribution_type text default 'hash',
      colocate_with text default 'default') returns void language sql
    as $$ select refuse_unless_spread(table_name, distribution_column) $$`,
  `create function create_reference_table(table_name regclass) returns void language sql
    as $$ select refuse_unless_spread(table_name, null) $$`,
]

describe('tables that createTables distributes', () => {
  let database: OpenDatabase

  beforeEach(async () => {
    database = await postgres.open({ engine })
    for (const statement of CITUS) await sql.raw(statement).execute(database.db)
  })
  afterEach(() => database.close())

  const asked = async () => {
    const { rows } = await sql<{
      call: string
    }>`select concat_ws(' by ', "table", "column") as call from asked order by number`.execute(database.db)
    return rows.map(({ call }) => call)
  }

  test('are spread one after the other as they are created, those before that others name', async () => {
    const statements = await database.statements.record(() =>
      createTables(database.db, resources, { distribute: 'citus' }),
    )
    const calls = await asked()
    expect([...calls].sort()).toEqual([
      'country',
      'crud_idempotency',
      'crud_numbers',
      'label by orgId',
      'org by id',
      'project by orgId',
      'project_labels by orgId',
      'task by orgId',
    ])
    const { rows: keys } = await sql<{
      name: string
    }>`select conname as name from pg_constraint where contype = 'f' order by 1`.execute(database.db)
    expect(keys.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['project_countryId_fkey', 'project_orgId_fkey']),
    )
    const sequential = statements.findIndex((one) => one.startsWith('set local citus.multi_shard_modify_mode'))
    expect(sequential).toBeGreaterThan(-1)
    expect(sequential).toBeLessThan(statements.findIndex((one) => one.startsWith('create table')))
  })

  test('are spread by no column where a key of the tenants themselves lacks it', async () => {
    await createTables(database.db, model([['name']]), { distribute: 'citus' })
    expect(await asked()).toContain('org')
  })

  test('are left as they are if they are there already', async () => {
    await createTables(database.db, resources)
    await createTables(database.db, resources, { distribute: 'citus' })
    expect(await asked()).toEqual([])
  })

  test('take all writes, without settings', async () => {
    const { db } = database
    await createTables(db, resources, { distribute: 'citus' })
    const store = createStore({ db, resources })
    const { id: tenant } = await store.asSystem().org.create({ name: 'Ink' })
    const of = store.asSystem({ tenant })
    const statements = await database.statements.record(async () => {
      await of.label.create({ id: 'a', name: 'A' })
      const tasks = [{ title: 'one', labelId: 'a' }, { title: 'two' }]
      const { id } = await of.project.create({ name: 'p', isOpen: true, tasks, labels: [{ id: 'a' }] })
      expect(await of.project.patch(id, { isOpen: false })).toMatchObject({ isOpen: false, tasks })
      expect(await of.project.replace(id, { name: 'q', isOpen: true, tasks: [{ title: 'three' }] })).toMatchObject({
        tasks: [{ title: 'three' }],
        labels: [],
      })
    })
    expect(statements.filter((one) => /set_config|current_setting/.test(one))).toEqual([])
    const withIdsOfOthers = /insert into [^;]*coalesce\([^;()]*\(select [^;()]*from "crud_s/
    expect(statements.filter((one) => withIdsOfOthers.test(one))).toEqual([])
  })

  test('have their errors understood, whose keys end in the number of a part of a table', async () => {
    const { db } = database
    await createTables(db, resources, { distribute: 'citus' })
    // Nothing of the plan sees it: the database alone refuses.
    await sql.raw('create unique index label_name_key_102034 on label ("orgId", name)').execute(db)
    const store = createStore({ db, resources })
    const { id: tenant } = await store.asSystem().org.create({ name: 'Ink' })
    const { label } = store.asSystem({ tenant })
    await label.create({ id: 'a', name: 'A' })
    await expect(label.create({ id: 'b', name: 'A' })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
  })
})

describe('createTables with distribute', () => {
  test.each([
    ['another name', { distribute: 'spanner' }, "must be 'citus'"],
    ['partitions beside it', { distribute: 'citus', partitions: 4 }, 'leave out partitions'],
  ])('refuses %s', async (_, options, message) => {
    const { db, close } = await postgres.open({ engine })
    await expect(createTables(db, resources, options as never)).rejects.toThrow(message)
    await close()
  })

  test('refuses a model without tenants, and one with plain keys', async () => {
    const { db, close } = await postgres.open({ engine })
    const without = defineResources({ note: { fields: { text: Type.String() } } })
    const plain = defineResources(
      { org: { id: 'uuid', fields: {} }, note: { fields: {} } },
      { tenant: { resource: 'org', keys: 'plain' } },
    )
    await expect(createTables(db, without, { distribute: 'citus' })).rejects.toThrow('the model has no tenants')
    await expect(createTables(db, plain, { distribute: 'citus' })).rejects.toThrow("where the model says keys: 'plain'")
    await close()
  })

  test('says what to open the database with, and refuses SQLite', async () => {
    const { db, close } = await postgres.open({ engine: { setConfig: false } })
    await expect(createTables(db, resources, { distribute: 'citus' })).rejects.toThrow(
      'open the database with engine: { setConfig: false, identityColumns: false, comparingUpdates: false }',
    )
    await close()
    const file = await sqlite.open()
    await expect(createTables(file.db, resources, { distribute: 'citus' })).rejects.toThrow('only PostgreSQL has Citus')
    await file.close()
  })
})
