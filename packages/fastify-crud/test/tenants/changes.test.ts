import { audit, createStore, numbers, type OutboxRow, outbox, readOutbox } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, type Id, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const change = {
  at: Type.String({ format: 'date-time' }),
  resource: Type.String({ maxLength: 50 }),
  recordId: Type.String({ maxLength: 50 }),
  action: Type.String(),
  before: Type.Optional(Type.Any()),
  after: Type.Optional(Type.Any()),
  caller: Type.Optional(Type.Any()),
}
const own = {
  project: { fields: { name: Type.String() }, relations: { tasks: owns.many('task'), org: needs.one('org') } },
  task: { fields: { title: Type.String() }, relations: { project: ownedBy('project') } },
}
const org = { fields: { name: Type.String() } }
const tenants = { tenant: { resource: 'org' } } as const
/** The tables of changes are the tenants' own, too. */
const inModel = defineResources({ org, ...own, audit: { fields: change }, outbox: { fields: change } }, tenants)

const changes = (table: typeof audit, name: string) => [table(name)]
const rules = { project: [...changes(audit, 'audit'), ...changes(outbox, 'outbox')], task: changes(audit, 'audit') }
const tenant = (_: unknown, { headers }: { headers: Record<string, unknown> }) => Number(headers['x-org'])

/** All rows that a worker gets. */
async function taken(open: OpenDatabase['db'], options: Parameters<typeof readOutbox>[3]): Promise<OutboxRow[]> {
  const all: OutboxRow[] = []
  while ((await readOutbox(open, 'outbox', async (rows) => void all.push(...rows), options)) > 0);
  return all
}

const namesIn = (rows: readonly OutboxRow[]) => rows.map(({ after }) => after?.name)

describeOnBoth('Changes of the rows of tenants', (database) => {
  const service = useApp(database, inModel, { plugin: { rules: rules as never, tenant: tenant as never } })
  const request = (whose: Id, method: string, path: string, body?: unknown) =>
    service.request(method, path, body, { 'x-org': String(whose) })

  async function addProjects(): Promise<void> {
    await service.db
      .insertInto('org')
      .values([
        { id: 1, name: 'Four' },
        { id: 2, name: 'Nine' },
      ])
      .execute()
    for (const [whose, name] of [
      [1, 'a'],
      [2, 'b'],
      [1, 'c'],
    ] as const) {
      expect((await request(whose, 'POST', '/api/project', { name, tasks: [{ title: name }] })).status).toBe(201)
    }
  }

  test('say the tenant, so each sees its own only', async () => {
    await addProjects()
    const ofFour = (await request(1, 'GET', '/api/audit?sort=id')).body
    expect(ofFour.count).toBe(4)
    expect(ofFour.rows.map(({ after }: OutboxRow) => after?.name ?? after?.title).sort()).toEqual(['a', 'a', 'c', 'c'])
    expect((await request(2, 'GET', '/api/audit')).body.count).toBe(2)
  })

  test('go to a worker of one tenant, who takes no row of another', async () => {
    await addProjects()
    const ofFour = await taken(service.db, { resources: inModel, tenant: 1 })
    expect(namesIn(ofFour)).toEqual(['a', 'c'])
    expect(ofFour.map((row) => row.tenant)).toEqual([1, 1])
    const others = await taken(service.db, { resources: inModel })
    expect(others.map((row) => [row.tenant, row.after?.name])).toEqual([[2, 'b']])
  })

  test('go to a worker of all tenants', async () => {
    await addProjects()
    expect(namesIn(await taken(service.db, undefined))).toEqual(['a', 'b', 'c'])
  })

  test('go to the next worker of the tenant if the work on them has failed', async () => {
    await addProjects()
    const away = () => Promise.reject(new Error('away'))
    await expect(readOutbox(service.db, 'outbox', away, { resources: inModel, tenant: 2 })).rejects.toThrow('away')
    expect(namesIn(await taken(service.db, { resources: inModel, tenant: 2 }))).toEqual(['b'])
  })

  test('are gone with the rows of a tenant', async () => {
    await addProjects()
    await createStore({ db: service.db, resources: inModel, rules: rules as never })
      .asSystem()
      .purgeTenant(1)
    expect(namesIn(await taken(service.db, undefined))).toEqual(['b'])
    const { rows } = await sql<{ orgId: unknown }>`select distinct "orgId" from audit`.execute(service.db)
    expect(rows.map(({ orgId }) => Number(orgId))).toEqual([2])
  })

  test('go to no worker of what is no tenant', async () => {
    const none = readOutbox(service.db, 'outbox', async () => {}, { resources: inModel, tenant: 'x' })
    await expect(none).rejects.toThrow(TypeError)
    await expect(readOutbox(service.db, 'outbox', async () => {}, { tenant: 1 })).rejects.toThrow(TypeError)
  })
})

const id = { kind: 'uuid', assign: 'client' } as const
const FOUR = '44444444-4444-7444-8444-444444444444'
const NINE = '99999999-9999-7999-8999-999999999999'
/** The tables of changes are no resources. */
const aside = defineResources(
  { org: { ...org, id }, country: { id: 'text', fields: org.fields, tenant: false, public: true }, ...own },
  tenants,
)

