import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada as adaIs, headersOf } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

describeOnBoth('writes of many records, with policies', (database) => {
  const { service, rows, ada } = useOffices(database)
  const most = (count: number) => ({ ...headersOf(adaIs), prefer: `max-affected=${count}` })

  test('a record that the caller may not see is not there for an array', async () => {
    const { ours, hidden } = rows.customer
    for (const method of ['PATCH', 'PUT'] as const) {
      const body = (id: number) => [
        { ...ours, name: 'x' },
        { name: 'y', orgId: 1, id },
      ]
      await ada.refuseLikeMissing(hidden.id, (id) => [method, '/api/customer', body(id)], {
        code: 'CRUD_ERR_NOT_FOUND',
        pointers: ['/1/id'],
      })
    }
  })

  test('what policies forbid to one record is refused to all', async () => {
    await ada.refuse(
      'POST',
      '/api/customer',
      [
        { name: 'x', orgId: 1 },
        { name: 'y', orgId: 2 },
      ],
      {
        code: 'CRUD_ERR_FORBIDDEN',
      },
    )
    await ada.refuse('PATCH', '/api/customer', [{ id: rows.customer.ours.id, orgId: 2 }], {
      code: 'CRUD_ERR_FORBIDDEN',
    })
    expect((await ada.post('/api/customer', [{ name: 'x', orgId: 1 }])).status).toBe(201)
  })

  test('a filter finds what the caller may see, and nothing else is counted, changed or deleted', async () => {
    const { ours } = rows.customer
    const answer = await service.request('PATCH', '/api/customer?filter[name][null]=false', { name: 'all' }, most(9))
    expect(answer).toMatchObject({ status: 200, body: { count: 1 } })
    expect(await rows.all.customer.find(ours.id)).toMatchObject({ name: 'all' })
    expect(await rows.all.customer.find(rows.customer.hidden.id)).toEqual(rows.customer.hidden)
    await ada.post('/api/project', [
      { name: 'x', orgId: 1 },
      { name: 'y', orgId: 1 },
    ])
    const gone = await service.request('DELETE', '/api/project?filter[name][null]=false', undefined, most(9))
    expect(gone.body).toEqual({ count: 3 })
    expect((await rows.all.project.list()).rows).toEqual([rows.project.hidden])
  })

  test('`max-affected` says nothing of records that the caller may not see', async () => {
    const { second } = rows.invoice
    await rows.all.invoice.patch(second.id, { notes: [{ text: 'zebra', authorId: 2, replies: [] }] })
    const put = (count: number) =>
      service.request('PUT', '/api/invoice', [{ ...second, notes: [], number: 'x', seal: null }], most(count))
    // The invoice and its seal.
    expect((await put(1)).status).toBe(400)
    expect((await put(2)).status).toBe(200)
  })

  test('by a unique key, the record of others is a value that is taken', async () => {
    const put = (code: string) => ['PUT', '/api/customer?by=code', { name: 'x', orgId: 1, code }] as const
    await ada.refuse(...put('Z'), { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/code'] })
    expect(await ada.request(...put('A'))).toMatchObject({
      status: 200,
      body: { id: rows.customer.ours.id, name: 'x' },
    })
    expect(await ada.request(...put('N'))).toMatchObject({ status: 201 })
    await ada.refuse('PUT', '/api/customer?by=code', [{ name: 'x', orgId: 1, code: 'M' }, { ...put('Z')[2] }], {
      code: 'CRUD_ERR_NOT_UNIQUE',
      pointers: ['/1/code'],
    })
  })

  test('hidden records that a record owns stay, whatever an array says', async () => {
    const { shown, ours } = rows.invoice
    const answer = await ada.put('/api/invoice', [{ ...shown, notes: [], lines: [] }])
    expect(answer).toMatchObject({ status: 200, body: { rows: [{ notes: [], lines: [] }] } })
    expect((await rows.all.invoice.find(ours.id)).notes).toMatchObject([{ text: 'zebra note' }])
  })

  test('a record that leaves the sight of the caller is not among the rows', async () => {
    await service.db.updateTable('customer').set({ orgId: 1 }).execute()
    const bodies = [
      { id: rows.customer.ours.id, name: 'a' },
      { id: rows.customer.hidden.id, name: 'b' },
    ]
    expect((await ada.patch('/api/customer', bodies)).body.rows).toHaveLength(2)
  })
})
