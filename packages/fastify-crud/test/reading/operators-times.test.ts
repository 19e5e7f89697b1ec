import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { expectCondition } from './support/conditions.ts'
import { jsonFilter } from './support/spellings.ts'
import { expectTitles, useBooks } from './support/use-books.ts'

const noon = [
  '2026-01-01T12:00:00Z',
  '2026-01-01T12:00:00.000Z',
  '2026-01-01T13:00:00+01:00',
  '2026-01-01T00:30:00-11:30',
  '2026-01-02T02:00:00+14:00',
]

describeOnBoth('a condition on a date-time', (database) => {
  const books = useBooks(database)

  for (const moment of noon) {
    test(`compares points in time, whatever their offsets: ${moment}`, async () => {
      await expectCondition(books, 'soldAt', 'eq', moment, ['Amber', 'Birch', 'Gorse'])
      await expectCondition(books, 'soldAt', 'ne', moment, ['Cedar', 'Dogwood', 'Elder', 'Fir', 'Hazel'])
      await expectCondition(books, 'soldAt', 'lt', moment, ['Elder', 'Fir'])
      await expectCondition(books, 'soldAt', 'lte', moment, ['Amber', 'Birch', 'Elder', 'Fir', 'Gorse'])
      await expectCondition(books, 'soldAt', 'gt', moment, ['Cedar'])
      await expectCondition(books, 'soldAt', 'gte', moment, ['Amber', 'Birch', 'Cedar', 'Gorse'])
      await expectCondition(
        books,
        'soldAt',
        'in',
        [moment, '1970-01-01T00:59:59+01:00'],
        ['Amber', 'Birch', 'Fir', 'Gorse'],
      )
      await expectCondition(books, 'soldAt', 'nin', [moment], ['Cedar', 'Dogwood', 'Elder', 'Fir', 'Hazel'])
    })
  }

  test('tells milliseconds apart', async () => {
    await expectCondition(books, 'soldAt', 'eq', '2026-01-01T12:00:00.001Z', ['Cedar'])
    await expectCondition(books, 'soldAt', 'eq', '2026-01-01T00:59:59.999Z', ['Elder'])
    await expectCondition(books, 'soldAt', 'gt', '2026-01-01T12:00:00.001Z', [])
    await expectCondition(books, 'soldAt', 'lt', '2026-01-01T01:00:00Z', ['Elder', 'Fir'])
    await expectCondition(books, 'soldAt', 'lt', '2026-01-01T00:59:59.999Z', ['Fir'])
  })

  test('reaches before 1970, and to the ends of the calendar', async () => {
    await expectCondition(books, 'soldAt', 'lt', '1970-01-01T00:00:00Z', ['Fir'])
    const sold = ['Amber', 'Birch', 'Cedar', 'Elder', 'Fir', 'Gorse']
    await expectCondition(books, 'soldAt', 'gt', '0001-01-01T00:00:00Z', sold)
    await expectCondition(books, 'soldAt', 'lt', '9999-12-31T23:59:59Z', sold)
  })
})

const events = defineResources({ event: { fields: { at: Type.String({ format: 'date-time' }) } } })

describeOnBoth('a condition on a date-time with many digits behind the second', (database) => {
  const service = useApp(database, events)

  test('finds what has the same digits', async () => {
    for (const at of ['2030-01-01T12:00:00.1239Z', '2030-01-02T00:00:00.0005+02:00', '2030-01-03T12:00:59.99999Z']) {
      const { body: event } = await service.post('/api/event', { at })
      for (const operation of [{ eq: at }, { in: [at] }, { gte: at, lte: at }]) {
        const { rows } = await service.read(`/api/event?${jsonFilter({ at: operation })}`)
        expect(rows, at).toEqual([event])
      }
    }
  })
})

describeOnBoth('a condition on a date', (database) => {
  const books = useBooks(database)

  test('compares days', async () => {
    await expectCondition(books, 'publishedOn', 'eq', '2026-01-01', ['Amber', 'Dogwood', 'Hazel'])
    await expectCondition(books, 'publishedOn', 'ne', '2026-01-01', ['Birch', 'Cedar', 'Elder', 'Fir', 'Gorse'])
    await expectCondition(books, 'publishedOn', 'lt', '2025-12-31', ['Elder', 'Fir'])
    await expectCondition(books, 'publishedOn', 'lte', '2025-12-31', ['Birch', 'Elder', 'Fir'])
    await expectCondition(books, 'publishedOn', 'in', ['2024-02-29', '1999-12-31'], ['Elder', 'Fir'])
    const years = jsonFilter({ publishedOn: { gte: '2024-01-01', lt: '2026-01-01' } })
    await expectTitles(books, years, ['Birch', 'Elder'])
  })
})

const code = '0190163d-8694-739b-aea5-966c26f8ad91'
const visits = defineResources({
  visit: {
    fields: {
      code: Type.String({ format: 'uuid' }),
      at: Type.String({ format: 'time' }),
      opens: Type.String({ format: 'iso-time' }),
    },
  },
})

describeOnBoth('a condition on a UUID or a time', (database) => {
  const service = useApp(database, visits)
  const visit = { code, at: '10:00:00+02:00', opens: '09:30:00' }

  test('is met by what answers show, and by parts of it', async () => {
    const { id } = await service.add('/api/visit', visit)
    await service.add('/api/visit', { code: code.replace(/1$/, '2'), at: '11:00:00Z', opens: '10:00:00' })
    for (const filter of [
      ...Object.entries(visit).map(([name, value]) => ({ [name]: value })),
      ...Object.entries(visit).map(([name, value]) => ({ [name]: { in: [value] } })),
      ...Object.entries(visit).map(([name, value]) => ({ [name]: { lte: value } })),
      { code: { endsWith: 'd91' }, at: { contains: '+02:' }, opens: { startsWith: '09' } },
    ]) {
      const { rows } = await service.read(`/api/visit?filter=${encodeURIComponent(JSON.stringify(filter))}`)
      expect([filter, rows]).toEqual([filter, [{ id, ...visit }]])
    }
  })

  test('is refused where it asks for what none of them can be', async () => {
    for (const name of Object.keys(visit)) {
      for (const filter of [{ [name]: 'x' }, { [name]: { ne: '' } }, { [name]: { in: ['x'] } }]) {
        const query = `filter=${encodeURIComponent(JSON.stringify(filter))}`
        const { status, body } = await service.get(`/api/visit?${query}`)
        expect([filter, status, body.errors?.[0]?.keyword]).toEqual([filter, 400, 'format'])
      }
      expect((await service.read(`/api/visit?filter[${name}][gt]=x&filter[${name}][contains]=x`)).rows).toEqual([])
    }
  })
})
