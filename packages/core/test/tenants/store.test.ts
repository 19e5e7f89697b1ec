import { createStore, defineResources, type Id, knows, needs, ownedBy, owns, set } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { ParseJSONResultsPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources(
  {
    org: { fields: { name: Type.String() } },
    currency: { id: 'text', tenant: false, public: true, fields: { name: Type.String() } },
    invoice: {
      id: 'text',
      fields: { title: Type.String(), by: Type.Optional(Type.String({ maxLength: 100 })) },
      relations: { currency: knows.one('currency'), lines: owns.many('line'), next: knows.one('invoice') },
      unique: [['title']],
      index: [['by']],
    },
    line: { fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice'), tags: knows.many('tag') } },
    account: { fields: { iban: Type.String() }, relations: { tags: knows.many('tag') }, unique: [['iban']] },
    tag: { id: 'text', fields: { name: Type.String() }, relations: { org: needs.one('org') } },
  },
  { tenant: { resource: 'org' } },
)

describeOnDatabases('the store of a model with tenants', (database) => {
  let open: OpenDatabase
  let four: Id
  let nine: Id
  const seen: unknown[] = []
  const store = () =>
    createStore({
      db: open.db,
      resources,
      rules: {
        invoice: [set({ by: ({ tenant }) => `of ${tenant}` }), { afterWrite: ({ tenant }) => seen.push(tenant) }],
      },
    })
  const of = (tenant: Id) => store().asSystem({ tenant })
  const invoice = { title: 'First', lines: [{ text: 'a', tags: [{ id: 't' }] }], currencyId: 'EUR' }

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  beforeEach(async () => {
    await open.empty()
    seen.length = 0
    const system = store().asSystem()
    four = (await system.org.create({ name: 'Four' })).id
    nine = (await system.org.create({ name: 'Nine' })).id
    await system.currency.create({ id: 'EUR', name: 'Euro' })
    for (const tenant of [four, nine]) {
      await of(tenant).tag.create({ id: 't', name: `of ${tenant}` })
      await of(tenant).invoice.create({ ...invoice, id: '1' })
    }
  })
  afterAll(() => open.close())

  test('does nothing before it is said whose records it has', async () => {
    expect(() => (store() as never as ReturnType<typeof of>).invoice.list()).toThrow(/as\(caller\)/)
    expect(() => store().as({ id: 1 })).toThrow('as(caller, { tenant })')
    expect(() => store().as({ id: 1 }, { tenant: 'x' })).toThrow(
      expect.objectContaining({ code: 'CRUD_ERR_NOT_FOUND' }),
    )
  })

  test('has the records of one tenant, for a caller and for the application', async () => {
    for (const one of [store().as({ id: 1 }, { tenant: four }), of(four)]) {
      expect(await one.invoice.list()).toMatchObject({ count: 1, rows: [{ id: '1', by: `of ${four}` }] })
      expect(await one.invoice.find('1')).toMatchObject({ lines: [{ tags: [{ id: 't', name: `of ${four}` }] }] })
      expect(await one.tag.find('t')).toMatchObject({ orgId: four })
    }
  })

  test('lists the records of all tenants, and writes the tenants themselves and what they share', async () => {
    const system = store().asSystem()
    await system.currency.create({ id: 'CHF', name: 'Franc' })
    await of(nine).account.create({ iban: '1', tags: [{ id: 't' }] })
    await of(four).account.create({ iban: '1', tags: [] })
    expect(await system.account.list({ sort: ['id'], include: ['tags'] })).toMatchObject({
      count: 2,
      rows: [
        { iban: '1', tags: [{ id: 't', name: `of ${nine}` }] },
        { iban: '1', tags: [] },
      ],
    })
    expect(await system.org.list()).toMatchObject({ count: 2 })
    expect(await system.org.patch(four as number, { name: 'Vier' })).toMatchObject({ name: 'Vier' })
    expect(await system.currency.patch('EUR', { name: 'Euros' })).toEqual({ id: 'EUR', name: 'Euros' })
    for (const call of [
      () => system.invoice.list(),
      () => system.invoice.find('1'),
      () => system.invoice.create({ ...invoice, id: '2' }),
      () => system.invoice.patch('1', { title: 'x' }),
      () => system.invoice.delete('1'),
      () => system.invoice.owned('1', 'lines').list(),
    ]) {
      expect(call).toThrow('asSystem({ tenant })')
    }
  })

  test('clears what all tenants know of a shared record that goes', async () => {
    await store().asSystem().currency.delete('EUR')
    for (const tenant of [four, nine]) expect(await of(tenant).invoice.find('1')).toMatchObject({ currencyId: null })
  })

  test('tells rules the tenant', () => {
    expect(seen).toEqual([four, nine])
  })

  test('removes all records of one tenant', async () => {
    await of(four).invoice.patch('1', { nextId: '1' })
    const before = await of(nine).invoice.find('1')
    const counted = [four, nine].map((tenant) => ({ tenant: String(tenant), counter: 'c', series: '[]', last: 1 }))
    await open.db.insertInto('crud_numbers').values(counted).execute()
    const sent = counted.map(({ tenant }) => ({ tenant, key: 'k', body: 'b', status: 201, resource: 'tag', at: 0 }))
    await open.db.insertInto('crud_idempotency').values(sent).execute()
    await store().asSystem().purgeTenant(four)
    const repeats = await open.db.selectFrom('crud_idempotency').select('tenant').execute()
    expect(repeats).toEqual([{ tenant: String(nine) }])
    const kept = await open.db.selectFrom('crud_numbers').select('tenant').execute()
    expect(kept).toEqual([{ tenant: String(nine) }])
    expect(await of(four).invoice.list()).toMatchObject({ count: 0 })
    expect(await of(four).tag.list()).toMatchObject({ count: 0 })
    expect(await of(nine).invoice.find('1')).toEqual(before)
    await store()
      .asSystem()
      .org.delete(four as number)
    await expect(
      store()
        .asSystem()
        .org.delete(nine as number),
    ).rejects.toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED' })
  })

  test('removes them in a transaction of the application, which may be undone', async () => {
    const before = await of(four).invoice.list()
    const undone = open.db.transaction().execute(async (trx) => {
      await store().in(trx).asSystem().purgeTenant(four)
      expect(await store().in(trx).asSystem({ tenant: four }).invoice.list()).toMatchObject({ count: 0 })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await of(four).invoice.list()).toEqual(before)
  })

  test('runs rules for tenants and shared records on another instance, too', async () => {
    const names: unknown[] = []
    const invariant = { reads: ['name'], test: ({ after }: { after: { name: string } }) => names.push(after.name) }
    const ruled = createStore({
      db: open.db,
      resources,
      rules: { org: { invariant }, currency: { invariant } } as never,
    })
    const other = ruled.in(open.db.withPlugin(new ParseJSONResultsPlugin())).asSystem()
    await other.org.create({ name: 'Five' })
    await other.currency.patch('EUR', { name: 'E' })
    expect(names).toEqual(['Five', 'E'])
  })

  test('has tables whose keys begin with the tenant, so the database refuses a row that names another’s', async () => {
    expect(await checkTables(open.db, resources)).toEqual([])
    await of(four).invoice.create({ ...invoice, id: 'mine', title: 'Mine' })
    const [table, org, next] = ['invoice', 'orgId', 'nextId'].map((name) => sql.ref(name))
    const naming = sql`update ${table} set ${next} = 'mine' where ${org} = ${nine}`.execute(open.db)
    await expect(naming).rejects.toThrow(/foreign key/i)
  })
})
