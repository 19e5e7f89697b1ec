import { set } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { useServers } from '../../../../test/support/servers.ts'
import { asCaller, caller, headersOf, missingId } from '../policies/support/as-caller.ts'
import { type DeskRows, desk, deskRules, fillDesk } from './support/desk.ts'
import { type TestRules, withRules } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

const failed = { code: 'CRUD_ERR_INTERNAL', pointers: [] } as const

describeOnBoth('a foreign key that a rule gives and that does not fit is a mistake of the application:', (database) => {
  const service = useApp(database, desk, withRules(deskRules, { caller }))
  let rows: DeskRows
  beforeEach(async () => {
    rows = await fillDesk(service.db)
  })

  test('500 without a word about it, and nothing is stored, at every depth', async () => {
    const { ada, north } = rows
    await asCaller(service, { user: ada.id, org: missingId }).refuse('POST', '/api/ticket', { title: 't' }, failed)
    const { body } = await asCaller(service, { org: north.id }).post('/api/ticket', { title: 't' })
    const stale = asCaller(service, { user: missingId, org: north.id })
    await stale.refuse('PATCH', `/api/ticket/${body.id}`, { title: 'u' }, failed)
    await stale.refuse('POST', `/api/ticket/${body.id}/comment`, { text: 'c' }, failed)
    const comments = [{ text: 'c' }]
    await stale.refuse('PATCH', `/api/ticket/${body.id}`, { comments }, failed)
  })

  test('not where a row is not changed', async () => {
    const { body } = await asCaller(service, { user: rows.ada.id, org: rows.north.id }).post('/api/ticket', {
      title: 't',
    })
    const stale = asCaller(service, { user: missingId, org: missingId })
    expect((await stale.put(`/api/ticket/${body.id}`, body)).status).toBe(200)
  })

  test('the store throws a TypeError that names the rule, the foreign key and what is wrong', async () => {
    const body = { title: 't' }
    const wrong: readonly (readonly [value: unknown, message: RegExp])[] = [
      [missingId, /rules\.ticket: .*'orgId' does not fit: there is no org 999999/],
      ['7', /rules\.ticket: .*'orgId' does not fit: must be an id: an integer/],
      [0, /rules\.ticket: .*'orgId' does not fit: there is no org 0/],
      [null, /rules\.ticket: .*'orgId' does not fit: must not be null/],
      [undefined, /rules\.ticket: a rule gives no value to 'orgId' of a new row/],
    ]
    const before = await service.snapshot()
    for (const [value, message] of wrong) {
      const { ticket } = storesOf({ ticket: set({ orgId: () => value }) })
      await expect(ticket.create(body)).rejects.toThrow(TypeError)
      await expect(ticket.create(body)).rejects.toThrow(message)
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('also if another writer deletes the record while the row waits for it', async () => {
    const { ada, north } = rows
    const client = asCaller(service, { user: ada.id, org: north.id })
    const other = await otherWriter(service.database)
    await other.run(`delete from org where id = ${north.id}`)
    const answer = service.request('POST', '/api/ticket', { title: 't' }, headersOf({ user: ada.id, org: north.id }))
    await other.untilAwaited()
    await other.end('commit')
    expect(resultOf(await answer)).toBe('500 CRUD_ERR_INTERNAL')
    expect(await client.read('/api/ticket')).toMatchObject({ rows: [] })
  })

  function storesOf(rules: TestRules) {
    return { ticket: storeWith(service.db, desk, rules).resource('ticket') }
  }
})

const lists = defineResources({
  list: { fields: { name: Type.String() }, relations: { items: owns.many('item'), best: knows.one('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})

describeOnBoth('a foreign key that a rule gives, of a record that the same write removes,', (database) => {
  let best: number | undefined
  const service = useApp(database, lists, withRules({ list: set({ bestId: () => best }, { on: 'change' }) }))

  test('does not fit, and does where the record stays', async () => {
    best = undefined
    const list = await service.add('/api/list', { name: 'l', items: [{ text: 'a' }, { text: 'b' }] })
    const [first, second] = list.items
    best = second.id
    const path = `/api/list/${list.id}`
    await service.refuse('PUT', path, { name: 'm', items: [first] }, failed)
    expect(await service.put(path, { name: 'm', items: [second] })).toMatchObject({
      status: 200,
      body: { best: second },
    })
  })
})

const seats = defineResources({
  room: { fields: { name: Type.String() } },
  seat: { fields: { name: Type.String() }, relations: { room: needs.one('room', { unique: true }) } },
})

describeOnBoth('a foreign key that a rule gives and that is unique', (database) => {
  const service = useApp(database, seats, withRules({ seat: set({ roomId: ({ row }) => Number(row.name) }) }))

  test('is 409 where another record has it', async () => {
    const { id } = await service.add('/api/room', { name: 'r' })
    await service.add('/api/seat', { name: `${id}` })
    await service.refuse('POST', '/api/seat', { name: `${id}` }, { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/roomId'] })
  })
})

describeServersOnDatabases('a record that is deleted while a rule names it', (database) => {
  const servers = useServers(database, desk, withRules(deskRules, { caller }))

  test('stays if the new row came first, and else the new row is not stored', async () => {
    for (let round = 0; round < 5; round++) {
      const { ada, north } = await fillDesk(servers.one.db)
      const headers = headersOf({ user: ada.id, org: north.id })
      const answers = await Promise.all([
        servers.one.request('POST', '/api/ticket', { title: 't' }, headers),
        servers.other.delete(`/api/org/${north.id}`),
      ])
      expect([
        ['201', '409 CRUD_ERR_STILL_NEEDED'],
        ['500 CRUD_ERR_INTERNAL', '204'],
      ]).toContainEqual(answers.map(resultOf))
      const { rows } = await servers.one.read(`/api/ticket?filter[orgId]=${north.id}`)
      expect(rows).toHaveLength(resultOf(answers[0]) === '201' ? 1 : 0)
    }
  })
})
