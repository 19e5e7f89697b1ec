import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { jsonFilter } from '../reading/support/spellings.ts'
import { useCatalog } from './support/use-catalog.ts'

describeOnBoth('a list by computed fields', (database) => {
  const filled = useCatalog(database)
  const { service } = filled
  const numbers = async (query: string) => {
    const { rows, count } = await service.read(`/api/bill?${query}`)
    expect(count).toBe(rows.length)
    return rows.map(({ number }: JsonBody) => number)
  }

  test('filters in both spellings', async () => {
    expect(await numbers('filter[total]=5')).toEqual(['b1'])
    expect(await numbers('filter[total][gt]=5')).toEqual(['b2'])
    expect(await numbers(jsonFilter({ or: [{ label: 'bill b1' }, { twice: { lt: 3 } }] }))).toEqual(['b1', 'b2'])
    expect(await numbers(jsonFilter({ not: { label: { endsWith: '1' } } }))).toEqual(['b2'])
  })

  test('filters by those of related records', async () => {
    expect(await numbers('filter[client.name]=Ada+Lovelace')).toEqual(['b1', 'b2'])
    expect(await numbers('filter[lines.loud]=ZEBRA')).toEqual(['b1'])
    expect(await numbers(jsonFilter({ lines: { every: { loud: 'C' } } }))).toEqual(['b2'])
    expect((await service.read('/api/shelf?filter[best.total]=7')).count).toBe(1)
    expect((await service.read('/api/shelf?filter[best.total]=5')).count).toBe(0)
  })

  test('sorts', async () => {
    expect(await numbers('sort=-total')).toEqual(['b2', 'b1'])
    expect(await numbers('sort=twice')).toEqual(['b2', 'b1'])
    expect(await numbers('sort=client.name,-label')).toEqual(['b2', 'b1'])
  })

  test('knows their types: what is no value of theirs is 400', async () => {
    for (const query of ['filter[total]=x', 'filter[total]=', 'filter[totl]=5', 'sort=totl']) {
      const { status, body } = await service.get(`/api/bill?${query}`)
      expect([status, body.code]).toEqual([400, 'CRUD_ERR_INVALID'])
    }
  })

  test('in the store takes the same', async () => {
    const { rows } = await filled.all().bill.list({ filter: { total: { gte: 6 } }, sort: ['-total'] })
    expect(rows).toMatchObject([{ number: 'b2' }])
  })

  test('reads none of what `fields` leaves out', async () => {
    const statements = await service.statements(async () => {
      const { rows } = await service.read('/api/bill?fields=number')
      expect(rows).toMatchObject([{ number: 'b1' }, { number: 'b2' }])
      for (const row of rows) for (const name of ['total', 'shown', 'label']) expect(row).not.toHaveProperty(name)
    })
    expect(statements.join('\n')).not.toMatch(/amount|'bill '/)
  })

  test('shows those that `fields` names', async () => {
    const { rows } = await service.read('/api/bill?fields=total,lines.loud')
    expect(rows).toMatchObject([{ total: 5, lines: [{ loud: 'A' }, { loud: 'ZEBRA' }] }, { total: 7 }])
    for (const row of rows) expect(row).not.toHaveProperty('label')
  })
})
