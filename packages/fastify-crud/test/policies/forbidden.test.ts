import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('a row in View, but outside of Edit and Delete,', (database) => {
  const { rows, ada } = useOffices(database, {
    invoice: {
      View: ({ eb, my }) => eb('orgId', '=', my('org')),
      Add: true,
      Edit: ({ eb }) => eb('number', '=', 'our second'),
      Delete: false,
    },
    reminder: { View: true, Add: true, Edit: false, Delete: false },
  })
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.ours.id}`
  })

  test('is shown', async () => {
    expect(await ada.read(path)).toEqual(rows.invoice.shown)
  })

  test('is 403 for PUT, PATCH and DELETE, and nothing is done', async () => {
    const { shown } = rows.invoice
    await ada.refuse('PUT', path, { ...shown, number: 'x' }, forbidden)
    await ada.refuse('PUT', '/api/invoice', { ...shown, number: 'x' }, forbidden)
    await ada.refuse('PATCH', path, { number: 'x' }, forbidden)
    await ada.refuse('PATCH', path, { lines: [] }, forbidden)
    await ada.refuse('DELETE', path, undefined, forbidden)
  })

  test('is 403 even if nothing would change', async () => {
    await ada.refuse('PUT', path, rows.invoice.shown, forbidden)
    await ada.refuse('PATCH', path, {}, forbidden)
    await ada.refuse('PATCH', path, { number: rows.invoice.shown.number }, forbidden)
  })

  test('is 403 where a write needs no look at the row', async () => {
    const { id } = await rows.all.reminder.create({ text: 'r', orgId: 1, invoiceId: rows.invoice.ours.id })
    await ada.refuse('PATCH', `/api/reminder/${id}`, { text: 'x' }, forbidden)
    await ada.refuse('PATCH', `/api/reminder/${id}`, {}, forbidden)
    await ada.refuse('DELETE', `/api/reminder/${id}`, undefined, forbidden)
    expect((await ada.get(`/api/reminder/${id}`)).status).toBe(200)
  })

  test('is 403 for what it owns, if that has no policy of its own', async () => {
    const [line] = rows.invoice.ours.lines
    await ada.refuse('POST', `${path}/line`, { text: 'x' }, forbidden)
    await ada.refuse('PUT', `${path}/line/${line?.id}`, { text: 'x' }, forbidden)
    await ada.refuse('PATCH', `${path}/line/${line?.id}`, { text: 'x' }, forbidden)
    await ada.refuse('DELETE', `${path}/line/${line?.id}`, undefined, forbidden)
    await ada.refuse('POST', `${path}/line/${line?.id}/part`, { text: 'x' }, forbidden)
    await ada.refuse('PATCH', `${path}/line/${line?.id}/part/${line?.parts[0]?.id}`, { text: 'x' }, forbidden)
    await ada.refuse('DELETE', `${path}/line/${line?.id}/part/${line?.parts[0]?.id}`, undefined, forbidden)
  })

  test('leaves what it owns to the policy that this has of its own', async () => {
    const added = await ada.post(`${path}/note`, { text: 'new', authorId: 1 })
    expect(added.status).toBe(201)
    const note = `${path}/note/${added.body.id}`
    expect((await ada.patch(note, { text: 'newer' })).status).toBe(200)
    expect((await ada.put(note, { text: 'newest', authorId: 1, replies: [{ text: 'r' }] })).status).toBe(200)
    expect((await ada.delete(note)).status).toBe(204)
  })

  test('differs from one that is in Edit', async () => {
    const second = `/api/invoice/${rows.invoice.second.id}`
    expect((await ada.patch(second, { lines: [{ text: 'x' }] })).status).toBe(200)
    await ada.refuse('DELETE', second, undefined, forbidden)
  })

  test('may be added', async () => {
    const body = { number: 'x', orgId: 1, customerId: rows.customer.ours.id, lines: [] }
    expect((await ada.post('/api/invoice', body)).status).toBe(201)
  })
})

describeOnBoth('Add: false', (database) => {
  const { rows, ada } = useOffices(database, {
    customer: { View: true, Add: false, Edit: true, Delete: true },
    note: { View: true, Add: false, Edit: true, Delete: true },
  })

  test('is 403 for each new row, at the top and below', async () => {
    await ada.refuse('POST', '/api/customer', { name: 'x', orgId: 1 }, forbidden)
    await ada.refuse('POST', '/api/customer/900000', { name: 'x', orgId: 1 }, forbidden)
    const note = { text: 'x', authorId: 1 }
    const path = `/api/invoice/${rows.invoice.second.id}`
    await ada.refuse('POST', `${path}/note`, note, forbidden)
    await ada.refuse('PATCH', path, { notes: [note] }, forbidden)
    await ada.refuse('PUT', path, { ...rows.invoice.second, notes: [note] }, forbidden)
    const invoice = { number: 'x', orgId: 1, customerId: rows.customer.ours.id }
    await ada.refuse('POST', '/api/invoice', { ...invoice, notes: [note] }, forbidden)
    expect((await ada.post('/api/invoice', invoice)).status).toBe(201)
  })
})

describeOnBoth('a policy that is `true` or `false` for all actions', (database) => {
  const { rows, ada } = useOffices(database, { customer: false, tag: true })

  test('allows all rows, or none', async () => {
    expect(await ada.read('/api/customer')).toEqual({ rows: [], count: 0 })
    await ada.refuse('GET', `/api/customer/${rows.customer.ours.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await ada.refuse('POST', '/api/customer', { name: 'x', orgId: 1 }, forbidden)
    expect((await ada.read(`/api/invoice/${rows.invoice.second.id}`)).customer).toBeNull()
    const tag = await ada.post('/api/tag', { name: 'x', orgId: 2 })
    expect(tag.status).toBe(201)
    expect((await ada.patch(`/api/tag/${tag.body.id}`, { name: 'y' })).status).toBe(200)
    expect((await ada.delete(`/api/tag/${tag.body.id}`)).status).toBe(204)
  })
})

describeOnBoth('an action that a policy does not name', (database) => {
  const { rows, ada } = useOffices(database, { project: { View: ({ eb, my }) => eb('orgId', '=', my('org')) } })

  test('is not allowed', async () => {
    const path = `/api/project/${rows.project.ours.id}`
    expect(await ada.read(path)).toEqual(rows.project.ours)
    await ada.refuse('POST', '/api/project', { name: 'x', orgId: 1 }, forbidden)
    await ada.refuse('PATCH', path, { name: 'x' }, forbidden)
    await ada.refuse('DELETE', path, undefined, forbidden)
  })
})
