import { Type } from '@sinclair/typebox'
import { createTables, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({
  team: { fields: { name: Type.String() }, relations: { users: owns.many('user'), bookings: owns.many('booking') } },
  user: {
    fields: {
      email: Type.String(),
      deletedAt: Type.Optional(Type.String({ format: 'date-time' })),
      nick: Type.Optional(Type.String()),
      status: Type.String({ default: 'new' }),
    },
    relations: { team: ownedBy('team') },
    unique: [
      { fields: ['email'], where: { deletedAt: null } },
      { fields: ['team', 'nick'], where: { status: "it's \\ active", deletedAt: { null: false } } },
    ],
  },
  booking: {
    fields: { day: Type.Integer(), cancelled: Type.Boolean({ default: false }) },
    relations: { team: ownedBy('team'), room: needs.one('room') },
    unique: [{ fields: ['room'], where: { cancelled: false } }],
  },
  room: { fields: { name: Type.String() } },
  folder: {
    fields: { name: Type.String() },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      icon: knows.one('room'),
    },
    unique: [{ fields: ['name'], where: { parent: null } }, ['parent', 'name'], { fields: ['icon'] }],
  },
})

const GONE = '2026-01-31T12:00:00Z'
const ACTIVE = "it's \\ active"

describeOnBoth('a unique key for some rows only', (database) => {
  const service = useApp(database, resources)
  const user = (email: string, more: object = {}) => ({ email, ...more })
  let team: JsonBody
  let path: string

  beforeEach(async () => {
    team = await service.add('/api/team', { name: 't', users: [user('a'), user('b'), user('a', { deletedAt: GONE })] })
    path = `/api/team/${team.id}`
  })

  /** The users of a PUT or PATCH of the team, in which some are changed. */
  const changed = (...changes: object[]) => ({
    users: team.users.map((one: JsonBody, index: number) => ({ ...one, ...changes[index] })),
  })

  test('does not hold for the other rows', async () => {
    expect((await service.post(`${path}/user`, user('a', { deletedAt: GONE }))).status).toBe(201)
  })

  test('refuses a second row, and names the field', async () => {
    const { status, body } = await service.post(`${path}/user`, user('a'))
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'CRUD_ERR_NOT_UNIQUE',
      detail: 'not unique: email',
      errors: [{ pointer: '/email', message: 'another user has this email already', params: { members: ['email'] } }],
    })
  })

  test('refuses a row that comes back, and names what brings it back', async () => {
    const { status, body } = await service.patch(`${path}/user/${team.users[2].id}`, { deletedAt: null })
    expect(status).toBe(409)
    expect(body.errors).toMatchObject([{ pointer: '/deletedAt', message: 'another user has this email already' }])
  })

  test('refuses two rows of one body, and names both', async () => {
    const users = [user('c'), user('c'), user('c', { deletedAt: GONE })]
    const { status, body } = await service.post('/api/team', { name: 't', users })
    expect(status).toBe(409)
    expect(body.errors.map(({ pointer }: JsonBody) => pointer)).toEqual(['/users/0/email', '/users/1/email'])
  })

  test.each(['put', 'patch'] as const)('one row leaves, another one comes: %s', async (verb) => {
    const body = changed({ deletedAt: GONE }, {}, { deletedAt: null })
    expect(await service[verb](path, { ...team, ...body })).toMatchObject({ status: 200, body })
  })

  test.each(['put', 'patch'] as const)(
    'one row leaves, others take its value and that of each other: %s',
    async (verb) => {
      const body = changed({ deletedAt: GONE }, { email: 'a' }, { deletedAt: null, email: 'b' })
      expect(await service[verb](path, { ...team, ...body })).toMatchObject({ status: 200, body })
    },
  )

  test('a row leaves, and a new one takes its value', async () => {
    const users = [{ ...team.users[0], deletedAt: GONE }, ...team.users.slice(1), user('a')]
    const { status, body } = await service.put(path, { ...team, users })
    expect([status, body.users?.length]).toEqual([200, 4])
  })

  test('rows swap values within the condition', async () => {
    const body = changed({ email: 'b' }, { email: 'a' })
    expect(await service.put(path, { ...team, ...body })).toMatchObject({ status: 200, body })
  })

  test('rows that stay outside may have the same values', async () => {
    const body = changed({ deletedAt: GONE, email: 'a' }, { deletedAt: GONE, email: 'a' })
    expect(await service.put(path, { ...team, ...body })).toMatchObject({ status: 200, body })
  })

  test('all parts of a condition must hold, with a constant that needs quoting', async () => {
    const first = { nick: 'n', status: ACTIVE, deletedAt: GONE }
    expect(await service.patch(path, changed(first, { ...first, deletedAt: null }))).toMatchObject({ status: 200 })
    const refused = await service.patch(`${path}/user/${team.users[1].id}`, { deletedAt: GONE })
    expect(refused).toMatchObject({ status: 409, body: { errors: [{ pointer: '/deletedAt' }] } })
  })

  test('required references swap: the rows leave the condition for a moment, and come back', async () => {
    const rooms: number[] = []
    for (const name of ['x', 'y']) rooms.push((await service.add('/api/room', { name })).id)
    const [x, y] = rooms
    const bookings = [
      { day: 1, roomId: x },
      { day: 2, roomId: y },
      { day: 3, roomId: x, cancelled: true },
    ]
    const other = await service.add('/api/team', { name: 'o', bookings })
    const swapped = other.bookings.map((one: JsonBody, index: number) => ({
      ...one,
      ...[{ roomId: y }, { roomId: x }, {}][index],
      room: undefined,
    }))
    const { status, body } = await service.put(`/api/team/${other.id}`, { ...other, bookings: swapped })
    expect(status).toBe(200)
    expect(body.bookings).toMatchObject([
      { roomId: y, cancelled: false },
      { roomId: x, cancelled: false },
      { roomId: x, cancelled: true },
    ])
    const taken = await service.patch(`/api/team/${other.id}/booking/${body.bookings[2].id}`, { cancelled: false })
    expect(taken).toMatchObject({ status: 409, body: { errors: [{ pointer: '/cancelled' }] } })
  })

  test('a condition can be that a record has no owner', async () => {
    const root = await service.add('/api/folder', { name: 'r', folders: [{ name: 'r' }, { name: 's' }] })
    expect((await service.post('/api/folder', { name: 's' })).status).toBe(201)
    expect(await service.post('/api/folder', { name: 'r' })).toMatchObject({
      status: 409,
      body: { errors: [{ pointer: '/name' }] },
    })
    // The record of a tree at the top may have an owner.
    expect((await service.patch(`/api/folder/${root.folders[1].id}`, { name: 'q' })).status).toBe(200)
    expect((await service.patch(`/api/folder/${root.id}`, { name: 's' })).status).toBe(409)
  })

  test('holds in the database, whatever the service plans', async () => {
    const { db } = service
    const setAll = (deletedAt: string | null) =>
      db.updateTable('user').set({ deletedAt }).where('email', '=', 'a').execute()
    await expect(setAll(null)).rejects.toThrow(/unique/i)
    await setAll(GONE)
    await createTables(db, resources)
  })
})