describeOnBoth('Changes in tables of one’s own', (setup) => {
  async function tables({ name, db }: OpenDatabase): Promise<void> {
    await createTables(db, aside)
    const isSqlite = name === 'sqlite'
    const key = isSqlite ? 'integer primary key autoincrement' : 'bigint generated always as identity primary key'
    const [json, uuid] = isSqlite ? ['text', 'text'] : ['jsonb', 'uuid']
    const columns = `id ${key}, "orgId" ${uuid}, at text, resource text, "recordId" text, action text`
    await sql.raw(`create table outbox (${columns}, before ${json}, after ${json}, caller ${json})`).execute(db)
  }
  const all = { org: outbox('outbox'), country: outbox('outbox'), project: outbox('outbox') } as never
  const service = useApp(setup, aside, { tables, plugin: { rules: all, tenant: (() => FOUR) as never } })

  test('say the tenant of its own record, and none of what all tenants share', async () => {
    const store = createStore({ db: service.db, resources: aside, rules: all }) as never as {
      asSystem(whose?: object): {
        resource(key: string): {
          create(body: object): Promise<{ id: Id }>
          delete(id: Id): Promise<void>
          patch(id: Id, body: object): Promise<unknown>
        }
      }
    }
    const system = store.asSystem()
    await system.resource('org').create({ id: FOUR, name: 'Four' })
    await system.resource('org').create({ id: NINE, name: 'Nine' })
    await system.resource('country').create({ id: 'AT', name: 'Austria' })
    const own = store.asSystem({ tenant: NINE }).resource('project')
    const project = await own.create({ name: 'a' })
    await own.delete(project.id)
    await store.asSystem({ tenant: FOUR }).resource('org').patch(FOUR, { name: 'New' })
    await system.resource('org').delete(NINE)
    const ofNine = await taken(service.db, { resources: aside, tenant: NINE.toUpperCase() })
    expect(ofNine.map((row) => `${row.action} ${row.resource}`)).toEqual([
      ...['Add org', 'Add project', 'Delete project', 'Delete org'],
    ])
    expect(new Set(ofNine.map((row) => row.tenant))).toEqual(new Set([NINE]))
    const others = await taken(service.db, { resources: aside })
    expect(others.map((row) => [row.tenant, `${row.action} ${row.resource}`])).toEqual([
      [FOUR, 'Add org'],
      [null, 'Add country'],
      [FOUR, 'Edit org'],
    ])
  })
})

describeOnBoth('The rule `audit`', () => {
  const refused = (descriptors: object, ofRules: object) => {
    const resources = defineResources(descriptors as never, tenants) as Model
    return () => createStore({ db: {} as never, resources, rules: ofRules as never })
  }

  test('is refused for a table that has tenants where the rows have none, and the other way round', () => {
    const country = { id: 'text', fields: {}, tenant: false, public: true }
    const audited = { org, country, ...own, audit: { fields: change } }
    expect(refused(audited, { country: audit('audit') })).toThrow(
      'rules.country: audit: the rows of audit belong to tenants, and may be gone with them, but those of country do not: give it another table',
    )
    expect(refused(audited, { org: audit('audit') })).toThrow('rules.org: audit: the rows of audit belong to tenants')
    const shared = { ...audited, audit: { ...audited.audit, tenant: false, public: true } }
    expect(refused(shared, { project: audit('audit') })).toThrow(
      'rules.project: audit: all tenants share the rows of audit, and those of project belong to one: leave out tenant: false there',
    )
  })
})

const counted = defineResources(
  {
    org,
    bill: { fields: { number: Type.Integer(), title: Type.String() }, unique: [['number']] },
    kind: { fields: { name: Type.String(), rank: Type.Integer() }, tenant: false, public: true },
  },
  tenants,
)

describeOnBoth('Numbers of the rows of tenants', (database) => {
  const rules = { bill: numbers('number'), kind: numbers('rank') }
  const service = useApp(database, counted, { plugin: { rules: rules as never, tenant: tenant as never } })

  test('are counted for each tenant, and for what all tenants share', async () => {
    for (const name of ['Four', 'Nine']) await service.db.insertInto('org').values({ name }).execute()
    const orgs = await service.db.selectFrom('org').select('id').orderBy('id').execute()
    const [four, nine] = orgs.map(({ id }) => Number(id))
    const given: unknown[] = []
    for (const whose of [four, nine, four, four, nine]) {
      const { body } = await service.request('POST', '/api/bill', { title: 't' }, { 'x-org': String(whose) })
      given.push(body.number)
    }
    expect(given).toEqual([1, 1, 2, 3, 2])
    const shared = createStore({ db: service.db, resources: counted as Model, rules: rules as never })
      .asSystem()
      .resource('kind')
    for (const rank of [1, 2]) expect(await shared.create({ name: 'k' })).toMatchObject({ rank })
    const { rows } = { rows: await service.db.selectFrom('crud_numbers').select(['tenant', 'last']).execute() }
    const last = new Map(rows.map((row) => [row.tenant, Number(row.last)]))
    expect(last).toEqual(
      new Map([
        [String(four), 3],
        [String(nine), 2],
        ['', 2],
      ]),
    )
  })
})
