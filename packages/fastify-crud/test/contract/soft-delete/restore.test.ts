import { createStore } from 'fastify-crud'
import { beforeEach, expect, test, vi } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { missingId, withTestIds } from '../../../../../test/support/test-ids.ts'
import { markedIn } from './support/marked.ts'
import { office } from './support/office.ts'

describeOnBoth('restore', (database) => {
  const service = useApp(database, office)
  const store = () => createStore({ db: service.db, resources: withTestIds(office) })
  let customer: JsonBody
  let invoice: JsonBody
  const path = () => `/api/invoice/${invoice.id}`

  beforeEach(async () => {
    customer = await service.add('/api/customer', { name: 'c' })
    const lines = [
      { text: 'a', amount: 1, notes: [{ text: 'n' }] },
      { text: 'b', amount: 2, notes: [{ text: 'o' }, { text: 'p' }] },
    ]
    invoice = await service.add('/api/invoice', { number: '1', customerId: customer.id, lines, address: { city: 'W' } })
    invoice = await service.read(path())
  })

  test('brings back a record with all that was deleted together with it', async () => {
    await service.delete(path())
    expect(await store().invoice.restore(invoice.id)).toEqual(invoice)
    expect(await service.read(path())).toEqual(invoice)
    const found = await Promise.all(['line', 'note', 'address'].map((table) => markedIn(service.db, table)))
    expect(found.flatMap(({ marked }) => marked)).toEqual([])
    expect((await service.put(path(), { ...invoice, note: 'x' })).body).toEqual({ ...invoice, note: 'x' })
  })

  test('leaves what another write had deleted before, even in the same millisecond', async () => {
    const [first, second] = invoice.lines
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    try {
      await service.delete(`${path()}/line/${first.id}`)
      await service.delete(path())
    } finally {
      vi.useRealTimers()
    }
    expect((await markedIn(service.db, 'line')).moments).toHaveLength(2)
    expect(await store().invoice.restore(invoice.id)).toMatchObject({ lines: [second] })
    expect(await markedIn(service.db, 'line')).toMatchObject({ marked: [`${first.id}`] })
  })

  test('brings back a child, below its owner', async () => {
    const [first, second] = invoice.lines
    await service.put(path(), { ...invoice, lines: [second], address: null })
    const lines = store().invoice.owned(invoice.id, 'lines')
    expect(await lines.restore(first.id)).toEqual(first)
    await store().invoice.owned(invoice.id, 'address').restore(invoice.address.id)
    expect(await service.read(path())).toEqual(invoice)
  })

  test('fails for what is not deleted, is not there, or is of another owner', async () => {
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' }
    await expect(store().invoice.restore(invoice.id)).rejects.toMatchObject(notFound)
    await expect(store().invoice.restore(missingId('invoice') as never)).rejects.toMatchObject(notFound)
    const other = await service.add('/api/invoice', { number: '2', customerId: customer.id })
    const [line] = invoice.lines
    await service.delete(`${path()}/line/${line.id}`)
    await expect(store().invoice.owned(other.id, 'lines').restore(line.id)).rejects.toMatchObject(notFound)
    await service.delete(path())
    await store().invoice.restore(invoice.id)
    await expect(store().invoice.restore(invoice.id)).rejects.toMatchObject(notFound)
  })

  test('is refused while the owner is deleted', async () => {
    const [line] = invoice.lines
    await service.delete(path())
    await expect(store().invoice.owned(invoice.id, 'lines').restore(line.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_REFUSED',
      message: `line ${line.id} cannot come back: invoice ${invoice.id}, which owns it, is deleted`,
    })
  })

  test('is refused while something that it needs is deleted', async () => {
    await service.delete(path())
    await service.delete(`/api/customer/${customer.id}`)
    await expect(store().invoice.restore(invoice.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_REFUSED',
      message: `invoice ${invoice.id} cannot come back: customer ${customer.id}, which it needs, is deleted`,
    })
    expect((await markedIn(service.db, 'line')).left).toEqual([])
    await store().customer.restore(customer.id)
    expect(await store().invoice.restore(invoice.id)).toEqual(invoice)
  })

  test('is refused if another record has its unique value by now', async () => {
    await service.delete(path())
    const { id } = await service.add('/api/invoice', { number: '1', customerId: customer.id })
    await expect(store().invoice.restore(invoice.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_NOT_UNIQUE',
      errors: [{ message: 'another invoice has this number already' }],
    })
    await service.delete(`/api/invoice/${id}`)
    expect(await store().invoice.restore(invoice.id)).toEqual(invoice)
  })

  test('is refused if its owner has another record in its place by now', async () => {
    await service.patch(path(), { address: null })
    await service.add(`${path()}/address`, { city: 'X' })
    await expect(store().invoice.owned(invoice.id, 'address').restore(invoice.address.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_EXISTS',
    })
    const [line] = invoice.lines
    await service.delete(`${path()}/line/${line.id}`)
    await service.post(`${path()}/line`, { text: 'a', amount: 1 })
    await expect(store().invoice.owned(invoice.id, 'lines').restore(line.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_NOT_UNIQUE',
    })
  })

  test('references that were cleared, and links that were removed, stay so', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    await service.patch(path(), { tags: [{ id: tag.id }] })
    const folder = await service.add('/api/folder', {
      name: 'f',
      coverId: invoice.id,
      invoices: [{ id: invoice.id }],
    })
    await service.delete(path())
    await store().invoice.restore(invoice.id)
    expect(await service.read(path())).toEqual(invoice)
    expect(await service.read(`/api/folder/${folder.id}`)).toMatchObject({ coverId: null, invoices: [], size: 0 })
  })

  test('what came back together knows each other; without the other, it does not know it any more', async () => {
    const [first, second] = invoice.lines
    await service.patch(path(), { lines: [{ id: second.id, likeId: first.id }] })
    await service.delete(path())
    const back = await store().invoice.restore(invoice.id)
    expect(back).toMatchObject({ lines: [{ likeId: null }, { likeId: first.id, like: { id: first.id } }] })
    await service.patch(path(), { lines: [] })
    await service.put(path(), { ...invoice, lines: [] })
    const lines = store().invoice.owned(invoice.id, 'lines')
    expect(await lines.restore(second.id)).toMatchObject({ likeId: null, like: null })
    expect(await lines.restore(first.id)).toEqual(first)
  })

  test('a dry run says what would come back, and brings nothing back', async () => {
    await service.delete(path())
    const { record, plan } = await store().invoice.restore(invoice.id, { dryRun: true })
    expect(record).toEqual(invoice)
    const restored = plan.steps.flatMap((step) => (step.step === 'restore' ? [[step.resource, step.ids.length]] : []))
    expect(restored.sort()).toEqual([
      ['address', 1],
      ['invoice', 1],
      ['line', 2],
      ['note', 3],
    ])
    expect((await service.get(path())).status).toBe(404)
  })

  test('is done in a transaction of the application', async () => {
    await service.delete(path())
    const undone = new Error('undone')
    const transaction = service.db.transaction().execute(async (trx) => {
      expect(await store().in(trx).invoice.restore(invoice.id)).toEqual(invoice)
      throw undone
    })
    await expect(transaction).rejects.toBe(undone)
    expect((await service.get(path())).status).toBe(404)
  })

  test('is no route, and only there for resources with softDelete', async () => {
    expect((await service.request('POST', `${path()}/restore`, {})).status).toBe(404)
    expect(Object.keys(store().invoice)).toEqual(expect.arrayContaining(['restore', 'purge']))
    expect(Object.keys(store().product)).not.toContain('restore')
  })
})

