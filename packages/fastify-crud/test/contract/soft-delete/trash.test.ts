import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, needs, ownedBy, owns, sumOf } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { missingId, withTestIds } from '../../../../../test/support/test-ids.ts'

const text = Type.String()

/** Invoices with a trash, from which they may be removed for good; lines with one from which they may not. */
const desk = defineResources({
  invoice: {
    softDelete: { column: 'deletedAt', trash: { purge: true } },
    columns: { deletedAt: 'deleted_at' },
    fields: { number: text, note: Type.Optional(text) },
    relations: {
      customer: needs.one('customer'),
      before: knows.one('invoice'),
      tags: knows.many('tag'),
      lines: owns.many('line'),
    },
    computed: { total: sumOf('lines', 'amount') },
    search: { fields: ['number', 'customer.name'] },
    unique: [['number']],
  },
  line: {
    softDelete: { column: 'goneAt', trash: true },
    topLevel: true,
    fields: { text, amount: Type.Integer() },
    relations: { invoice: ownedBy('invoice'), like: knows.one('line'), marks: owns.many('mark') },
  },
  mark: {
    softDelete: { column: 'goneAt', trash: { purge: true } },
    fields: { text },
    relations: { line: ownedBy('line') },
  },
  customer: { softDelete: { column: 'deletedAt' }, fields: { name: text } },
  tag: { fields: { name: text } },
  folder: { fields: { name: text }, relations: { cover: knows.one('invoice') } },
})

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}Z$/

