import { createStore, defineResources, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../test/support/databases.ts'

const name = Type.String()

/** The key of a day is a date, that of a moment is a moment, that of a country is a code. */
const model = defineResources({
  day: {
    id: ['date'],
    fields: { date: Type.String({ format: 'date' }), name },
    relations: { hours: owns.many('hour') },
  },
  hour: { id: ['day', 'number'], fields: { number: Type.Integer(), name }, relations: { day: ownedBy('day') } },
  moment: { id: ['at'], fields: { at: Type.String({ format: 'date-time' }), name } },
  country: { id: ['code'], fields: { code: Type.String({ maxLength: 2 }), name } },
  visit: {
    id: 'integer',
    fields: { name },
    relations: {
      day: needs.one('day'),
      moment: needs.one('moment', { optional: true }),
      country: needs.one('country'),
    },
  },
}) as Model

describe.each(databases)('foreign keys to ids that one member makes up ($name)', (database) => {
  test('have columns of the type that the member has', async () => {
    const open = await database.open()
    onTestFinished(() => open.close())
    await createTables(open.db, model)
    expect(await checkTables(open.db, model)).toEqual([])
    const store = createStore({ db: open.db, resources: model })
    const day = await store
      .resource('day')
      .create({ date: '2026-11-28', name: 'd', hours: [{ number: 1, name: 'h' }] } as never)
    const moment = await store.resource('moment').create({ at: '2026-11-28T10:00:00Z', name: 'm' } as never)
    await store.resource('country').create({ code: 'at', name: 'c' } as never)
    const body = { name: 'v', dayId: '2026-11-28', momentId: '2026-11-28T10:00:00Z', countryId: 'at' }
    const visit = await store.resource('visit').create(body as never)
    expect(visit).toMatchObject({ ...body, day: { date: '2026-11-28' }, moment: { name: 'm' }, country: { name: 'c' } })
    expect(day).toMatchObject({ id: '2026-11-28', hours: [{ id: 1 }] })
    expect(moment).toMatchObject({ id: '2026-11-28T10:00:00Z' })
  })
})
