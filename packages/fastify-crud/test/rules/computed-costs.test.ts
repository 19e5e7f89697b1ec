import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useCatalog } from './support/use-catalog.ts'

/** What the database is sent to compute fields of bills. */
const COMPUTING = /sum\(|total\(|'bill '/

describeOnBoth('the fields of bills', (database) => {
  const filled = useCatalog(database)
  const { service } = filled
  const path = () => `/api/bill/${filled.rows.five.id}`
  const computing = async (send: () => Promise<unknown>) => {
    const statements = await service.statements(send)
    return statements.filter((text) => COMPUTING.test(text)).length
  }

  test('are computed once for a write that answers with the record', async () => {
    const { number, discount, clientId, lines } = await service.read(path())
    expect(await computing(() => service.patch(path(), { number: 'b9' }))).toBe(1)
    expect(await computing(() => service.patch(path(), { lines: [{ text: 'x', amount: 1 }] }))).toBe(1)
    expect(await computing(() => service.put(path(), { number, discount, clientId, lines: lines.slice(1) }))).toBe(1)
    expect(await computing(() => service.post('/api/bill', { number: 'b8', discount, clientId, lines: [] }))).toBe(1)
    expect(await computing(() => service.put(path(), { number, discount, clientId, lines: [] }))).toBe(1)
  })

  test('are computed for a write that changes nothing, as it answers with the record', async () => {
    const record = await service.read(path())
    expect(await computing(() => service.put(path(), record))).toBe(1)
    expect(await computing(() => service.patch(path(), {}))).toBe(1)
  })

  test('are not computed for a write that answers without the record, nor for a DELETE', async () => {
    const quiet = { prefer: 'return=minimal' }
    const record = await service.read(path())
    expect(await computing(() => service.request('PATCH', path(), { number: 'b9' }, quiet))).toBe(0)
    expect(await computing(() => service.request('PUT', path(), { ...record, number: 'b7' }, quiet))).toBe(0)
    expect(await computing(() => service.delete(path()))).toBe(0)
  })
})
