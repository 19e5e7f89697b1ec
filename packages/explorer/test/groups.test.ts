import { expect, test } from 'vitest'
import { barOf, groupRequest, keysOf, momentOf, numberText, queryOfGroup, valuesOf } from '../page/groups/groups.ts'
import type { ModelDocument } from '../page/model/model.ts'

const resource = { paths: [], defaultInclude: [], operations: {} }
const model: ModelDocument = {
  model: 1,
  hash: 'x',
  limits: { defaultPage: 20, maxPage: 100 },
  resources: {
    order: {
      ...resource,
      fields: {
        number: { schema: { type: 'string', maxLength: 20 } },
        placedOn: { schema: { type: 'string', format: 'date' } },
        status: { schema: { enum: ['open', 'paid'] } },
        note: { schema: { type: 'string' } },
        total: { schema: { type: 'string', format: 'decimal' }, computed: true },
        secret: { schema: { type: 'integer' }, writeOnly: true },
      },
      relations: {
        customer: { kind: 'needs.one', target: 'customer', foreignKey: 'customerId' },
        tags: { kind: 'knows.many', target: 'customer' },
      },
    },
    customer: { ...resource, fields: { name: { schema: { type: 'string', maxLength: 20 } } }, relations: {} },
  },
}

test('a list is grouped by choices first, then by related records, time and the rest', () => {
  const times = ['month', 'year', 'quarter', 'week', 'day'].map((part) => `${part}(placedOn)`)
  expect(keysOf(model, 'order')).toEqual(['status', 'customer.name', ...times, 'number', 'total'])
  expect(valuesOf(model, 'order')).toEqual(['count()', 'sum(total)', 'avg(total)', 'min(total)', 'max(total)'])
})

test('time is in its order, all else has the largest first', () => {
  const query = new URLSearchParams('filter[status]=open')
  const sortOf = (by: string) => new URLSearchParams(groupRequest(query, { by, value: 'count()' }, 100)).get('sort')
  expect(sortOf('status')).toBe('-count(),status')
  expect(sortOf('month(placedOn)')).toBe('month(placedOn)')
})

test('a group leads to its records, those without a value, too', () => {
  const query = new URLSearchParams('filter[total][gte]=8&by=status&values=count()')
  const of = (by: string, value: unknown) => queryOfGroup(query, by, { [by]: value })
  expect(decodeURIComponent(String(of('status', 'open')))).toBe('filter[total][gte]=8&filter[status]=open')
  expect(decodeURIComponent(String(of('status', null)))).toBe('filter[total][gte]=8&filter[status][null]=true')
  expect(of('month(placedOn)', '2026-11')).toBeUndefined()
})

test('bars are as long as their values say, and never less than nothing', () => {
  expect(['10.00', 5, -3, null, 'b'].map((value) => barOf(value, ['10.00', 5, -3, null]))).toEqual([100, 50, 0, 0, 0])
  expect(barOf(0, [0])).toBe(0)
  expect(['1.3333333333333333', '2.50', 3, null].map(numberText)).toEqual(['1.3333', '2.50', '3', '—'])
})

test('the periods of a time have their places in it', () => {
  const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
  for (const [period, begin] of [
    ['2026', '2026-01-01'],
    ['2026-Q4', '2026-10-01'],
    ['2026-11', '2026-11-01'],
    ['2026-11-28', '2026-11-28'],
    ['2026-W01', '2026-01-04'],
    ['2026-W48', '2026-11-29'],
  ] as const)
    expect(momentOf(period), period).toBe(day(begin))
  expect(momentOf(null)).toBeUndefined()
  expect(momentOf('open')).toBeUndefined()
})
