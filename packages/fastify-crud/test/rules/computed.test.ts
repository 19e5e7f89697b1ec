import { checkTables, createStore } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { catalog } from './support/catalog.ts'
import { useCatalog } from './support/use-catalog.ts'

const invalid = 'CRUD_ERR_INVALID'

describeOnBoth('a computed field', (database) => {
  const filled = useCatalog(database)
  const { service } = filled
  const path = () => `/api/bill/${filled.rows.five.id}`

  test('stands in a record, in the records that it owns, and in each row of a list', async () => {
    expect(await service.read(path())).toMatchObject({
      total: 5,
      shown: 5,
      label: 'bill b1',
      twice: 6,
      lines: [{ loud: 'A' }, { loud: 'ZEBRA' }],
    })
    const { rows } = await service.read('/api/bill')
    expect(rows).toMatchObject([
      { total: 5, label: 'bill b1', lines: [{ loud: 'A' }, { loud: 'ZEBRA' }] },
      { total: 7, label: 'bill b2', lines: [{ loud: 'C' }] },
    ])
    expect((await service.read(`${path()}/item`)).rows).toMatchObject([{ loud: 'A' }, { loud: 'ZEBRA' }])
  })

  test('stands in the summary of a related record, unless it says `summary: false`', async () => {
    const { bills, best } = await service.read(`/api/shelf/${filled.rows.shelf.id}`)
    expect(bills).toMatchObject([
      { number: 'b1', total: 5, twice: 6 },
      { number: 'b2', total: 7, twice: 2 },
    ])
    expect(best).toMatchObject({ number: 'b2', total: 7 })
    for (const bill of [...bills, best]) expect(bill).not.toHaveProperty('label')
    expect((await service.read(path())).client).toMatchObject({ name: 'Ada Lovelace' })
  })

  test('is what the write has made of it, in the answer of the write', async () => {
    const { client, five } = filled.rows
    const body = { number: 'b3', discount: 4, clientId: client.id, lines: [{ text: 'x', amount: 9 }] }
    expect(await service.add('/api/bill', body)).toMatchObject({ total: 9, label: 'bill b3', twice: 8 })
    const changed = await service.patch(path(), { lines: [{ id: five.lines[0]?.id, amount: 20 }] })
    expect(changed.body).toMatchObject({ total: 23, lines: [{ loud: 'A' }, { loud: 'ZEBRA' }] })
    expect((await service.put(path(), { ...body, number: 'b1' })).body).toMatchObject({ total: 9, label: 'bill b1' })
    expect(await service.add(`${path()}/item`, { text: 'y', amount: 1 })).toMatchObject({ loud: 'Y' })
    expect(await service.read(path())).toMatchObject({ total: 10 })
  })

  test('is read-only: refused in POST and PATCH, at every depth', async () => {
    const { client, five } = filled.rows
    const lines = [{ text: 'x', amount: 1, loud: 'X' }]
    const body = { number: 'b3', discount: 4, clientId: client.id, total: 1, label: 'x', lines }
    const pointers = ['/total', '/label', '/lines/0/loud']
    await service.refuse('POST', '/api/bill', body, { code: invalid, pointers })
    await service.refuse('PATCH', path(), { total: 5 }, { code: invalid, pointers: ['/total'] })
    const linePath = `${path()}/item/${five.lines[0]?.id}`
    await service.refuse('PATCH', linePath, { loud: 'A' }, { code: invalid, pointers: ['/loud'] })
  })

  test('is passed over in a PUT: one with the body that GET returned changes nothing', async () => {
    const record = await service.read(path())
    const statements = await service.statements(async () => {
      expect(await service.put(path(), record)).toMatchObject({ status: 200, body: record })
    })
    expect(writesIn(statements)).toEqual([])
    const { body } = await service.put(path(), { ...record, total: 999, label: 'mine', number: 'b9' })
    expect(body).toMatchObject({ total: 5, label: 'bill b9' })
  })

  test('is part of the ETag: what a change elsewhere makes of it is another state', async () => {
    const etagOf = async () => String((await service.get(path())).headers.etag)
    const { five, shelf } = filled.rows
    const before = await etagOf()
    const others = { 'if-none-match': before }
    expect((await service.request('GET', path(), undefined, others)).status).toBe(304)
    const shown = String((await service.get(`/api/shelf/${shelf.id}`)).headers.etag)
    await service.patch(`${path()}/item/${five.lines[0]?.id}`, { amount: 3 })
    expect(await etagOf()).not.toBe(before)
    expect((await service.request('PATCH', path(), { number: 'b9' }, { 'if-match': before })).status).toBe(412)
    expect((await service.request('PATCH', path(), { number: 'b9' }, { 'if-match': await etagOf() })).status).toBe(200)
    expect((await service.request('PUT', `/api/shelf/${shelf.id}`, { name: 't' }, { 'if-match': shown })).status).toBe(
      412,
    )
  })

  test('is no column', async () => {
    expect(await checkTables(service.db, catalog)).toEqual([])
  })

  test('can be read by an invariant', async () => {
    const { bill } = createStore({
      db: service.db,
      resources: catalog,
      rules: {
        bill: {
          invariant: {
            reads: ['total'],
            test({ before, after, refuse }) {
              if (after.total > 9) refuse(`it was ${before?.total}`)
            },
          },
        },
      },
    })
    const { id } = filled.rows.five
    const x = { text: 'x', amount: 4 }
    await bill.patch(id, { lines: [x] })
    await expect(bill.patch(id, { lines: [x] })).rejects.toThrow('it was 9')
    expect(await bill.find(id)).toMatchObject({ total: 9 })
  })

  test('is in the store, too', async () => {
    expect(await filled.all().bill.find(filled.rows.five.id)).toMatchObject({ total: 5, label: 'bill b1' })
    expect((await filled.all().bill.list()).rows.map(({ total }) => total)).toEqual([5, 7])
    expect(filled.rows.seven.total).toBe(7)
  })
})
