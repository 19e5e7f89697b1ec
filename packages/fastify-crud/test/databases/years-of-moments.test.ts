import { Type } from '@sinclair/typebox'
import { createTables, defineResources, field, type Model, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const moment = Type.String({ format: 'date-time' })

/** `stored`: how a column of the database spells moments that is no text. */
function modelWith(stored: string): Model {
  return defineResources({
    event: {
      fields: {
        at: Type.Optional(field(moment, { stored } as object) as never),
        noted: Type.Optional(field(moment, { stored: 'text' }) as never),
      },
      relations: { parts: owns.many('part') },
    },
    part: {
      fields: { at: Type.Optional(field(moment, { stored } as object) as never) },
      relations: { event: ownedBy('event') },
    },
    stay: { fields: { at: Type.Optional(moment) } },
  } as never) as Model
}

async function tables({ name, db }: OpenDatabase, model: Model): Promise<void> {
  if (name === 'postgres') await sql`create table stay (id bigserial primary key, at timestamptz)`.execute(db)
  await createTables(db, model)
}

/** No `date-time` names them in UTC. */
const OTHERS = [
  '0000-06-01T00:00:00Z',
  '0001-01-01T00:30:00+01:00',
  '9999-12-31T23:30:00-01:00',
  '0000-01-01T00:00:00+02:00',
]
const FIRST_AND_LAST = [
  '0001-01-01T00:00:00Z',
  '0000-12-31T23:30:00-01:00',
  '9999-12-31T23:59:59Z',
  '9999-12-31T23:59:59+01:00',
]

const message = 'must be a moment of the years 1 to 9999 in UTC'

describeOnBoth('a moment in a column of moments', (database) => {
  const isPostgres = database.name === 'postgres'
  const model = modelWith(isPostgres ? 'utc' : 'seconds')
  const service = useApp(database, model, { tables: (open) => tables(open, model) })

  test.each(OTHERS)('is 400 at its pointer where no answer can show it: %s', async (at) => {
    const errors = (pointer: string) => [{ pointer, message, keyword: 'storable', params: { not: 'year' } }]
    const event = await service.add('/api/event', { parts: [{}] })
    const before = await service.snapshot()
    for (const [method, path, body, pointer] of [
      ['POST', '/api/event', { at }, '/at'],
      ['POST', '/api/event', { parts: [{}, { at }] }, '/parts/1/at'],
      ['PUT', `/api/event/${event.id}`, { at, parts: event.parts }, '/at'],
      ['PATCH', `/api/event/${event.id}`, { at }, '/at'],
      ['PATCH', `/api/event/${event.id}`, { parts: [{ id: event.parts[0].id, at }] }, '/parts/0/at'],
    ] as const) {
      const answer = await service.request(method, path, body)
      expect(answer).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_INVALID', errors: errors(pointer) } })
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test.each(FIRST_AND_LAST)('is answered as it is stored up to the first and the last: %s', async (at) => {
    const event = await service.add('/api/event', { at })
    expect(new Date(event.at)).toEqual(new Date(at))
    expect(await service.put(`/api/event/${event.id}`, event)).toMatchObject({ status: 200, body: event })
  })

  test.each([...OTHERS, ...FIRST_AND_LAST])('stays as it is in a column of texts: %s', async (noted) => {
    const event = await service.add('/api/event', { noted })
    expect(event.noted).toBe(noted)
    expect(await service.put(`/api/event/${event.id}`, event)).toMatchObject({ status: 200, body: event })
  })

  test.each(OTHERS)('finds nothing in a filter, and is no error of the server: %s', async (at) => {
    await service.add('/api/event', { at: '0001-01-01T00:00:00Z' })
    for (const path of ['/api/event', '/api/stay']) {
      const { status, body } = await service.get(`${path}?filter[at]=${encodeURIComponent(at)}`)
      if (status === 200) expect(body.rows).toEqual([])
      else expect([status, body.code]).toEqual([400, 'CRUD_ERR_INVALID'])
    }
  })

  if (isPostgres)
    test.each(OTHERS)('is 400 in a timestamptz that no descriptor speaks of: %s', async (at) => {
      const answer = await service.post('/api/stay', { at })
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/at', message }] } })
    })
})
