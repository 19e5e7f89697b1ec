import { type createStore, defineResources, type Id, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

const text = Type.String()
export const resources = defineResources(
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

interface Identified {
  readonly id: Id
}

type Tenant = ReturnType<ReturnType<typeof createStore<typeof resources>>['asSystem']>

/** Writes of so many records each, to be done one after the other: `write` is told what each of them is called. */
export async function writeMany(
  of: Tenant,
  count: number,
  write: <Result>(title: string, work: () => Promise<Result>) => Promise<Result>,
): Promise<void> {
  const all = <Item>(item: (index: number) => Item) => Array.from({ length: count }, (_, index) => item(index))
  const rowsOf = async (title: string, work: () => Promise<object>) =>
    (await write(title, work)) as { readonly rows: readonly Identified[] }
  const code = (index: number) => `n${index}`

  await write('new tags, with ids of their own', () => of.tag.createMany(all((n) => ({ id: code(n), name: 'new' }))))
  const { rows: customers } = await rowsOf('new customers', () =>
    of.customer.createMany(
      all((n) => ({ code: code(n), rank: n, addresses: [{ city: 'Bonn' }], tags: [{ id: code(n) }] })),
    ),
  )
  const idAt = (index: number) => (customers[index] as Identified).id as number
  await write('an upsert of all', () =>
    of.customer.upsertMany(
      all((n) => ({ code: code(n), rank: n + 1 })),
      { by: ['code'] },
    ),
  )
  await write('a patch of different fields', () =>
    of.customer.patchMany(all((n) => (n % 2 === 0 ? { id: idAt(n), note: 'even' } : { id: idAt(n), rank: -n }))),
  )
  await write('a replacement of all', () =>
    of.customer.replaceMany(all((n) => ({ id: idAt(n), code: code(n), note: 'all', addresses: [{ city: 'Oslo' }] }))),
  )
  const { rows: addresses } = await rowsOf('new addresses of as many owners', () =>
    of.address.createMany(all((n) => ({ city: 'Kiev', customerId: idAt(n) }))),
  )
  await write('new rooms of as many addresses', () =>
    of.room.createMany(all((n) => ({ name: code(n), addressId: (addresses[n] as Identified).id as number }))),
  )
  const { rows: orders } = await rowsOf('new orders', () =>
    of.order.createMany(all((n) => ({ number: n, customerId: idAt(n) }))),
  )
  await write('a patch of all orders', () =>
    of.order.patchMany(orders.map(({ id }) => ({ id: id as string, number: 3 }))),
  )
  await write('a patch by a filter', () =>
    of.customer.patchMatching({ filter: { note: 'all' }, maxAffected: 10 * count }, { rank: 3 }),
  )
  const tags = all((n) => ({ id: code(n) }))
  const { id } = await write('one customer that owns and knows many', () =>
    of.customer.create({ code: 'one', addresses: all((n) => ({ city: code(n) })), tags }),
  )
  await write('one customer, with all that it owns and knows replaced', () =>
    of.customer.replace(id, { code: 'one', addresses: all((n) => ({ city: `${n}` })), tags: tags.slice(1) }),
  )
  await write('one customer deleted', () => of.customer.delete(id))
  await write('orders deleted by a filter', () =>
    of.order.deleteMatching({ filter: { number: 3 }, maxAffected: count }),
  )
  await write('customers deleted by a filter', () =>
    of.customer.deleteMatching({ filter: { note: 'all' }, maxAffected: 10 * count }),
  )
}
