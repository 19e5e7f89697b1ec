import { Type } from '@sinclair/typebox'
import { type AccessQuestion, createTables, defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'

const uuid = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const name = Type.String()

const model = defineResources({
  room: { id: 'uuid', fields: { name }, relations: { visits: owns.many('visit') } },
  visit: { id: ['room', 'at'], fields: { at: moment, name }, relations: { room: ownedBy('room') } },
  key: { id: ['room', 'code'], fields: { code: uuid, name }, relations: { room: needs.one('room') } },
  badge: { id: ['code'], fields: { code: uuid, name }, relations: { uses: owns.many('use') } },
  use: { id: ['badge', 'number'], fields: { number: Type.Integer(), name }, relations: { badge: ownedBy('badge') } },
}) as Model

const CODE = 'abcdef00-0000-4000-8000-00000000000a'
const at = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`

/** On PostgreSQL, columns of the types that formats have. */
async function tables({ name: database, db }: OpenDatabase): Promise<void> {
  if (database === 'postgres') {
    await sql`create table badge (code uuid primary key, name text not null)`.execute(db)
    await sql`create table use ("badgeId" uuid not null references badge, number bigint not null, name text not null, primary key ("badgeId", number))`.execute(
      db,
    )
    await sql`create table room (id uuid primary key, name text not null)`.execute(db)
    await sql`create table key ("roomId" uuid not null references room, code uuid not null, name text not null, primary key ("roomId", code))`.execute(
      db,
    )
    await sql`create table visit ("roomId" uuid not null references room, at timestamptz not null, name text not null, primary key ("roomId", at))`.execute(
      db,
    )
  }
  await createTables(db, model)
}

describeOnBoth('`authorize` gets ids as records have them', (database) => {
  const asked: AccessQuestion[] = []
  const service = useApp(database, model, {
    tables,
    plugin: {
      authorize: (_request, question) => {
        asked.push(question)
        return true
      },
    },
  })
  const isPostgres = database.name === 'postgres'
  let room: string

  beforeEach(async () => {
    room = (await service.add('/api/room', { name: 'r' })).id
    asked.length = 0
  })

  /** The ids that it gets of a request. */
  async function idsOf(method: string, path: string, body?: unknown): Promise<readonly unknown[]> {
    asked.length = 0
    await service.request(method, path, body)
    return [...new Set(asked.flatMap(({ id, origin }) => [id, origin.id]).filter((id) => id !== undefined))]
  }

  test('of UUIDs in upper case, where the column has them in lower case', async () => {
    const key = await service.add('/api/key', { roomId: room, code: CODE, name: 'k' })
    expect(await idsOf('GET', at('/api/key', key.id.toUpperCase()))).toEqual([
      isPostgres ? key.id : `${room},${CODE.toUpperCase()}`,
    ])
    // In a column of texts, upper and lower case are two ids.
    const { status } = await service.get(at('/api/key', key.id.toUpperCase()))
    expect(status).toBe(isPostgres ? 200 : 404)
    for (const [method, body] of [
      ['PATCH', { name: 'x' }],
      ['PUT', { name: 'y' }],
      ['DELETE', undefined],
    ] as const) {
      const spelled = isPostgres ? key.id.toUpperCase() : key.id
      expect(await idsOf(method, at('/api/key', spelled), body)).toEqual([key.id])
    }
  })

  test('of UUIDs in the body of a PUT', async () => {
    const key = await service.add('/api/key', { roomId: room, code: CODE, name: 'k' })
    const id = isPostgres ? key.id.toUpperCase() : key.id
    expect(await idsOf('PUT', '/api/key', { id, name: 'x' })).toEqual([key.id])
  })

  test('of a single UUID, and of the owner that a path names', async () => {
    await service.add('/api/badge', { code: CODE, name: 'b', uses: [{ number: 1, name: 'u' }] })
    const spelled = isPostgres ? CODE.toUpperCase() : CODE
    expect(await idsOf('GET', `/api/badge/${spelled}`)).toEqual([CODE])
    expect(await idsOf('GET', `/api/badge/${spelled}/use/1`)).toEqual([`${CODE},1`])
  })

  test('of moments in another zone', async () => {
    const visit = await service.add(`/api/room/${room}/visit`, { at: '2026-11-27T12:00:00.250+02:00', name: 'v' })
    const others = isPostgres
      ? ['2026-11-27T12:00:00.25+02:00', '2026-11-27T10:00:00.250000Z', '2026-11-27t10:00:00.25z']
      : []
    for (const spelled of [visit.id, ...others]) {
      expect(await idsOf('GET', at(`/api/room/${room}/visit`, spelled))).toEqual([`${room},${visit.at}`])
    }
  })

  test('as they are spelled, where there is no such record', async () => {
    const spelled = `${room},${CODE.toUpperCase()}`
    expect(await idsOf('GET', at('/api/key', spelled))).toEqual([spelled])
    expect(await idsOf('GET', at('/api/key', 'x,y'))).toEqual([])
  })
})
