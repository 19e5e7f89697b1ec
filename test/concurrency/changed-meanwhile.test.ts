import { setTimeout as wait } from 'node:timers/promises'
import { createStore, keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { expectProblem } from '../support/problem.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('a record that changes after a write has read it, and before the write has its lock', () => {
  let app: TestApp

  beforeAll(async () => {
    app = await buildApp(postgres, owned)
  })
  beforeEach(() => app.database.empty())
  afterAll(() => app.close())

  /** Sends a request that has to wait for the owner's lock, and changes the record meanwhile. */
  async function meanwhile(id: number, change: string, request: () => Promise<unknown>): Promise<void> {
    const writer = await otherWriter(app.database)
    await writer.run(`select 1 from owner where id = ${id} for update`)
    const answer = request()
    await writer.untilAwaited()
    await writer.run(change)
    await writer.end('commit')
    await answer
  }

  test.each([
    ['looks first', (id: number) => ({ id, name: 'new', note: 'n' })],
    ['does not', () => ({ name: 'new', note: 'n' })],
  ])('PATCH sets what it would have left as it was: one that %s', async (_, body) => {
    const { id } = await app.add('/api/owner', { name: 'o', note: 'n', items: [{ name: 'i' }] })
    await meanwhile(id, `update owner set note = 'other' where id = ${id}`, async () => {
      const answer = await app.patch(`/api/owner/${id}`, body(id))
      expect(answer).toMatchObject({ status: 200, body: { name: 'new', note: 'n', items: [{ name: 'i' }] } })
    })
    expect(await app.read(`/api/owner/${id}`)).toMatchObject({ name: 'new', note: 'n' })
  })

  test('PATCH that changes nothing answers with what it has compared, not with what came later', async () => {
    const { id } = await app.add('/api/owner', { name: 'o', note: 'n', items: [{ name: 'i' }] })
    const writer = await otherWriter(app.database)
    // Its statements wait for this table, one after the other.
    await writer.run('lock table item in access exclusive mode')
    const answer = app.patch(`/api/owner/${id}`, { note: 'n' })
    await writer.untilAwaited()
    await writer.run(`update owner set note = 'other' where id = ${id}`)
    await writer.end('commit')
    expect(await answer).toMatchObject({ status: 200, body: { name: 'o', note: 'n' } })
  })

  test('PATCH of a child waits for those who write its owner', async () => {
    const { id, items } = await app.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    await meanwhile(id, `update item set name = 'other' where id = ${items[0].id}`, async () => {
      const answer = await app.patch(`/api/owner/${id}/item/${items[0].id}`, { name: 'new' })
      expect(answer).toMatchObject({ status: 200, body: { name: 'new' } })
    })
    expect((await app.read(`/api/owner/${id}`)).items).toMatchObject([{ name: 'new' }])
  })

  test('PUT removes a child that came meanwhile', async () => {
    const { id, items } = await app.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    await meanwhile(id, `insert into item (name, "ownerId") values ('other', ${id})`, async () => {
      const answer = await app.put(`/api/owner/${id}`, { name: 'new', items })
      expect(answer).toMatchObject({ status: 200, body: { name: 'new', items } })
    })
    expect((await app.read(`/api/owner/${id}`)).items).toEqual(items)
  })

  test('a child that is gone meanwhile is refused, and nothing is changed', async () => {
    const { id, items } = await app.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    await meanwhile(id, `delete from item where id = ${items[0].id}`, async () => {
      const answer = await app.patch(`/api/owner/${id}`, { name: 'new', items: [{ id: items[0].id, name: 'j' }] })
      expectProblem(answer, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    })
    expect(await app.read(`/api/owner/${id}`)).toMatchObject({ name: 'o', items: [] })
  })

  test('a record that is gone meanwhile is 404', async () => {
    const { id } = await app.add('/api/owner', { name: 'o' })
    await meanwhile(id, `delete from owner where id = ${id}`, async () => {
      expectProblem(await app.patch(`/api/owner/${id}`, { name: 'new' }), { code: 'CRUD_ERR_NOT_FOUND' })
    })
  })

  test('what the database writes in its log of it says what it is', async () => {
    const statement = (
      await app.statements(() =>
        app.add('/api/owner', { name: 'o' }).then(({ id }) => app.put(`/api/owner/${id}`, { name: 'p' })),
      )
    ).find((sql) => sql.includes('is distinct from'))
    expect(statement).toContain('fastify-crud: the record changed after it was read, so the write begins anew')
  })

  test('an application whose log takes its time is not ended by it', async () => {
    const { id, items } = await app.add('/api/owner', { name: 'o', items: [{ name: 'i', rank: 1 }] })
    const pool = new pg.Pool({ connectionString: app.database.location, max: 1 })
    const db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }), log: () => wait(5) })
    const owners = createStore({ db, resources: owned }).resource('owner')
    // What takes the rank comes in a statement behind that which gives it free.
    await meanwhile(id, `update owner set note = 'other' where id = ${id}`, async () => {
      const replaced = await owners.replace(id, { name: 'new', items: [{ name: 'j', rank: 1 }] })
      expect(replaced).toMatchObject({ name: 'new', note: null, items: [{ name: 'j', rank: 1 }] })
    })
    expect((await app.read(`/api/owner/${id}`)).items).not.toEqual(items)
    await db.destroy()
  })

  test('many writers at one record: each of them writes, and sees what it has written', async () => {
    const { id } = await app.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => app.patch(`/api/owner/${id}`, { note: `${n}`, items: [{ name: `${n}` }] })),
    )
    for (const [n, { status, body }] of answers.entries()) {
      expect(status).toBe(200)
      expect(body.note).toBe(`${n}`)
      expect(body.items.at(-1).name).toBe(`${n}`)
    }
    expect((await app.read(`/api/owner/${id}`)).items).toHaveLength(31)
  })
})
