import { createStore } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { withGivenId, withTestIds } from '../../../../../test/support/test-ids.ts'
import { markedIn } from './support/marked.ts'
import { office } from './support/office.ts'

describeOnBoth('DELETE with softDelete', (database) => {
  const service = useApp(database, office)
  let customer: JsonBody
  let invoice: JsonBody
  let other: JsonBody
  const path = () => `/api/invoice/${invoice.id}`

  beforeEach(async () => {
    customer = await service.add('/api/customer', { name: 'c' })
    const lines = [
      { text: 'a', amount: 1, notes: [{ text: 'n' }] },
      { text: 'b', amount: 2 },
    ]
    const body = { customerId: customer.id, lines, address: { city: 'Wien' } }
    invoice = await service.add('/api/invoice', { number: '1', ...body })
    other = await service.add('/api/invoice', { number: '2', ...body })
    invoice = await service.read(path())
  })

  const remove = async () => expect((await service.delete(path())).status).toBe(204)

  test('keeps the rows of the record and of all that it owns, and marks them with one moment', async () => {
    await remove()
    const found = await Promise.all(['line', 'note', 'address'].map((table) => markedIn(service.db, table)))
    const all = [await markedIn(service.db, 'invoice', 'deleted_at'), ...found]
    expect(all.map(({ left, marked }) => [left.length, marked.length])).toEqual([
      [1, 1],
      [2, 2],
      [1, 1],
      [1, 1],
    ])
    expect(new Set(all.flatMap(({ moments }) => moments))).toHaveLength(1)
    expect(Number.isNaN(Date.parse(String(all[0]?.moments[0])))).toBe(false)
  })

  test('nobody finds the record, or what it owned', async () => {
    await remove()
    const [line] = invoice.lines
    for (const gone of [
      path(),
      `${path()}/line`,
      `${path()}/line/${line.id}`,
      `${path()}/address`,
      `${path()}/line/${line.id}/note`,
    ])
      expect((await service.get(gone)).status, gone).toBe(404)
    expect(await service.read('/api/invoice')).toMatchObject({
      rows: [{ ...other, customer: { invoiceCount: 1 } }],
      count: 1,
    })
    expect(await service.read('/api/invoice?sort=-count(lines)&filter[lines.text]=a')).toMatchObject({ count: 1 })
    expect(await service.read(`/api/customer/${customer.id}`)).toMatchObject({ invoiceCount: 1 })
    expect((await service.read('/api/customer?filter[invoices.number]=1')).rows).toEqual([])
    const store = createStore({ db: service.db, resources: withTestIds(office) })
    await expect(store.invoice.find(invoice.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    expect(await store.invoice.group({ values: ['count()', 'max(lineCount)'] })).toMatchObject({
      rows: [{ 'count()': 1, 'max(lineCount)': 2 }],
    })
  })

  test('twice: 204, then 404; PUT and PATCH are 404, too', async () => {
    await remove()
    for (const method of ['DELETE', 'PUT', 'PATCH']) {
      const body = method === 'DELETE' ? undefined : { number: '3', customerId: customer.id }
      await service.refuse(method, path(), body, { code: 'CRUD_ERR_NOT_FOUND' })
    }
  })

  test('of a child: only that one, and what it owns', async () => {
    const [first, second] = invoice.lines
    expect((await service.delete(`${path()}/line/${first.id}`)).status).toBe(204)
    expect(await service.read(path())).toEqual({ ...invoice, lines: [second], total: 2, lineCount: 1 })
    expect((await markedIn(service.db, 'note')).marked).toEqual([`${first.notes[0].id}`])
    expect((await service.delete(`${path()}/address/${invoice.address.id}`)).status).toBe(204)
    expect(await service.read(path())).toMatchObject({ address: null })
  })

  test('is refused while another record needs it', async () => {
    await service.add('/api/payment', { sum: 1, invoiceId: invoice.id })
    const { detail } = await service.refuse('DELETE', path(), undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect(detail).toBe(`invoice ${invoice.id} is still needed by 1 payment record`)
  })

  test('clears the references of records that know it, and removes links from both ends', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    await service.patch(path(), { tags: [{ id: tag.id }] })
    await service.patch(`/api/invoice/${other.id}`, { beforeId: invoice.id, tags: [{ id: tag.id }] })
    const folder = { name: 'f', coverId: invoice.id, invoices: [{ id: invoice.id }, { id: other.id }] }
    const { id } = await service.add('/api/folder', folder)
    await remove()
    const shown = await service.read(`/api/folder/${id}`)
    expect(shown).toMatchObject({ coverId: null, cover: null, size: 1, invoices: [{ id: other.id }] })
    expect(await service.read(`/api/invoice/${other.id}`)).toMatchObject({
      beforeId: null,
      before: null,
      tags: [{ id: tag.id }],
    })
    const links = await service.snapshot(['invoice_tags', 'folder_invoices'])
    expect(Object.values(links).map((rows) => rows.length)).toEqual([1, 1])
  })

  test('leaves what is deleted together to know each other', async () => {
    const [first, second] = invoice.lines
    await service.patch(path(), { lines: [{ id: second.id, likeId: first.id }] })
    await remove()
    const likeId = sql<string>`cast(${sql.ref('likeId')} as text)`.as('likeId')
    const [row] = await service.db.selectFrom('line').select(likeId).where('id', '=', second.id).execute()
    expect(row?.likeId).toBe(`${first.id}`)
  })

  test('clears the reference of a record that was deleted before, and knows it', async () => {
    const [first, second] = invoice.lines
    await service.patch(path(), { lines: [{ id: second.id, likeId: first.id }] })
    await service.delete(`${path()}/line/${second.id}`)
    await remove()
    const [row] = await service.db.selectFrom('line').select('likeId').where('id', '=', second.id).execute()
    expect(row?.likeId).toBeNull()
  })

  test('what only deleted records need can be deleted, if it is marked, too', async () => {
    await service.refuse('DELETE', `/api/customer/${customer.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    await remove()
    await service.delete(`/api/invoice/${other.id}`)
    expect((await service.delete(`/api/customer/${customer.id}`)).status).toBe(204)
    expect(await markedIn(service.db, 'customer', 'goneAt')).toMatchObject({ marked: [`${customer.id}`] })
  })

  test('what a deleted record needs cannot be removed for good, and the answer says nothing of that record', async () => {
    const product = await service.add('/api/product', { name: 'p' })
    await service.patch(path(), { lines: [{ text: 'c', amount: 3, productId: product.id }] })
    await remove()
    const { detail, errors } = await service.refuse('DELETE', `/api/product/${product.id}`, undefined, {
      code: 'CRUD_ERR_STILL_NEEDED',
    })
    expect([detail, errors]).toEqual(['it is still needed', []])
  })

  test('what a deleted record knows is removed, and known no more', async () => {
    const agent = await service.add('/api/agent', { name: 'a' })
    await service.patch(path(), { agentId: agent.id })
    await remove()
    expect((await service.delete(`/api/agent/${agent.id}`)).status).toBe(204)
    const rows = await service.db.selectFrom('invoice').select('agentId').execute()
    expect(rows.map(({ agentId }) => agentId)).toEqual([null, null])
  })

  test('no body can name a deleted record', async () => {
    await remove()
    for (const [route, body] of [
      ['payment', { sum: 1, invoiceId: invoice.id }],
      ['folder', { name: 'f', coverId: invoice.id }],
      ['folder', { name: 'f', invoices: [{ id: invoice.id }] }],
    ] as const)
      await service.refuse('POST', `/api/${route}`, body, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
  })

  test('the moment is no property: not in answers, bodies, filters and the document', async () => {
    expect(Object.keys(invoice)).not.toContain('deletedAt')
    await service.refuse('PATCH', path(), { deletedAt: null }, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('GET', '/api/invoice?filter[deletedAt][null]=true', undefined, { code: 'CRUD_ERR_INVALID' })
    expect(await (await service.fastify.inject('/api/openapi.json')).body).not.toContain('deletedAt')
  })

  test('a dry run says that the records are marked, and marks none', async () => {
    const store = createStore({ db: service.db, resources: withTestIds(office) })
    const { plan } = await store.invoice.delete(invoice.id, { dryRun: true })
    const marking = plan.steps.flatMap((step) => (step.step === 'stamp' ? [step.resource] : []))
    expect(marking.sort()).toEqual(['address', 'invoice', 'line', 'note'])
    expect(plan.steps.some(({ step }) => step === 'delete')).toBe(false)
    expect(await service.read(path())).toEqual(invoice)
  })

  test('by filter: marks all of them, and what they own, with one moment', async () => {
    const filter = encodeURIComponent(JSON.stringify({ 'lines.text': 'a' }))
    const headers = { prefer: 'max-affected=100' }
    const { status, body } = await service.request('DELETE', `/api/invoice?filter=${filter}`, undefined, headers)
    expect([status, body]).toEqual([200, { count: 2 }])
    expect(await service.read('/api/invoice')).toMatchObject({ count: 0 })
    const { marked, moments } = await markedIn(service.db, 'line')
    expect([marked.length, moments.length]).toEqual([4, 1])
    const store = createStore({ db: service.db, resources: withTestIds(office) })
    expect(await store.invoice.restore(invoice.id)).toMatchObject({ lines: invoice.lines })
    expect(await service.read('/api/invoice')).toMatchObject({ count: 1 })
  })

  test('PUT by a unique value that a deleted record had makes a new record', async () => {
    await remove()
    const body = withGivenId('invoice', { number: '1', customerId: customer.id, lines: [], tags: [] })
    const { status, body: made } = await service.put('/api/invoice?by=number', body)
    expect(status).toBe(201)
    expect(made.id).not.toBe(invoice.id)
    expect((await service.put('/api/invoice?by=number', { ...body, note: 'x' })).body).toMatchObject({
      id: made.id,
      note: 'x',
    })
  })
})