describeOnBoth('the trash', (database) => {
  const service = useApp(database, desk)
  const store = () => createStore({ db: service.db, resources: withTestIds(desk) })
  let customer: JsonBody
  let tag: JsonBody
  let invoice: JsonBody
  const ask = (method: string, path: string, headers = {}, body?: unknown) =>
    service.request(method, path, body, headers)

  const add = (number: string, more = {}) =>
    service.add('/api/invoice', {
      number,
      customerId: customer.id,
      lines: [
        { text: 'pens', amount: 3, marks: [{ text: 'm' }] },
        { text: 'ink', amount: 4 },
      ],
      ...more,
    })

  beforeEach(async () => {
    customer = await service.add('/api/customer', { name: 'Ada' })
    tag = await service.add('/api/tag', { name: 't' })
    invoice = await add('1', { tags: [{ id: tag.id }] })
  })

  test('lists deleted records with the moment, and what was deleted together with them', async () => {
    expect(await service.read('/api/invoice/$deleted')).toEqual({ rows: [], count: 0 })
    await service.delete(`/api/invoice/${invoice.id}/line/${invoice.lines[1].id}`)
    await service.delete(`/api/invoice/${invoice.id}`)
    const { rows, count } = await service.read('/api/invoice/$deleted')
    const [first] = invoice.lines
    const deleted = { ...invoice, deletedAt: expect.stringMatching(MOMENT), lines: [first], tags: [], total: 3 }
    expect([rows, count]).toEqual([[deleted], 1])
    expect(await service.read(`/api/invoice/$deleted/${invoice.id}`)).toEqual(rows[0])
    expect((await service.request('HEAD', '/api/invoice/$deleted')).status).toBe(200)
  })

  test('what was deleted last comes first, and filters, sorts, pages and searches are those of any list', async () => {
    const all = [invoice, await add('2'), await add('3')]
    for (const { id } of [all[1], all[0], all[2]]) await service.delete(`/api/invoice/${id}`)
    const numbers = async (query: string) =>
      (await service.read(`/api/invoice/$deleted${query}`)).rows.map(({ number }: JsonBody) => number)
    expect(await numbers('')).toEqual(['3', '1', '2'])
    expect(await numbers('?sort=deletedAt')).toEqual(['2', '1', '3'])
    expect(await numbers('?sort=-number&limit=2')).toEqual(['3', '2'])
    expect(await numbers('?filter[number][gt]=1&sort=number')).toEqual(['2', '3'])
    expect(await numbers('?filter[lines.text]=ink&filter[total]=7')).toHaveLength(3)
    expect(await numbers('?search=ada')).toHaveLength(3)
    const { rows } = await service.read('/api/invoice/$deleted?fields=number,deletedAt&count=none')
    expect(rows[1]).toEqual({ id: all[0]?.id, number: '1', deletedAt: expect.stringMatching(MOMENT), partial: true })
    const later = encodeURIComponent(rows[1].deletedAt)
    expect(await numbers(`?filter[deletedAt][gte]=${later}`)).toEqual(['3', '1'])
    expect((await service.read('/api/invoice/$deleted?fields=number')).rows[0]).not.toHaveProperty('deletedAt')
    const page = await ask('GET', '/api/invoice/$deleted?limit=2')
    expect(page.headers.link).toBe(`</api/invoice/$deleted?limit=2&after=${page.body.next}>; rel="next"`)
    expect(await numbers(`?limit=2&after=${page.body.next}`)).toEqual(['2'])
    const { next } = await service.read('/api/invoice/$deleted?limit=1&sort=number')
    await service.refuse('GET', `/api/invoice?limit=1&sort=number&after=${next}`, undefined, {
      code: 'CRUD_ERR_INVALID',
    })
    await service.refuse('GET', '/api/invoice/$deleted?filter[deleted]=1', undefined, {
      code: 'CRUD_ERR_INVALID',
      detail: /an invoice has no 'deleted'; did you mean 'deletedAt'\?/,
    })
  })

  test('nothing else sees deleted records or their moment', async () => {
    await service.delete(`/api/invoice/${invoice.id}`)
    const other = await add('2')
    expect(other).not.toHaveProperty('deletedAt')
    expect(await service.read('/api/invoice')).toMatchObject({ count: 1 })
    await service.refuse('GET', `/api/invoice/${invoice.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    for (const query of ['filter[deletedAt][null]=false', 'sort=deletedAt', 'fields=deletedAt']) {
      await service.refuse('GET', `/api/invoice?${query}`, undefined, { code: 'CRUD_ERR_INVALID' })
    }
    await service.refuse('GET', `/api/invoice/$deleted/${other.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('DELETE', `/api/invoice/$deleted/${other.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('POST', `/api/invoice/${other.id}/$restore`, {}, { code: 'CRUD_ERR_NOT_FOUND' })
    expect((await ask('GET', `/api/invoice/$deleted/${missingId('invoice')}`)).status).toBe(404)
  })

  test('a reference that was deleted later is null, beside its foreign key', async () => {
    await service.delete(`/api/invoice/${invoice.id}`)
    await service.delete(`/api/customer/${customer.id}`)
    const found = await service.read(`/api/invoice/$deleted/${invoice.id}`)
    expect(found).toMatchObject({ customerId: customer.id, customer: null })
    await service.refuse('POST', `/api/invoice/${invoice.id}/$restore`, undefined, { code: 'CRUD_ERR_REFUSED' })
  })

  test('a record comes back with all that was deleted together with it', async () => {
    const [first, second] = invoice.lines
    await service.patch(`/api/invoice/${invoice.id}`, { lines: [{ id: second.id, likeId: first.id }] })
    const folder = await service.add('/api/folder', { name: 'f', coverId: invoice.id })
    const before = await service.read(`/api/invoice/${invoice.id}`)
    await service.delete(`/api/invoice/${invoice.id}`)
    const deleted = await service.read(`/api/invoice/$deleted/${invoice.id}`)
    expect(deleted.lines).toEqual(before.lines)
    const { status, body, headers } = await ask('POST', `/api/invoice/${invoice.id}/$restore`)
    expect([status, body]).toEqual([200, { ...before, tags: [] }])
    expect(headers.location).toBeUndefined()
    const again = await ask('GET', `/api/invoice/${invoice.id}`)
    expect([again.body, again.headers.etag]).toEqual([body, headers.etag])
    expect(await service.read(`/api/folder/${folder.id}`)).toMatchObject({ coverId: null })
    expect(await service.read('/api/invoice/$deleted')).toMatchObject({ count: 0 })
    await service.refuse('POST', `/api/invoice/${invoice.id}/$restore`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('it does not come back while another record has its unique value, and takes no body', async () => {
    await service.delete(`/api/invoice/${invoice.id}`)
    const { id } = await add('1')
    await service.refuse('POST', `/api/invoice/${invoice.id}/$restore`, undefined, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await service.delete(`/api/invoice/${id}`)
    await service.refuse(
      'POST',
      `/api/invoice/${invoice.id}/$restore`,
      { number: '9' },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: [''],
        detail: /a record comes back as it was: leave out the body/,
      },
    )
    await service.refuse('POST', `/api/invoice/${invoice.id}/$restore?x=1`, undefined, { code: 'CRUD_ERR_INVALID' })
    expect((await ask('POST', `/api/invoice/${invoice.id}/$restore`, {}, {})).status).toBe(200)
  })

  test('preferences and preconditions hold', async () => {
    const path = `/api/invoice/${invoice.id}`
    await service.delete(path)
    const { headers } = await ask('GET', `/api/invoice/$deleted/${invoice.id}`)
    expect((await ask('GET', `/api/invoice/$deleted/${invoice.id}`, { 'if-none-match': headers.etag })).status).toBe(
      304,
    )
    expect((await ask('POST', `${path}/$restore`, { 'if-match': '"other"' })).status).toBe(412)
    expect((await ask('DELETE', `/api/invoice/$deleted/${invoice.id}`, { 'if-match': '"other"' })).status).toBe(412)
    for (const method of ['POST', 'DELETE']) {
      const url = method === 'POST' ? `${path}/$restore` : `/api/invoice/$deleted/${invoice.id}`
      const few = await ask(method, url, { prefer: 'max-affected=2' })
      expect([few.status, few.body.code]).toEqual([400, 'CRUD_ERR_TOO_LARGE'])
      const undone = await ask(method, url, { prefer: 'tx=rollback', 'if-match': headers.etag })
      expect([undone.status, undone.headers['preference-applied']]).toEqual([
        method === 'POST' ? 200 : 204,
        'tx=rollback',
      ])
      expect(await service.read('/api/invoice/$deleted')).toMatchObject({ count: 1 })
    }
    const minimal = await ask('POST', `${path}/$restore`, { prefer: 'return=minimal', 'if-match': headers.etag })
    expect([minimal.status, minimal.body]).toEqual([204, undefined])
    expect((await ask('GET', path)).status).toBe(200)
  })

  test('a restore that is sent again with its key is done once', async () => {
    const path = `/api/invoice/${invoice.id}`
    const key = { 'idempotency-key': 'k1' }
    await service.delete(path)
    const first = await ask('POST', `${path}/$restore`, key)
    const again = await ask('POST', `${path}/$restore`, key)
    expect([again.status, again.body]).toEqual([200, first.body])
    await service.delete(path)
    expect((await ask('POST', `${path}/$restore`, key)).status).toBe(200)
    expect((await ask('GET', path)).status).toBe(404)
  })

  test('a record is removed for good where the descriptor says so', async () => {
    const path = `/api/invoice/${invoice.id}`
    await service.delete(path)
    expect((await ask('DELETE', `/api/invoice/$deleted/${invoice.id}`)).status).toBe(204)
    expect(Object.values(await service.snapshot(['invoice', 'line', 'mark'])).flat()).toEqual([])
    await service.refuse('DELETE', `/api/invoice/$deleted/${invoice.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    const other = await add('2')
    await service.delete(`/api/line/${other.lines[0].id}`)
    const refused = await ask('DELETE', `/api/line/$deleted/${other.lines[0].id}`)
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await ask('GET', `/api/invoice/${other.id}/$restore`)).headers.allow).toBe('POST')
    expect((await ask('POST', '/api/invoice/$deleted', {}, {})).headers.allow).toBe('GET, HEAD')
  })

  test('it is not removed while a deleted record needs it', async () => {
    const needing = createStore({ db: service.db, resources: withTestIds(desk) })
    await service.delete(`/api/invoice/${invoice.id}`)
    await service.delete(`/api/customer/${customer.id}`)
    await expect(needing.customer.purge(customer.id)).rejects.toMatchObject({ code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await ask('DELETE', `/api/invoice/$deleted/${invoice.id}`)).status).toBe(204)
    await needing.customer.purge(customer.id)
  })

  test('records below an owner are found there, of this owner alone', async () => {
    const other = await add('2')
    const [first, second] = invoice.lines
    const lines = `/api/invoice/${invoice.id}/line`
    await service.delete(`${lines}/${first.id}`)
    await service.delete(`/api/invoice/${other.id}/line/${other.lines[0].id}`)
    const { rows, count } = await service.read(`${lines}/$deleted`)
    expect([rows, count]).toEqual([[{ ...first, goneAt: expect.stringMatching(MOMENT) }], 1])
    expect(await service.read(`${lines}/$deleted/${first.id}`)).toEqual(rows[0])
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    await service.refuse('GET', `/api/invoice/${other.id}/line/$deleted/${first.id}`, undefined, notFound)
    await service.refuse('POST', `/api/invoice/${other.id}/line/${first.id}/$restore`, undefined, notFound)
    await service.refuse('GET', `/api/invoice/${missingId('invoice')}/line/$deleted`, undefined, notFound)
    expect((await ask('POST', `${lines}/${first.id}/$restore`)).body).toEqual(first)
    await service.delete(`${lines}/${second.id}`)
    await service.delete(`/api/invoice/${invoice.id}`)
    await service.refuse('GET', `${lines}/$deleted`, undefined, notFound)
    await service.refuse('POST', `${lines}/${first.id}/$restore`, undefined, { code: 'CRUD_ERR_REFUSED' })
    expect(await service.read('/api/line/$deleted')).toMatchObject({ count: 3 })
  })

  test('two levels down, each owner has to be the one above', async () => {
    const [first, second] = invoice.lines
    const marks = `/api/invoice/${invoice.id}/line/${first.id}/mark`
    const [mark] = first.marks
    await service.delete(`${marks}/${mark.id}`)
    expect(await service.read(`${marks}/$deleted`)).toMatchObject({ rows: [{ id: mark.id, text: 'm' }] })
    const other = await add('2')
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    for (const wrong of [`${other.id}/line/${first.id}`, `${invoice.id}/line/${second.id}`]) {
      await service.refuse('GET', `/api/invoice/${wrong}/mark/$deleted/${mark.id}`, undefined, notFound)
      await service.refuse('POST', `/api/invoice/${wrong}/mark/${mark.id}/$restore`, undefined, notFound)
      await service.refuse('DELETE', `/api/invoice/${wrong}/mark/$deleted/${mark.id}`, undefined, notFound)
    }
    expect((await ask('DELETE', `${marks}/$deleted/${mark.id}`)).status).toBe(204)
  })

  test('records at the top that have owners are found with these, and come back to them', async () => {
    const [first] = invoice.lines
    await service.delete(`/api/line/${first.id}`)
    const { rows } = await service.read('/api/line/$deleted?filter[invoice.number]=1')
    expect(rows).toEqual([{ ...first, invoiceId: invoice.id, goneAt: expect.stringMatching(MOMENT) }])
    const { headers } = await ask('GET', `/api/line/$deleted/${first.id}`)
    const back = await ask('POST', `/api/line/${first.id}/$restore`, {
      'if-match': headers.etag,
      'idempotency-key': 'k',
    })
    expect([back.status, back.body]).toEqual([200, { ...first, invoiceId: invoice.id }])
    expect(
      (await ask('POST', `/api/line/${first.id}/$restore`, { 'idempotency-key': 'k', 'if-match': headers.etag }))
        .status,
    ).toBe(200)
    await service.delete(`/api/invoice/${invoice.id}`)
    expect((await service.read('/api/line/$deleted?filter[invoice.number]=1')).count).toBe(2)
    await service.refuse('POST', `/api/line/${first.id}/$restore`, undefined, { code: 'CRUD_ERR_REFUSED' })
  })

  test('is there only where the descriptor says so', async () => {
    await service.delete(`/api/invoice/${invoice.id}`)
    await service.delete(`/api/customer/${customer.id}`)
    // As any other text, which may be an id.
    expect([400, 404]).toContain((await ask('GET', '/api/customer/$deleted')).status)
    expect((await ask('GET', `/api/customer/$deleted/${customer.id}`)).status).toBe(404)
    expect((await ask('POST', `/api/customer/${customer.id}/$restore`)).status).toBe(404)
    expect(Object.keys(store().customer)).not.toContain('deleted')
  })

  test('the store has it, too', async () => {
    const { invoice: invoices } = store()
    await invoices.owned(invoice.id, 'lines').delete(invoice.lines[0].id)
    expect(await invoices.owned(invoice.id, 'lines').deleted.list()).toMatchObject({ count: 1 })
    await invoices.delete(invoice.id)
    const { rows } = await invoices.deleted.list({ sort: ['deletedAt'], filter: { number: '1' } })
    expect(rows).toEqual([await invoices.deleted.find(invoice.id)])
    expect(rows[0]?.deletedAt).toMatch(MOMENT)
    const { plan } = await invoices.purge(invoice.id, { dryRun: true })
    expect(plan.steps.map(({ step }) => step)).toContain('delete')
    expect(await store().line.deleted.list()).toMatchObject({ count: 2 })
    await invoices.purge(invoice.id)
    await expect(invoices.deleted.find(invoice.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
  })
})
