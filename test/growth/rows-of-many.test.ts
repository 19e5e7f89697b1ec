import { createStore, defineResources, type Id, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { openPostgres } from '@fastify-crud/core/postgres'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import type { TestKysely } from '../support/tables.ts'
import { watchRowsRead } from './rows-read.ts'

const text = Type.String()
const resources = defineResources(
  {
    org: { fields: { name: text } },
    customer: {
      fields: { code: text, note: Type.Optional(text), rank: Type.Optional(Type.Integer()) },
      relations: { addresses: owns.many('address'), tags: knows.many('tag'), boss: knows.one('customer') },
      unique: [['code']],
      index: [['rank']],
      softDelete: 'deletedAt',
    },
    address: {
      fields: { city: text },
      relations: { customer: ownedBy('customer'), rooms: owns.many('room') },
      unique: [['customer', 'city']],
      topLevel: true,
      softDelete: 'deletedAt',
    },
    room: {
      fields: { name: text },
      relations: { address: ownedBy('address') },
      topLevel: true,
      softDelete: 'deletedAt',
    },
    tag: { id: 'text', fields: { name: text } },
    order: { id: 'uuid', fields: { number: Type.Integer() }, relations: { customer: needs.one('customer') } },
  },
  { tenant: { resource: 'org' } },
)

/** Twenty tenants, whom the statistics know, with as many customers each. */
const KNOWN = [
  `insert into org (name) select 'org ' || n from generate_series(1, 23) as n`,
  `insert into customer ("orgId", code, rank) select id, 'c' || n, n from org, generate_series(1, 500) as n where id <= 20`,
  `insert into address ("orgId", "customerId", city) select "orgId", id, 'Rome' from customer`,
  `insert into room ("orgId", "addressId", name) select "orgId", id, 'attic' from address`,
  `insert into tag ("orgId", id, name) select "orgId", id::text, 'new' from customer`,
  `insert into "order" ("orgId", id, number, "customerId") select "orgId", gen_random_uuid(), 1, id from customer`,
  `insert into customer_tags ("orgId", "customerId", "tagId") select "orgId", id, id::text from customer`,
  'analyze',
]

interface Identified {
  readonly id: Id
}

const setups: Readonly<Record<string, (pool: pg.Pool) => TestKysely>> = {
  'of openPostgres': (pool: pg.Pool) => openPostgres(pool),
  'of a plain pool': (pool: pg.Pool) => new Kysely({ dialect: new PostgresDialect({ pool }) }),
}

describe.each(Object.entries(setups))('the rows that PostgreSQL reads on connections %s', (_, openOn) => {
  let open: OpenDatabase
  let db: TestKysely
  let take: ReturnType<typeof watchRowsRead>['take']

  beforeAll(async () => {
    open = await (databases.find(({ name }) => name === 'postgres') as (typeof databases)[number]).open()
    await createTables(open.db, resources)
    for (const statement of KNOWN) await sql.raw(statement).execute(open.db)
    const watched = watchRowsRead(open.location, ['plan_cache_mode=force_custom_plan'])
    take = watched.take
    db = openOn(watched.pool)
  }, 120_000)
  afterAll(async () => {
    await db?.destroy()
    await open?.close()
  })

  /** What a new tenant's writes of so many records read, each. */
  async function readBy(tenant: Id, count: number): Promise<ReadonlyMap<string, number>> {
    const of = createStore({ db, resources }).asSystem({ tenant })
    const read = new Map<string, number>()
    const all = <Item>(item: (index: number) => Item) => Array.from({ length: count }, (_, index) => item(index))
    const noted = async <Result>(title: string, write: () => Promise<Result>): Promise<Result> => {
      take()
      const result = await write()
      // An answer comes behind what the server says of its statement.
      read.set(
        title,
        take().reduce((sum, { rows }) => sum + rows, 0),
      )
      return result
    }
    const rowsOf = async (title: string, write: () => Promise<object>) =>
      (await noted(title, write)) as { readonly rows: readonly Identified[] }
    const code = (index: number) => `n${index}`

    await noted('new tags, with ids of their own', () => of.tag.createMany(all((n) => ({ id: code(n), name: 'new' }))))
    const { rows: customers } = await rowsOf('new customers', () =>
      of.customer.createMany(
        all((n) => ({ code: code(n), rank: n, addresses: [{ city: 'Bonn' }], tags: [{ id: code(n) }] })),
      ),
    )
    const idAt = (index: number) => (customers[index] as Identified).id as number
    await noted('an upsert of all', () =>
      of.customer.upsertMany(
        all((n) => ({ code: code(n), rank: n + 1 })),
        { by: ['code'] },
      ),
    )
    await noted('a patch of different fields', () =>
      of.customer.patchMany(all((n) => (n % 2 === 0 ? { id: idAt(n), note: 'even' } : { id: idAt(n), rank: -n }))),
    )
    await noted('a replacement of all', () =>
      of.customer.replaceMany(all((n) => ({ id: idAt(n), code: code(n), note: 'all', addresses: [{ city: 'Oslo' }] }))),
    )
    const { rows: addresses } = await rowsOf('new addresses of as many owners', () =>
      of.address.createMany(all((n) => ({ city: 'Kiev', customerId: idAt(n) }))),
    )
    await noted('new rooms of as many addresses', () =>
      of.room.createMany(all((n) => ({ name: code(n), addressId: (addresses[n] as Identified).id as number }))),
    )
    const { rows: orders } = await rowsOf('new orders', () =>
      of.order.createMany(all((n) => ({ number: n, customerId: idAt(n) }))),
    )
    await noted('a patch of all orders', () =>
      of.order.patchMany(orders.map(({ id }) => ({ id: id as string, number: 3 }))),
    )
    await noted('a patch by a filter', () =>
      of.customer.patchMatching({ filter: { note: 'all' }, maxAffected: 10 * count }, { rank: 3 }),
    )
    const tags = all((n) => ({ id: code(n) }))
    const { id } = await noted('one customer that owns and knows many', () =>
      of.customer.create({ code: 'one', addresses: all((n) => ({ city: code(n) })), tags }),
    )
    await noted('one customer, with all that it owns and knows replaced', () =>
      of.customer.replace(id, { code: 'one', addresses: all((n) => ({ city: `${n}` })), tags: tags.slice(1) }),
    )
    await noted('one customer deleted', () => of.customer.delete(id))
    await noted('orders deleted by a filter', () =>
      of.order.deleteMatching({ filter: { number: 3 }, maxAffected: count }),
    )
    await noted('customers deleted by a filter', () =>
      of.customer.deleteMatching({ filter: { note: 'all' }, maxAffected: 10 * count }),
    )
    return read
  }

  test('grow with the records of a write, not with their square, for a tenant who is unknown to the statistics', async () => {
    await readBy(21, 10)
    const [few, many] = [await readBy(22, 100), await readBy(23, 1000)]
    const grown = [...many].filter(([title, rows]) => rows > 20 * (few.get(title) ?? 0))
    expect(many.size).toBe(15)
    expect(Math.min(...few.values())).toBeGreaterThan(100)
    expect(grown.map(([title, rows]) => [title, few.get(title), rows])).toEqual([])
  }, 120_000)
})
