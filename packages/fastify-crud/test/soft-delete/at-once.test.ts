import { createStore } from 'fastify-crud'
import { expect, test } from 'vitest'
import type { Answer } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { withTestIds } from '../../../../test/support/test-ids.ts'
import { markedIn } from '../contract/soft-delete/support/marked.ts'
import { office } from '../contract/soft-delete/support/office.ts'

const ROUNDS = 8

describeServersOnDatabases('softDelete and several writers', (database) => {
  const servers = useServers(database, office)

  async function newInvoice(number: string) {
    const customer = await servers.one.add('/api/customer', { name: 'c' })
    const lines = [{ text: 'a', amount: 1 }]
    return await servers.one.add('/api/invoice', { number, customerId: customer.id, lines })
  }

  test('of several DELETEs, one succeeds', async () => {
    const { id } = await newInvoice('1')
    const remove: Request = ['DELETE', `/api/invoice/${id}`]
    const results = (await servers.atOnce(remove, remove, remove, remove)).map(resultOf)
    expect(results.sort()).toEqual(['204', ...Array(3).fill('404 CRUD_ERR_NOT_FOUND')])
    expect((await markedIn(servers.one.db, 'line')).moments).toHaveLength(1)
  })

  test('a record is not deleted while another one comes to need it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await newInvoice(`${round}`)
      const pay: Request = ['POST', '/api/payment', { sum: 1, invoiceId: id }]
      const [paid, removed] = (await servers.atOnce(pay, ['DELETE', `/api/invoice/${id}`])).map(resultOf)
      expect([
        ['201', '409 CRUD_ERR_STILL_NEEDED'],
        ['400 CRUD_ERR_UNKNOWN_REFERENCE', '204'],
      ]).toContainEqual([paid, removed])
    }
  })

  test('nobody knows a deleted record, by a reference or by a link', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await newInvoice(`${round}`)
      const folder = await servers.one.add('/api/folder', { name: 'f' })
      const know: Request = ['PATCH', `/api/folder/${folder.id}`, { coverId: id, invoices: [{ id }] }]
      const results = (await servers.atOnce(know, ['DELETE', `/api/invoice/${id}`])).map(resultOf)
      expect(results[1]).toBe('204')
      const rows = await servers.one.db.selectFrom('folder').select('coverId').where('id', '=', folder.id).execute()
      const links = await servers.one.db.selectFrom('folder_invoices').selectAll().execute()
      expect([rows, links]).toEqual([[{ coverId: null }], []])
    }
  })

  test('no child is added to a deleted owner', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await newInvoice(`${round}`)
      const add: Request = ['POST', `/api/invoice/${id}/line`, { text: 'b', amount: 1 }]
      const [, removed] = (await servers.atOnce(add, ['DELETE', `/api/invoice/${id}`])).map(resultOf)
      expect(removed).toBe('204')
    }
    expect(await markedIn(servers.one.db, 'line')).toMatchObject({ left: [] })
  })

  test('one of several takes the unique value of a deleted record', async () => {
    const { id, customerId } = await newInvoice('1')
    await servers.one.delete(`/api/invoice/${id}`)
    const take: Request = ['POST', '/api/invoice', { number: '1', customerId }]
    const results = (await servers.atOnce(take, take, take, take)).map(resultOf)
    expect(results.sort()).toEqual(['201', ...Array(3).fill('409 CRUD_ERR_NOT_UNIQUE')])
  })

  const store = () => createStore({ db: servers.other.db, resources: withTestIds(office) })
  /** What a method of the store comes to, as an answer of a service. */
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => '200',
      ({ code }) => String(code),
    )

  test('of several that bring a record back, one succeeds', async () => {
    const { id } = await newInvoice('1')
    await servers.one.delete(`/api/invoice/${id}`)
    const results = await Promise.all(Array.from({ length: 4 }, () => outcome(store().invoice.restore(id))))
    expect(results.sort()).toEqual(['200', ...Array(3).fill('CRUD_ERR_NOT_FOUND')])
  })

  test('either a record comes back, or another one has its unique value', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, customerId } = await newInvoice(`${round}`)
      await servers.one.delete(`/api/invoice/${id}`)
      const [restored, [added]] = await Promise.all([
        outcome(store().invoice.restore(id)),
        servers.atOnce(['POST', '/api/invoice', { number: `${round}`, customerId }]),
      ])
      expect([
        ['200', '409 CRUD_ERR_NOT_UNIQUE'],
        ['CRUD_ERR_NOT_UNIQUE', '201'],
      ]).toContainEqual([restored, resultOf(added as Answer)])
    }
  })

  test('a record does not come back while what it needs is deleted', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, customerId } = await newInvoice(`${round}`)
      await servers.one.delete(`/api/invoice/${id}`)
      const [restored, [removed]] = await Promise.all([
        outcome(store().invoice.restore(id)),
        servers.atOnce(['DELETE', `/api/customer/${customerId}`]),
      ])
      expect([
        ['200', '409 CRUD_ERR_STILL_NEEDED'],
        ['CRUD_ERR_REFUSED', '204'],
      ]).toContainEqual([restored, resultOf(removed as Answer)])
    }
  })

  test('of a purge and a restore, one succeeds', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await newInvoice(`${round}`)
      await servers.one.delete(`/api/invoice/${id}`)
      const results = await Promise.all([outcome(store().invoice.restore(id)), outcome(store().invoice.purge(id))])
      expect(results.sort()).toEqual(['200', 'CRUD_ERR_NOT_FOUND'])
    }
  })
})
