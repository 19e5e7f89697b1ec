import { type CrudError, createStore, defineResources, type Id, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const shared = { id: 'text', fields: { name: Type.String() }, tenant: false, public: true } as const

const resources = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    currency: shared,
    topic: { ...shared, relations: { broader: knows.one('topic') } },
    land: shared,
    invoice: {
      id: 'text',
      fields: { title: Type.String() },
      relations: {
        currency: needs.one('currency'),
        lands: needs.many('land'),
        topics: knows.many('topic'),
        lines: owns.many('line'),
      },
    },
    line: { id: 'uuid', fields: {}, relations: { invoice: ownedBy('invoice'), topic: knows.one('topic') } },
  },
  { tenant: { resource: 'org' } },
)

describeOnBoth('A record that all tenants share', (database) => {
  let open: OpenDatabase
  let tenants: readonly Id[]
  const store = () => createStore({ db: open.db, resources })
  const of = (tenant: Id) => store().asSystem({ tenant })
  const invoice = (id: string) => ({
    id,
    title: `secret ${id}`,
    currencyId: 'EUR',
    lands: [{ id: 'AT' }],
    topics: [{ id: 'tax' }],
    lines: [{ topicId: 'tax' }],
  })

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources, { partitions: database.name === 'postgres' ? 4 : undefined })
  })
  beforeEach(async () => {
    await open.empty()
    const system = store().asSystem()
    const made = []
    for (const name of ['Four', 'Nine', 'Ten']) made.push((await system.org.create({ name })).id)
    tenants = made
    await system.currency.create({ id: 'EUR', name: 'Euro' })
    await system.land.create({ id: 'AT', name: 'Austria' })
    await system.topic.create({ id: 'tax', name: 'Tax' })
    await system.topic.create({ id: 'vat', name: 'VAT', broaderId: 'tax' })
    const [four, nine] = tenants as [Id, Id, Id]
    // Two tenants have an invoice of the same id.
    for (const [tenant, id] of [
      [four, '1'],
      [four, '2'],
      [nine, '1'],
    ] as const)
      await of(tenant).invoice.create(invoice(id))
  })
  afterAll(() => open.close())

  test.each(['currency', 'land'] as const)(
    'is still needed by the records of all of them, and none is named (%s)',
    async (resource) => {
      const id = resource === 'currency' ? 'EUR' : 'AT'
      const remove = () => store().asSystem()[resource].delete(id)
      const refusal: CrudError = await remove().then(
        () => expect.fail('it is deleted'),
        (error) => error,
      )
      expect(refusal).toMatchObject({
        code: 'CRUD_ERR_STILL_NEEDED',
        message: `${resource} ${id} is still needed by 3 invoice records`,
        blockers: [{ resource: 'invoice', count: 3 }],
      })
      const said = JSON.stringify([refusal.message, refusal])
      for (const hidden of [...tenants.map(String), 'secret', 'Four']) expect(said).not.toContain(hidden)
      const [four, nine] = tenants as [Id, Id, Id]
      for (const one of ['1', '2']) await of(four).invoice.delete(one)
      await expect(remove()).rejects.toThrow(/still needed by 1 invoice record$/)
      await of(nine).invoice.delete('1')
      await remove()
      expect(await store().asSystem()[resource].list()).toMatchObject({ count: 0 })
    },
  )

  test('is removed from the records of all of them that know it, and from shared ones', async () => {
    await store().asSystem().topic.delete('tax')
    const [four, nine] = tenants as [Id, Id, Id]
    for (const [tenant, id] of [
      [four, '1'],
      [four, '2'],
      [nine, '1'],
    ] as const) {
      expect(await of(tenant).invoice.find(id)).toMatchObject({ topics: [], lines: [{ topicId: null }] })
    }
    expect(await store().asSystem().topic.find('vat')).toMatchObject({ broaderId: null })
  })

  test('is kept by the database as long as a record of any tenant names it', async () => {
    for (const table of ['currency', 'land', 'topic']) {
      await expect(sql`delete from ${sql.table(table)}`.execute(open.db), table).rejects.toThrow(/foreign key/i)
    }
  })

  test('can be named by no tenant when it is not there', async () => {
    const [four] = tenants as [Id, Id, Id]
    for (const wrong of [{ currencyId: 'XXX' }, { lands: [{ id: 'XX' }] }, { topics: [{ id: 'none' }] }]) {
      await expect(of(four).invoice.patch('1', wrong)).rejects.toMatchObject({ code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    }
  })
})
