import { createStore, defineResources, field, knows, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations, pushTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const short = Type.String({ maxLength: 50 })
const define = (descriptors: object, options?: object) =>
  defineResources(descriptors as never, options as never) as Model
const tenants = { tenant: { resource: 'org' } }

const org = { fields: { name: short } }
const project = { fields: { name: short }, relations: { tasks: owns.many('task') }, unique: [['name']] }
const task = { fields: { title: short }, relations: { project: ownedBy('project') } }
const label = { fields: { name: short } }

describeOnBoth('generateMigrations, which gives rows a tenant,', (setup) => {
  const { database, folder, migrate, isThere } = useMigrations(setup)
  const isPostgres = setup.name === 'postgres'

  const values = async (query: string) =>
    (await sql.raw<Record<string, unknown>>(query).execute(database().db)).rows.map((row) =>
      Object.values(row).map(String),
    )

  const up = async (files: Awaited<ReturnType<typeof generateMigrations>>['files']) => {
    const migrations = await Migrations.in(database(), folder())
    await migrations.add(files)
    await migrations.up()
    return migrations
  }

  test('asks for the tenant of rows that have no owner, once', async () => {
    const { db } = database()
    await createTables(db, define({ org, project, task, label }))
    await sql`insert into org (name) values ('Four'), ('Nine')`.execute(db)
    await sql`insert into project (name) values ('One')`.execute(db)
    await sql`insert into task (title, "projectId") values ('First', 1)`.execute(db)
    const to = define({ org, project, task, label }, tenants)
    const { files, unfilled } = await generateMigrations(db, to)
    expect(files).toEqual([])
    expect(unfilled).toEqual([
      {
        field: 'orgId',
        message:
          'rows of project have no tenant: give it by --fill orgId=ID, or for one table by --fill project.orgId=ID',
      },
    ])
    const unknown = await generateMigrations(db, to, { fill: { orgId: 7 } })
    expect(unknown.unfilled.map(({ message }) => message)).toEqual([
      'there is no org 7, to which rows are to belong: create it first',
    ])
    await expect(generateMigrations(db, to, { fill: { orgId: 'x' } })).rejects.toThrow("fill: 'orgId'")
    await sql`insert into label (name) values ('new')`.execute(db)
    const one = await generateMigrations(db, to, { fill: { 'label.orgId': '2' } })
    expect(one.unfilled.map(({ field: name }) => name)).toEqual(['orgId'])
    const { files: made } = await generateMigrations(db, to, { fill: { orgId: 1, 'label.orgId': 2 } })
    await up(made)
    await isThere(to)
    expect(await values('select "orgId" from project')).toEqual([['1']])
    expect(await values('select "orgId" from task')).toEqual([['1']])
    expect(await values('select "orgId" from label')).toEqual([['2']])
  })

  test('adds the first tenant where the table of the tenants is new', async () => {
    const from = define({ project, task })
    const { db } = database()
    await createTables(db, from)
    await createStore({ db, resources: from })
      .resource('project')
      .create({ name: 'One', tasks: [{ title: 'First' }] })
    const fields = { name: short, plan: field(short, { default: 'free' }), note: Type.Optional(short) }
    const to = define(
      {
        org: {
          fields,
          relations: { favourite: knows.one('project'), currency: needs.one('currency', { optional: true }) },
        },
        currency: { id: 'text', tenant: false, public: true, fields: { name: short } },
        ...{ project, task },
        member: { fields: {}, relations: { project: needs.one('project') } },
      },
      tenants,
    )
    const unnamed = await generateMigrations(db, to, { fill: { orgId: 4 } })
    expect(unnamed.unfilled).toEqual([
      {
        field: 'org.name',
        message:
          'org is new, and its first record needs org.name: give it by --fill org.name=VALUE, or give the field a default',
      },
    ])
    const { files } = await generateMigrations(db, to, { fill: { orgId: 4, 'org.name': "Four's" } })
    const migrations = await up(files)
    await isThere(to)
    expect(await values('select id, name, plan from org')).toEqual([['4', "Four's", 'free']])
    const store = createStore({ db, resources: to })
    expect(await store.asSystem().resource('org').create({ name: 'Nine', plan: 'x' })).toMatchObject({ id: 5 })
    expect(await store.asSystem({ tenant: 4 }).resource('project').list()).toMatchObject({ count: 1 })
    await migrations.down()
    await migrations.up()
    await isThere(to)
  })

  test('takes the tenant of the owner, and of what a record needs, where rows belong to several', async () => {
    const descriptors = {
      org,
      project: { ...project, relations: { ...project.relations, org: needs.one('org') } },
      task: { ...task, relations: { ...task.relations, labels: knows.many('label') } },
      label: { ...label, relations: { org: needs.one('org') } },
      receipt: { fields: { sum: Type.Integer() }, relations: { label: needs.one('label') } },
      folder: {
        fields: { name: short },
        relations: {
          parent: ownedBy('folder', { optional: true }),
          folders: owns.many('folder'),
          org: knows.one('org'),
        },
      },
      person: {
        relations: {
          homes: owns.many('address', { inverse: 'homeOf' }),
          works: owns.many('address', { inverse: 'workOf' }),
          org: needs.one('org'),
        },
      },
      address: { relations: { homeOf: ownedBy('person'), workOf: ownedBy('person') } },
    }
    const after = {
      ...descriptors,
      folder: { ...descriptors.folder, relations: { ...descriptors.folder.relations, org: needs.one('org') } },
    }
    const rows = {
      org: [{ name: 'Four' }, { name: 'Nine' }],
      project: [
        { name: 'One', orgId: 1 },
        { name: 'Two', orgId: 2 },
      ],
      task: [
        { title: 'a', projectId: 2 },
        { title: 'b', projectId: 1 },
      ],
      label: [{ name: 'new', orgId: 2 }],
      task_labels: [{ taskId: 1, labelId: 1 }],
      receipt: [{ sum: 3, labelId: 1 }],
      folder: [
        { name: 'root', orgId: 2, parentId: null },
        { name: 'inner', orgId: null, parentId: 1 },
        { name: 'last', orgId: null, parentId: 2 },
        { name: 'other', orgId: 1, parentId: null },
      ],
      person: [{ orgId: 1 }, { orgId: 2 }],
      address: [
        { homeOfId: 2, workOfId: null },
        { homeOfId: null, workOfId: 1 },
      ],
    }
    const { rows: now } = await migrate(define(descriptors), rows, define(after, tenants))
    const tenantsOf = (table: string) => now[table]?.map((row) => Number((row as { orgId: unknown }).orgId))
    expect(tenantsOf('project')).toEqual([1, 2])
    expect(tenantsOf('task')).toEqual([2, 1])
    expect(tenantsOf('task_labels')).toEqual([2])
    expect(tenantsOf('receipt')).toEqual([2])
    expect(tenantsOf('folder')).toEqual([2, 2, 2, 1])
    expect(tenantsOf('address')).toEqual([2, 1])
  })

  test('refuses a row that names a record of another tenant, and changes nothing', async () => {
    const { db } = database()
    const descriptors = { org, label, receipt: { fields: {}, relations: { label: knows.one('label') } } }
    await createTables(db, define(descriptors))
    await sql`insert into org (name) values ('Four'), ('Nine')`.execute(db)
    await sql`insert into label (name) values ('new')`.execute(db)
    await sql`insert into receipt ("labelId") values (1)`.execute(db)
    const to = define(descriptors, tenants)
    const { files } = await generateMigrations(db, to, { fill: { 'label.orgId': 1, 'receipt.orgId': 2 } })
    const migrations = await Migrations.in(database(), folder())
    await migrations.add(files)
    const { error } = await migrations.tryUp()
    expect((error as Error).message).toMatch(isPostgres ? /foreign key/i : /name rows that are not there/)
    expect(await checkTables(db, define(descriptors))).toEqual([])
  })

  test('leaves tables without rows to the migration, and says that it fails where there are some', async () => {
    const { db } = database()
    await createTables(db, define({ org, label }))
    const to = define({ org, label }, tenants)
    const { files } = await generateMigrations(db, to)
    expect(files.flatMap(({ changes }) => changes)).toContain(
      'column label.orgId of the tenant is missing: this fails where label has rows',
    )
    await up(files)
    await isThere(to)
  })

  test('adds fields, relations and keys on the way', async () => {
    const from = define({ org, project, task, label })
    const to = define(
      {
        org,
        project: {
          fields: { title: field(short, { was: 'name' }) as never, code: field(short, { default: 'x' }) as never },
          relations: { tasks: owns.many('task'), label: knows.one('label'), labels: knows.many('label') },
          unique: [['title'], ['label', 'title']],
          index: [['code']],
        },
        task: {
          fields: { title: Type.Optional(short) },
          relations: { project: ownedBy('project'), note: needs.one('note', { optional: true }) },
        },
        label,
        note: { id: 'uuid', fields: { text: short } },
      },
      tenants,
    )
    const rows = {
      org: [{ name: 'Four' }],
      project: [{ name: 'One' }],
      task: [{ title: 'a', projectId: 1 }],
      label: [{ name: 'l' }],
    }
    const { rows: now } = await migrate(from, rows, to, { orgId: 1 })
    expect(now.project).toMatchObject([{ title: 'One', code: 'x', labelId: null }])
  })

  test('gives tables the column alone where the model takes plain keys, and the keys later', async () => {
    const plain = define({ org, project, task, label }, { tenant: { resource: 'org', keys: 'plain' } })
    const whole = define({ org, project, task, label }, tenants)
    const { db } = database()
    await createTables(db, define({ org, project, task, label }))
    await sql`insert into org (name) values ('Four')`.execute(db)
    await sql`insert into project (name) values ('One')`.execute(db)
    await sql`insert into task (title, "projectId") values ('First', 1)`.execute(db)
    const { files } = await generateMigrations(db, plain, { fill: { orgId: 1 } })
    expect(files.map(({ kind }) => kind)).not.toContain('rebuild')
    await up(files)
    const found = await checkTables(db, plain)
    expect(found).toEqual([
      {
        kind: 'key',
        severity: 'warning',
        wanted: 'keys that begin with the tenant',
        message: expect.stringMatching(/^the keys of .*project.* do not begin with the tenant: .*keys: 'plain'/),
        ...(isPostgres && { fix: expect.stringContaining('PRIMARY KEY ("orgId", "id")') }),
      },
    ])
    expect((await generateMigrations(db, plain)).files).toEqual([])
    const made = await generateMigrations(db, whole)
    expect(made.unfilled).toEqual([])
    await sql`delete from kysely_migration`.execute(db)
    const migrations = await up(made.files)
    await isThere(whole)
    expect(await values('select id, "orgId", "projectId" from task')).toEqual([['1', '1', '1']])
    await migrations.down()
    expect((await checkTables(db, plain)).filter(({ severity }) => severity === 'error')).toEqual([])
    await migrations.up()
    await isThere(whole)
  })

  if (isPostgres)
    test('has the same SQL as `checkTables` for plain keys', async () => {
      const plain = define({ org, project, task }, { tenant: { resource: 'org', keys: 'plain' } })
      const { db } = database()
      await createTables(db, plain)
      const [{ fix } = { fix: undefined }] = await checkTables(db, plain)
      for (const statement of String(fix).split(';\n')) await sql.raw(statement).execute(db)
      const left = await checkTables(db, define({ org, project, task }, tenants))
      expect(left.filter(({ kind }) => kind !== 'index')).toEqual([])
    })

  test('adds relations between the records of tenants that are there', async () => {
    const from = define({ org, project, task, label }, tenants)
    const to = define(
      {
        org,
        project,
        task: {
          ...task,
          relations: { ...task.relations, label: knows.one('label'), next: needs.one('task', { optional: true }) },
        },
        label,
      },
      tenants,
    )
    const { db } = database()
    await createTables(db, from)
    await sql`insert into org (name) values ('Four'), ('Nine')`.execute(db)
    await sql`insert into label ("orgId", name) values (2, 'l')`.execute(db)
    await sql`insert into project ("orgId", name) values (1, 'p')`.execute(db)
    await sql`insert into task ("orgId", title, "projectId") values (1, 'a', 1)`.execute(db)
    const migrations = await up((await generateMigrations(db, to)).files)
    await isThere(to)
    await expect(sql`update task set "labelId" = 1`.execute(db)).rejects.toThrow(/foreign key/i)
    await migrations.down()
    await migrations.up()
    await isThere(to)
  })

  test('down fails and changes nothing where two tenants have the same unique value', async () => {
    const from = define({ org, project, task })
    const to = define({ org, project, task }, tenants)
    const { db } = database()
    await createTables(db, from)
    await sql`insert into org (name) values ('Four'), ('Nine')`.execute(db)
    await sql`insert into project (name) values ('One')`.execute(db)
    const migrations = await up((await generateMigrations(db, to, { fill: { orgId: 1 } })).files)
    await sql`insert into project ("orgId", name) values (2, 'One')`.execute(db)
    await expect(migrations.down()).rejects.toThrow()
    expect(await values('select "orgId", name from project order by id')).toEqual([
      ['1', 'One'],
      ['2', 'One'],
    ])
    await expect(sql`insert into project ("orgId", name) values (2, 'One')`.execute(db)).rejects.toThrow(/unique/i)
  })

  test('pushTables does not do it, and says who does', async () => {
    const { db } = database()
    await createTables(db, define({ org, project, task }))
    await expect(pushTables(db, define({ org, project, task }, tenants))).rejects.toThrow(
      'the keys of project, task do not begin with the tenant: `generate` writes a migration for it',
    )
  })
})
