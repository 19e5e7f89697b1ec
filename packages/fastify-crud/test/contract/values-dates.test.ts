import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { afterEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { shownMoment } from '../../../../test/support/shown-moment.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'

const event = defineResources({
  event: {
    fields: {
      day: Type.Optional(Type.String({ format: 'date' })),
      at: Type.Optional(Type.String({ format: 'date-time' })),
      noted: Type.Optional(Type.String({ format: 'date-time', stored: 'text' })),
    },
  },
})

describeOnDrivers('a `date`', (database) => {
  const service = useApp(database, event)
  const zone = process.env.TZ

  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Sao_Paulo', 'UTC']) {
    test(`is the same day in every time zone: ${timeZone}`, async () => {
      process.env.TZ = timeZone
      for (const day of ['2026-11-20', '2024-02-29', '1900-01-01', '0001-01-01', '9999-12-31', '2018-11-04']) {
        const record = await service.add('/api/event', { day })
        expect(record.day).toBe(day)
        expect((await service.read(`/api/event/${record.id}`)).day).toBe(day)
        const statements = await service.statements(() => service.put(`/api/event/${record.id}`, record))
        expect(updatesIn(statements)).toEqual([])
      }
    })
  }

  test('what is no date is 400', async () => {
    for (const day of [
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-1-1',
      '20261120',
      '2026-11-20T00:00:00Z',
      'today',
      '',
      5,
    ]) {
      await service.refuse('POST', '/api/event', { day }, { code: 'CRUD_ERR_INVALID', pointers: ['/day'] })
    }
  })
})

describeOnDrivers('a `date-time`', (database) => {
  const service = useApp(database, event)
  const given = [
    '2026-11-20T10:11:12Z',
    '2026-11-20T10:11:12.5Z',
    '2026-11-20T10:11:12.123456Z',
    '2026-11-20T10:11:12+02:00',
    '2026-11-20T23:59:59.999-11:00',
    '1969-12-31T23:59:59Z',
  ]

  for (const at of given) {
    test(`keeps the moment that it was given, and a text also its spelling: ${at}`, async () => {
      const record = await service.add('/api/event', { at, noted: at })
      expect(record).toMatchObject({ at: shownMoment(database.name, at), noted: at })
      expect(await service.read(`/api/event/${record.id}`)).toEqual(record)
      const statements = await service.statements(() => service.put(`/api/event/${record.id}`, record))
      expect(updatesIn(statements)).toEqual([])
    })
  }

  test('that is sent in another spelling is no change, unless it is kept as a text', async () => {
    const at = '2026-11-20T10:11:12.5Z'
    const record = await service.add('/api/event', { at, noted: at })
    const path = `/api/event/${record.id}`
    for (const same of ['2026-11-20T10:11:12.500Z', '2026-11-20T12:11:12.5+02:00']) {
      const inColumn = shownMoment(database.name, same) === record.at
      const statements = await service.statements(async () => {
        expect((await service.put(path, { ...record, at: same })).body.at).toBe(inColumn ? record.at : same)
      })
      expect(updatesIn(statements)).toHaveLength(inColumn ? 0 : 1)
      expect((await service.patch(path, { noted: same })).body.noted).toBe(same)
      await service.put(path, record)
    }
  })

  test('what is no date-time is 400', async () => {
    const leapSeconds = ['2016-12-31T23:59:60Z', '2016-12-31t23:59:60.5z', '2017-01-01T00:59:60+01:00']
    const others = ['2026-11-20', '2026-11-20T25:00:00Z', '2026-02-30T10:00:00Z', '10:11:12Z', 'now', '', 0]
    for (const at of [...others, ...leapSeconds]) {
      await service.refuse('POST', '/api/event', { at }, { code: 'CRUD_ERR_INVALID', pointers: ['/at'] })
    }
  })
})
