import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, type Id, needs, ownedBy, owns } from 'fastify-crud'
import { CamelCasePlugin, type Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const shop = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    customer: {
      fields: {
        name: Type.String(),
        rank: Type.Optional(Type.Integer({ access: { View: ['boss'], Edit: ['boss'] } })),
        secret: Type.Optional(Type.String({ writeOnly: true })),
      },
    },
    invoice: {
      fields: { total: Type.Integer(), title: Type.String(), agent: Type.Integer() },
      columns: { title: 'head line' },
      relations: { customer: needs.one('customer'), lines: owns.many('line') },
    },
    line: { fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice') } },
  },
  { tenant: { resource: 'org' } },
)

const policies = {
  org: true,
  customer: true,
  invoice: {
    agent: ({ eb, my }: never) => (eb as CallableFunction)('agent', '=', (my as CallableFunction)('id')),
    boss: true,
  },
} as never

const ORG = '44444444-4444-7444-8444-444444444444'
const OTHER = '99999999-9999-7999-8999-999999999999'

describeOnBoth('Queries of the application', (database) => {
  let open: OpenDatabase
  // biome-ignore lint/suspicious/noExplicitAny: the queries are the test's own.
  let db: Kysely<any>

  async function fill(): Promise<void> {
    await createTables(db, shop)
    const all = createStore({ db, resources: shop, policies })
    for (const [index, id] of [ORG, OTHER].entries()) {
      await all.asSystem().org.create({ name: id }, { id } as never)
      const store = all.asSystem({ tenant: id })
      const customer = await store.customer.create({ name: `Ada ${index}`, rank: 3, secret: 'zebra' })
      for (const agent of [1, 2])
        await store.invoice.create({
          ...{ total: 10 * agent + index, title: `Bill ${agent}`, agent, customerId: customer.id },
          lines: [{ text: `of ${agent}` }],
        })
    }
  }

  beforeEach(async () => {
    open = await database.open()
    db = open.db
    await fill()
  })
  afterEach(() => open.close())

  const storeOf = (roles: string[], id: number, tenant: Id = ORG) =>
    createStore({ db, resources: shop, policies }).as({ id, roles } as never, { tenant })

  test('have the rows that the caller may see, joined and summed in one statement', async () => {
    const mine = storeOf(['agent'], 1)
    const query = db
      .selectFrom(mine.visible('invoice').as('i'))
      .innerJoin(mine.visible('customer').as('c'), 'c.id', 'i.customerId')
      .leftJoin(mine.visible('line').as('l'), 'l.invoiceId', 'i.id')
      .select(['c.name', 'i.head line', 'l.text'])
      .select(({ fn }) => fn.sum('i.total').as('total'))
      .groupBy(['c.name', 'i.head line', 'l.text'])
    let rows: Awaited<ReturnType<typeof query.execute>> = []
    const sent = await open.statements.record(async () => {
      rows = await query.execute()
    })
    expect(rows.map((row) => ({ ...row, total: Number(row.total) }))).toEqual([
      { name: 'Ada 0', 'head line': 'Bill 1', text: 'of 1', total: 10 },
    ])
    expect(sent).toHaveLength(1)
    expect(await db.selectFrom(storeOf([], 1).visible('line').as('l')).selectAll().execute()).toEqual([])
  })

  test('have those of one tenant, and of all where the application asks for all', async () => {
    const totals = async (of: { visible(key: 'invoice'): ReturnType<ReturnType<typeof storeOf>['visible']> }) => {
      const rows = await db.selectFrom(of.visible('invoice').as('i')).select('i.total').orderBy('i.total').execute()
      return rows.map(({ total }) => Number(total))
    }
    expect(await totals(storeOf(['boss'], 1) as never)).toEqual([10, 20])
    expect(await totals(storeOf(['boss'], 1, OTHER) as never)).toEqual([11, 21])
    const all = createStore({ db, resources: shop, policies })
    expect(await totals(all.asSystem({ tenant: OTHER }) as never)).toEqual([11, 21])
    expect(await totals(all.asSystem() as never)).toEqual([10, 11, 20, 21])
  })

  test('have null for what the caller may not see of a row, and nothing of what nobody sees', async () => {
    const rowsOf = (roles: string[]) =>
      db.selectFrom(storeOf(roles, 1).visible('customer').as('c')).selectAll().execute()
    const [hidden] = await rowsOf([])
    expect(hidden).toEqual({ id: expect.anything(), name: 'Ada 0', rank: null })
    const [shown] = await rowsOf(['boss'])
    expect({ ...shown, rank: Number(shown?.rank) }).toEqual({ id: hidden?.id, name: 'Ada 0', rank: 3 })
    const found = await db
      .selectFrom(storeOf([], 1).visible('customer').as('c'))
      .select('c.id')
      .where('c.rank', '>', 1)
      .execute()
    expect(found).toEqual([])
  })

  test('can be part of a transaction, and of SQL text', async () => {
    const mine = storeOf(['agent'], 2)
    const count = await db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${mine.visible('invoice').as('i')}`.execute(
        trx,
      )
      return Number(rows[0]?.n)
    })
    expect(count).toBe(1)
  })

  test('are refused for no resource of the model', () => {
    expect(() => storeOf([], 1).visible('bill' as never)).toThrow("the model has no resource 'bill'")
    expect(() =>
      (createStore({ db, resources: shop, policies }) as never as { visible(key: string): void }).visible('invoice'),
    ).toThrow('name the caller with as(caller)')
  })
})

describe.each(['sqlite', 'postgres'] as const)('With plugins of Kysely (%s)', (name) => {
  test('columns have the names that the instance gives them', async () => {
    const { databases } = await import('../../../../test/support/databases.ts')
    const database = databases.find((one) => one.name === name) ?? expect.fail('there is no such database')
    const open = await database.open({ plugins: [new CamelCasePlugin()] })
    try {
      const resources = defineResources({ wine: { fields: { fullName: Type.String() } } })
      await createTables(open.db, resources)
      const store = createStore({ db: open.db, resources })
      await store.wine.create({ fullName: 'Ink' })
      const rows = await open.db.selectFrom(store.visible('wine').as('w')).select('w.fullName').execute()
      expect(rows).toEqual([{ fullName: 'Ink' }])
    } finally {
      await open.close()
    }
  })
})