describeOnBoth('purge', (database) => {
  const service = useApp(database, office)
  const store = () => createStore({ db: service.db, resources: withTestIds(office) })
  let customer: JsonBody
  let invoice: JsonBody
  const path = () => `/api/invoice/${invoice.id}`

  beforeEach(async () => {
    customer = await service.add('/api/customer', { name: 'c' })
    const lines = [
      { text: 'a', amount: 1, notes: [{ text: 'n' }] },
      { text: 'b', amount: 2 },
    ]
    invoice = await service.add('/api/invoice', { number: '1', customerId: customer.id, lines, address: { city: 'W' } })
  })

  test('removes a deleted record for good, with all that it owned, whenever that was deleted', async () => {
    const [first, second] = invoice.lines
    await service.patch(path(), { lines: [{ id: second.id, likeId: first.id }] })
    await service.put(path(), { ...invoice, lines: [second] })
    await service.delete(path())
    await store().invoice.purge(invoice.id)
    const left = await service.snapshot(['invoice', 'line', 'note', 'address'])
    expect(Object.values(left).flat()).toEqual([])
    await expect(store().invoice.restore(invoice.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('removes only what is deleted', async () => {
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' }
    await expect(store().invoice.purge(invoice.id)).rejects.toMatchObject(notFound)
    const lines = store().invoice.owned(invoice.id, 'lines')
    await expect(lines.purge(invoice.lines[0].id)).rejects.toMatchObject(notFound)
    await service.put(path(), { ...invoice, lines: [] })
    await lines.purge(invoice.lines[0].id)
    expect(await markedIn(service.db, 'line')).toMatchObject({ left: [], marked: [`${invoice.lines[1].id}`] })
    expect(await service.read(path())).toMatchObject({ number: '1' })
  })

  test('is refused while a deleted record needs it', async () => {
    await service.delete(path())
    await service.delete(`/api/customer/${customer.id}`)
    await expect(store().customer.purge(customer.id)).rejects.toMatchObject({
      code: 'CRUD_ERR_STILL_NEEDED',
      message: `customer ${customer.id} is still needed by 1 invoice record, deleted ones included`,
    })
    await store().invoice.purge(invoice.id)
    await store().customer.purge(customer.id)
    expect(await service.snapshot(['customer'])).toEqual({ customer: [] })
  })

  test('what knew it among the deleted records does not know it any more', async () => {
    const [first, second] = invoice.lines
    await service.patch(path(), { lines: [{ id: second.id, likeId: first.id }] })
    await service.put(path(), { ...invoice, lines: [] })
    const lines = store().invoice.owned(invoice.id, 'lines')
    await lines.purge(first.id)
    expect(await lines.restore(second.id)).toMatchObject({ likeId: null })
  })

  test('makes room for what deleted records needed to be deleted', async () => {
    const product = await service.add('/api/product', { name: 'p' })
    await service.patch(path(), { lines: [{ text: 'c', amount: 3, productId: product.id }] })
    await service.delete(path())
    await service.refuse('DELETE', `/api/product/${product.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await store().invoice.purge(invoice.id)
    expect((await service.delete(`/api/product/${product.id}`)).status).toBe(204)
  })

  test('is for the application itself', async () => {
    await service.delete(path())
    const mine = store().as({ id: 7 })
    await expect(mine.invoice.purge(invoice.id)).rejects.toThrow(/only the application itself/)
    await store().asSystem().invoice.purge(invoice.id)
  })
})
