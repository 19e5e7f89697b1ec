import { defineResources, keepStatements } from '@fastify-crud/core'
import type { Asked } from '@fastify-crud/core/internal'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, setups } from '../../../../test/support/databases.ts'
import { topPath } from '../../src/model/collection-path.ts'
import { type SessionSettings, settingStatement } from '../../src/session/session-settings.ts'
import { createJsonStore } from '../../src/store/json-store.ts'

const resources = defineResources({ note: { fields: { text: Type.String() } } })
const asked: Asked = { requestContext: { caller: 'ada' } }
const settingsOf = (requestContext: unknown): SessionSettings =>
  requestContext === undefined ? {} : { 'app.user': (requestContext as { caller: string }).caller }
const at = { path: topPath(resources, 'note'), owners: [] }

test('settings become one statement with their names and values as parameters', () => {
  const set = settingStatement({ 'app.user': "o'neil", 'app.org': '' })
  expect(set?.statement.sql).toBe('select set_config($1, $2, true), set_config($3, $4, true)')
  expect(set?.statement.parameters(set.values)).toEqual(['app.user', "o'neil", 'app.org', ''])
})

test('no settings are no statement', () => {
  expect(settingStatement({})).toBeUndefined()
})

test.each<[unknown, string]>([
  [undefined, 'session: must return an object'],
  [null, 'session: must return an object'],
  ['app.user', 'session: must return an object'],
  [Promise.resolve({}), 'session: must return an object'],
  [{ role: 'admin' }, "session: 'role' must be a name with a dot, such as 'app.user'"],
  [{ 'app.': 'a' }, "session: 'app.' must be a name with a dot"],
  [{ 'app.user id': 'a' }, "session: 'app.user id' must be a name with a dot"],
  [{ "app.user'": 'a' }, `session: 'app.user'' must be a name with a dot`],
  [{ 'Fastify_CRUD.note': '1' }, "session: 'Fastify_CRUD.note' starts with the name of this library"],
  [{ 'app.user': 7 }, "session: 'app.user' must be a string, and is number"],
  [{ 'app.user': undefined }, "session: 'app.user' must be a string, and is undefined"],
  [{ 'app.user': null }, "session: 'app.user' must be a string, and is null"],
  [{ 'app.user': 'a\0b' }, "session: 'app.user' has a character that PostgreSQL does not accept"],
  [{ 'app.user': '\ud800' }, "session: 'app.user' has a character that PostgreSQL does not accept"],
])('%o is refused with the name of the setting', (settings, message) => {
  expect(() => settingStatement(settings as SessionSettings)).toThrow(TypeError)
  expect(() => settingStatement(settings as SessionSettings)).toThrow(message)
})

test('a store on SQLite takes no settings', async () => {
  const sqlite = await (databases[0] as (typeof databases)[number]).open()
  expect(() => createJsonStore({ db: sqlite.db, resources }, { settingsOf: () => ({}) })).toThrow(
    new TypeError('session: SQLite has no settings that a request could set; leave out the option'),
  )
  await sqlite.close()
})

describe.each(setups.filter(({ name }) => name === 'postgres'))('with settings, a store ($title)', (setup) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await setup.open()
    await createTables(open.db, resources)
  })
  afterAll(() => open.close())

  const isSetting = (statement: string) => statement === 'select set_config($1, $2, true)'

  test('sets them for each request', async () => {
    const store = createJsonStore({ db: open.db, resources }, { settingsOf })
    const statements = await open.statements.record(async () => {
      const { id } = await store.create(at, { text: 'a' }, undefined, asked)
      await store.find(at, id, undefined, asked)
      await store.list(at, { limit: 1, offset: 0 }, asked)
    })
    expect(statements.filter(isSetting)).toHaveLength(3)
  })

  test('sets none in a transaction of the application’s own, nor for calls without a request', async () => {
    const statements = await open.statements.record(async () => {
      await open.db.transaction().execute(async (db) => {
        const store = createJsonStore({ db, resources }, { settingsOf })
        const { id } = await store.create(at, { text: 'a' }, undefined, asked)
        await store.patch(at, id, { text: 'b' }, asked)
        await store.find(at, id, undefined, asked)
      })
      const { id } = await createJsonStore({ db: open.db, resources }, { settingsOf }).create(at, { text: 'c' })
      expect(id).toBeGreaterThan(0)
    })
    expect(statements.filter(isSetting)).toEqual([])
  })
})

const batched = setups.filter(({ isBatched }) => isBatched)

test.each(batched)('settings go in the message of a read, and in the first one of a write ($title)', async (setup) => {
  const open = await setup.open()
  await createTables(open.db, resources)
  const pool = new pg.Pool({ connectionString: open.location, max: 1 })
  const messages = countMessages(pool)
  const db = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
  const store = createJsonStore({ db, resources }, { settingsOf })
  const { id } = await store.create(at, { text: 'a' }, undefined, asked)
  const messagesOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = messages()
    await work()
    return messages() - before
  }
  expect(await messagesOf(async () => store.find(at, id, undefined, asked))).toBe(1)
  expect(await messagesOf(async () => store.list(at, { limit: 1, offset: 0 }, asked))).toBe(1)
  // `begin` is a message of its own on a connection that has not answered for a while.
  expect(await messagesOf(() => store.create(at, { text: 'b' }, undefined, asked))).toBeLessThanOrEqual(2)
  expect(await messagesOf(() => store.patch(at, id, { text: 'c' }, asked))).toBeLessThanOrEqual(3)
  await db.destroy()
  await open.close()
})
