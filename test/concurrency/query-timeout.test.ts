import { setTimeout as wait } from 'node:timers/promises'
import { createStore } from 'fastify-crud'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { expectProblem } from '../support/problem.ts'
import { sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe("a write that takes longer than the driver's `query_timeout`, where each statement is waited for", () => {
  let admin: TestApp
  let service: TestApp

  beforeAll(async () => {
    admin = await buildApp(postgres, owned)
    const connections = { patience: 1_000, max: 1 }
    service = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {} })
  })
  beforeEach(() => admin.database.empty())
  afterAll(async () => {
    await service.close()
    await admin.close()
  })

  const waiting = 'insert into item (name, rank, "ownerId") values (\'other\', 1, $id)'
  const locking = 'select 1 from owner where id = $id for update'

  test.each([
    { write: 'PUT', by: waiting, body: { name: 'new', items: [{ name: 'a' }, { name: 'b', rank: 1 }] } },
    { write: 'PATCH', by: waiting, body: { name: 'new', items: [{ name: 'b', rank: 1 }] } },
    { write: 'POST', by: waiting, at: '/item', body: { name: 'b', rank: 1 } },
    { write: 'PATCH', by: locking, body: { name: 'new' } },
  ])('$write is 503, and nothing of it is there, then or later', async ({ write, by, at = '', body }) => {
    const { id } = await admin.add('/api/owner', { name: 'old', items: [{ name: 'i' }] })
    const bystander = await admin.add('/api/owner', { name: 'bystander' })
    const before = await admin.snapshot(['owner', 'item'])
    const writer = await otherWriter(admin.database)
    await writer.run(by.replace('$id', `${id}`))
    expectProblem(await service.request(write, `/api/owner/${id}${at}`, body), { code: 'CRUD_ERR_BUSY' })
    // By then the driver would have given up a `rollback`, too.
    await wait(1_100)
    await writer.end('rollback')
    expect((await service.read(`/api/owner/${id}`)).name).toBe('old')
    expect((await service.patch(`/api/owner/${bystander.id}`, { name: 'bystander' })).status).toBe(200)
    expect((await service.patch(`/api/owner/${bystander.id}`, { note: 'x' })).status).toBe(200)
    await service.patch(`/api/owner/${bystander.id}`, { note: null })
    expect(await admin.snapshot(['owner', 'item'])).toEqual(before)
    expect((await admin.patch(`/api/owner/${id}`, { name: 'newer' })).status).toBe(200)
  })

  test("in the caller's transaction: with `keepStatements` its connection is closed, and nothing of it is there", async () => {
    const connections = { patience: 1_000, max: 1, kept: true }
    const kept = await buildApp(sameDatabase(admin.database, connections), owned, { tables: async () => {} })
    const { id } = await admin.add('/api/owner', { name: 'old', items: [{ name: 'i' }] })
    const writer = await otherWriter(admin.database)
    await writer.run(waiting.replace('$id', `${id}`))
    const items = [{ name: 'a' }, { name: 'b', rank: 1 }]
    const transaction = kept.db.transaction().execute(async (trx) => {
      const owners = createStore({ db: trx, resources: owned }).resource('owner')
      await expect(owners.replace(id, { name: 'new', items })).rejects.toMatchObject({ code: 'CRUD_ERR_BUSY' })
      await owners.create({ name: 'mine' })
    })
    await expect(transaction).rejects.toThrow('Client was closed and is not queryable')
    await writer.end('rollback')
    expect((await kept.read('/api/owner')).rows).toMatchObject([{ name: 'old', items: [{ name: 'i' }] }])
    await kept.close()
  })

  test("in the caller's transaction: it is undone, and the caller goes on and commits", async () => {
    const { id } = await admin.add('/api/owner', { name: 'old', items: [{ name: 'i' }] })
    const writer = await otherWriter(admin.database)
    await writer.run(waiting.replace('$id', `${id}`))
    await service.db.transaction().execute(async (trx) => {
      const owners = createStore({ db: trx, resources: owned }).resource('owner')
      const items = [{ name: 'a' }, { name: 'b', rank: 1 }]
      await expect(owners.replace(id, { name: 'new', items })).rejects.toMatchObject({ code: 'CRUD_ERR_BUSY' })
      await wait(1_100)
      await writer.end('rollback')
      await owners.create({ name: 'mine' })
    })
    expect((await admin.read('/api/owner')).rows).toMatchObject([
      { name: 'old', items: [{ name: 'i' }] },
      { name: 'mine' },
    ])
  })
})
