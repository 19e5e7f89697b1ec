import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { headersOf, missingId } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const

describeOnBoth('a row outside of View, in lists and by its id,', (database) => {
  const { service, rows, ada } = useOffices(database)

  test('is neither in a list nor in its count', async () => {
    const { shown, second } = rows.invoice
    expect(await ada.read('/api/invoice')).toEqual({
      rows: [shown, { ...second, project: rows.project.ours }],
      count: 2,
    })
    expect(await ada.read('/api/customer')).toEqual({ rows: [rows.customer.ours], count: 1 })
  })

  test('takes no place on a page', async () => {
    for (const name of ['zebra c', 'our c', 'zebra d', 'our d']) {
      await rows.all.customer.create({ name, orgId: name.startsWith('our') ? 1 : 2 })
    }
    const names = async (query: string) => {
      const { rows: page, count } = await ada.read(`/api/customer?${query}`)
      expect(count).toBe(3)
      return page.map(({ name }: { name: string }) => name)
    }
    expect(await names('limit=2')).toEqual(['our customer', 'our c'])
    expect(await names('limit=2&offset=1')).toEqual(['our c', 'our d'])
    expect(await names('limit=2&offset=2')).toEqual(['our d'])
    expect(await names('offset=3')).toEqual([])
  })

  test('is 404, with the words for one that is not there, whatever is asked of it', async () => {
    const { id } = rows.invoice.hidden
    const body = { number: 'x', orgId: 1, customerId: rows.customer.ours.id }
    for (const [method, sent] of [
      ['GET', undefined],
      ['PUT', body],
      ['PATCH', body],
      ['PATCH', { number: 'x' }],
      ['PATCH', { notes: [{ text: 'x', authorId: 1 }] }],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const) {
      await ada.refuseLikeMissing(id, (one) => [method, `/api/invoice/${one}`, sent], notFound)
    }
    await ada.refuseLikeMissing(id, (one) => ['PUT', '/api/invoice', { id: one, ...body }], notFound)
    expect((await ada.request('HEAD', `/api/invoice/${id}`)).status).toBe(404)
  })

  test('is 404 for a resource that nothing refers to, whose rows may be written without a look', async () => {
    const reminder = await rows.all.reminder.create({ text: 'zebra', orgId: 2, invoiceId: rows.invoice.ours.id })
    for (const [method, sent] of [
      ['PATCH', { text: 'x' }],
      ['PATCH', { orgId: 1 }],
      ['DELETE', undefined],
    ] as const) {
      await ada.refuseLikeMissing(reminder.id, (one) => [method, `/api/reminder/${one}`, sent], notFound)
    }
  })

  test('is there for those who may see it', async () => {
    const { hidden } = rows.invoice
    const eve = headersOf({ user: 3, org: 2 })
    expect((await service.request('GET', `/api/invoice/${hidden.id}`, undefined, eve)).body).toMatchObject({
      id: hidden.id,
      number: 'zebra invoice',
      customer: { name: 'zebra customer' },
      lines: [{ text: 'zebra line' }],
      notes: [],
      seal: null,
    })
    expect((await service.request('GET', '/api/invoice', undefined, eve)).body.count).toBe(1)
    expect((await service.request('DELETE', `/api/invoice/${missingId}`, undefined, eve)).status).toBe(404)
  })

  test('is nobody’s where the caller has nothing to compare', async () => {
    for (const headers of [{}, headersOf({ user: 1 })]) {
      const { body } = await service.request('GET', '/api/invoice', undefined, headers)
      expect(body).toEqual({ rows: [], count: 0 })
      const one = await service.request('GET', `/api/invoice/${rows.invoice.ours.id}`, undefined, headers)
      expect(one.status).toBe(404)
    }
  })
})
