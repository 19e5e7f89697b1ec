import { createStore, defineResources, knows, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations, introspect, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CamelCasePlugin, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { useDatabase } from '../../../tables/test/use-database.ts'

const own = {
  project: {
    id: 'uuid',
    fields: { name: Type.String(), isOpen: Type.Boolean(), note: Type.Optional(Type.String({ maxLength: 100 })) },
    relations: { tasks: owns.many('task'), labels: knows.many('label'), country: knows.one('country') },
    unique: [['name'], ['isOpen', 'name'], { fields: ['note'], where: { isOpen: true } }],
    index: [['note']],
  },
  task: {
    fields: { title: Type.String() },
    relations: { project: ownedBy('project'), label: needs.one('label'), next: knows.one('task') },
    unique: [['project', 'label']],
  },
  label: { id: 'text', fields: { name: Type.String() } },
  // The name of a partition of another table.
  task_p1: { fields: {} },
} as const
const shared = { country: { id: 'text', fields: {}, tenant: false, public: true } } as const
const org = { org: { id: 'uuid', fields: { name: Type.String() }, unique: [['name']] } } as const
const resources = defineResources({ ...own, ...shared, ...org }, { tenant: { resource: 'org' } })

const [sqlite, postgres] = databases as [TestDatabase, TestDatabase]

describe('partitions of createTables (postgres)', () => {
  const database = useDatabase(postgres)

  async function partitionsOf(table: string): Promise<readonly string[]> {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by 1`.execute(
      database().db,
    )
    return rows.map(({ name }) => name)
  }

  test('are there for each table and link table of tenants, and for no other', async () => {
    await createTables(database().db, resources, { partitions: 3 })
    expect(await partitionsOf('project')).toEqual(['project_p0', 'project_p1', 'project_p2'])
    expect(await partitionsOf('project_labels')).toHaveLength(3)
    expect(await partitionsOf('task')).toEqual(['task__p1', 'task_p0', 'task_p2'])
    expect(await partitionsOf('task_p1')).toHaveLength(3)
    for (const table of ['org', 'country']) expect(await partitionsOf(table)).toEqual([])
  })

  test('have the rows of a tenant in one of them', async () => {
    const { db } = database()
    await createTables(db, resources, { partitions: 3 })
    const store = createStore({ db, resources })
    for (const name of ['Four', 'Nine', 'Ten', 'Twelve']) {
      const { id } = await store.asSystem().org.create({ name })
      const of = store.asSystem({ tenant: id })
      await of.label.create({ id: 'a', name: 'A' })
      for (const title of ['One', 'Two']) {
        await of.project.create({
          name: title,
          isOpen: false,
          tasks: [{ title, labelId: 'a' }],
          labels: [{ id: 'a' }],
        })
      }
      const { rows } = await sql`select distinct tableoid from task where "orgId" = ${id}`.execute(db)
      expect(rows).toHaveLength(1)
      expect(await of.project.list({})).toMatchObject({ count: 2, rows: [{ tasks: [{ title: 'One' }] }, {}] })
    }
  })

  test('are no difference to any comparison of model and tables', async () => {
    const { db } = database()
    await createTables(db, resources)
    const plain = (await introspect(db)).source
    await sql`drop schema public cascade; create schema public`.execute(db)
    await createTables(db, resources, { partitions: 16 })
    expect(await checkTables(db, resources)).toEqual([])
    expect(await pushTables(db, resources)).toEqual([])
    expect((await generateMigrations(db, resources)).files).toEqual([])
    expect((await introspect(db)).source).toBe(plain)
    // Nothing is missing a second time.
    await createTables(db, resources, { partitions: 16 })
    expect(await partitionsOf('task')).toHaveLength(16)
  })

  test('take the changes of a model with rows in them', async () => {
    const { db } = database()
    const { project } = own
    const { unique: _, index: __, ...before } = { ...project }
    const tenants = { tenant: { resource: 'org' } } as const
    const first = defineResources({ ...own, ...shared, ...org, project: before }, tenants) as Model
    await createTables(db, first, { partitions: 2 })
    const store = createStore({ db, resources })
    const { id } = await store.asSystem().org.create({ name: 'Four' })
    await store.asSystem({ tenant: id }).project.create({ name: 'One', isOpen: true })
    const { files } = await generateMigrations(db, resources)
    expect(files.map(({ source }) => source).join()).toMatch(/CREATE (UNIQUE )?INDEX(?! CONCURRENTLY)/)
    expect(files.map(({ source }) => source).join()).not.toMatch(/CONCURRENTLY|NOT VALID/)
    expect((await pushTables(db, resources)).length).toBeGreaterThan(0)
    expect(await checkTables(db, resources)).toEqual([])
  })

  test('are there in a schema, with names that a plugin changes, and with names as long as they get', async () => {
    const { db } = database()
    const long = 'i'.repeat(63)
    const model = defineResources(
      {
        workOrg: { fields: {} },
        workItem: { fields: {} },
        [long]: { fields: {} },
        [`${long.slice(1)}j`]: { fields: {} },
      },
      { tenant: { resource: 'workOrg' } },
    ) as Model
    await sql`create schema plant`.execute(db)
    const named = db.withPlugin(new CamelCasePlugin()).withSchema('plant')
    await createTables(named, model, { partitions: 12 })
    expect(await partitionsOf('plant.work_item')).toHaveLength(12)
    expect(await partitionsOf(`plant.${long}`)).toHaveLength(12)
    expect(await partitionsOf(`plant.${long.slice(1)}j`)).toHaveLength(12)
    expect(await checkTables(named, model)).toEqual([])
  })

  test('are refused where keys do not begin with a tenant, and for what is no number of them', async () => {
    const { db } = database()
    const without = defineResources({ country: { fields: {} } })
    const plain = defineResources({ ...own, ...shared, ...org }, { tenant: { resource: 'org', keys: 'plain' } })
    await expect(createTables(db, without, { partitions: 16 })).rejects.toThrow('the model has no tenants')
    await expect(createTables(db, plain, { partitions: 16 })).rejects.toThrow("keys: 'plain'")
    for (const partitions of [0, -1, 1.5, Number.NaN, '16' as never])
      await expect(createTables(db, resources, { partitions })).rejects.toThrow(`partitions: ${partitions}`)
    expect(await db.introspection.getTables()).toEqual([])
  })
})

describe('partitions of createTables (sqlite)', () => {
  const database = useDatabase(sqlite)

  test('are refused', async () => {
    const { db } = database()
    await expect(createTables(db, resources, { partitions: 16 })).rejects.toThrow('SQLite has none')
    expect(await db.introspection.getTables()).toEqual([])
  })
})
