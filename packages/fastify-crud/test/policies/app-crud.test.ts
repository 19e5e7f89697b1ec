import type { Store } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { offices } from './models/offices.ts'
import { useOffices } from './support/use-offices.ts'

interface Guarded {
  as(caller: object): Store<typeof offices>
  asSystem(): Store<typeof offices>
}

describeOnBoth('`app.crud` of a service with policies', (database) => {
  const { service, rows } = useOffices(database)
  const crud = () => service.fastify.getDecorator<Guarded>('crud')
  const asAda = () => crud().as({ id: 1, org: 1, roles: [] })

  test('does nothing before it is said for whom', async () => {
    const bare = crud() as unknown as Store<typeof offices>
    await expect((async () => bare.customer.list())()).rejects.toThrow(/asSystem/)
    await expect((async () => bare.resource('customer').delete(rows.customer.ours.id))()).rejects.toThrow(/asSystem/)
  })

  test('shows and does what its caller may', async () => {
    const { invoice, customer } = rows
    expect(await asAda().invoice.find(invoice.ours.id)).toEqual(invoice.shown)
    expect((await asAda().customer.list()).rows).toEqual([customer.ours])
    await expect(asAda().customer.find(customer.hidden.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await expect(asAda().customer.create({ name: 'x', orgId: 2 })).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
    const lines = asAda().invoice.owned(invoice.hidden.id, 'lines')
    await expect(lines.create({ text: 'x' })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await expect(lines.list()).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('shows and does everything as the system', async () => {
    const { invoice, customer } = rows
    expect(await crud().asSystem().invoice.find(invoice.ours.id)).toEqual(invoice.ours)
    expect((await crud().asSystem().customer.list()).count).toBe(2)
    await crud().asSystem().customer.patch(customer.hidden.id, { orgId: 1 })
    expect((await asAda().customer.list()).count).toBe(2)
  })
})
