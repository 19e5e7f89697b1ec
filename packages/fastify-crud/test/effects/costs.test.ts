import { createStore, createTables, keepStatements } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import type { AnyRecords } from '../rules/support/crud-of.ts'
import { lists } from './support/lists.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('on PostgreSQL, in messages', () => {
  let open: OpenDatabase
  let db: TestKysely
  let messages: () => number

  beforeAll(async () => {
    open = await postgres.open()
    const pool = new pg.Pool({ connectionString: open.location, max: 1 })
    messages = countMessages(pool)
    db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    await createTables(open.db, lists)
  })

  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  test('effects cost no more than the record, but where nothing is read without them', async () => {
    const record = await messagesOf({})
    const effects = await messagesOf({ returns: 'effects' })
    expect(effects).toEqual({
      ...record,
      // Blind without effects.
      patch: record.patch + 1,
      // What may know the removed records is locked and read.
      put: record.put + 1,
    })
  })

  /** How many each kind of write takes. */
  async function messagesOf(options: object): Promise<Counts> {
    // The first round has what a connection learns, and on a busy machine any may have a `begin` more.
    const rounds = [await countOnce(options), await countOnce(options), await countOnce(options)]
    const [first] = rounds as [Record<string, number>]
    const least = (kind: string) => Math.min(...rounds.map((counts) => counts[kind] as number))
    return Object.fromEntries(Object.keys(first).map((kind) => [kind, least(kind)])) as unknown as Counts
  }

  async function countOnce(options: object): Promise<Record<string, number>> {
    const store = createStore({ db, resources: lists }) as unknown as { readonly [key: string]: AnyRecords }
    const list = store.list as AnyRecords
    await open.empty()
    const body = { title: 'a', items: [{ text: 'x' }] }
    const { id } = await list.create(body)
    const counted: Record<string, number> = {}
    const count = async (kind: string, work: () => Promise<unknown>) => {
      // `begin` is a message of its own on a connection that has not answered for a while.
      await list.find(id)
      const before = messages()
      await work()
      counted[kind] = messages() - before
    }
    await count('post', () => list.create({ title: 'b' }, options))
    await count('post with a child', () => list.create(body, options))
    await count('patch', () => list.patch(id, { title: 'c' }, options))
    await count('put', () => list.replace(id, { ...body, items: [], cover: { color: 'red' } }, options))
    await count('delete', () => list.delete(id, options))
    return counted
  }
})

type Counts = Readonly<Record<'post' | 'post with a child' | 'patch' | 'put' | 'delete', number>>
