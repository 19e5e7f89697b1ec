import { createStore, defineResources, keepStatements, knows, type Model, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** Lists own items, which own steps; notes know items, and go on without them. */
function listsWith(history: boolean, id: 'integer' | 'uuid'): Model {
  const text = { id, fields: { text: Type.String(), rank: Type.Integer() } } as const
  return defineResources({
    list: { ...text, relations: { items: owns.many('item'), tags: knows.many('tag') }, ...(history && { history }) },
    item: { ...text, relations: { list: ownedBy('list'), steps: owns.many('step') } },
    step: { ...text, relations: { item: ownedBy('item') } },
    tag: text,
    note: { ...text, relations: { about: knows.one('item') } },
  }) as Model
}

describe.each(['integer', 'uuid'] as const)('On PostgreSQL, with ids of the kind %s, a history costs', (id) => {
  let open: OpenDatabase
  let db: TestKysely
  let messages: () => number

  beforeAll(async () => {
    open = await postgres.open()
    const pool = new pg.Pool({ connectionString: open.location, max: 1 })
    messages = countMessages(pool)
    db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    await createTables(open.db, listsWith(true, id))
  })

  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  test('a message where nothing is read without it, or what knows removed records is locked, and else none', async () => {
    const without = await messagesOf(false)
    expect(await messagesOf(true)).toEqual({
      ...without,
      // One message without a history: here it reads, or draws ids, before it writes.
      post: without.post + (id === 'integer' ? 1 : 0),
      'post with children': without['post with children'] + (id === 'integer' ? 1 : 0),
      patch: without.patch + 1,
      'put that removes': without['put that removes'] + 1,
      delete: without.delete + 1,
    })
  })

  async function messagesOf(history: boolean): Promise<Counts> {
    // The first round has what a connection learns, and on a busy machine any may have a `begin` more.
    const rounds = [await countOnce(history), await countOnce(history), await countOnce(history)]
    const [first] = rounds as [Record<string, number>]
    const least = (kind: string) => Math.min(...rounds.map((counts) => counts[kind] as number))
    return Object.fromEntries(Object.keys(first).map((kind) => [kind, least(kind)])) as unknown as Counts
  }

  async function countOnce(history: boolean): Promise<Record<string, number>> {
    const store = createStore({ db, resources: listsWith(history, id) }) as unknown as { readonly list: Lists }
    const { list } = store
    const body = { text: 'a', rank: 1, items: [{ text: 'x', rank: 1, steps: [{ text: 'y', rank: 1 }] }] }
    const { id: one } = await list.create(body)
    const counted: Record<string, number> = {}
    const count = async (kind: string, work: () => Promise<unknown>) => {
      // `begin` is a message of its own on a connection that has not answered for a while.
      const record = await list.find(one)
      const before = messages()
      await work()
      counted[kind] = messages() - before
      return record
    }
    const item = { text: 'z', rank: 2 }
    await count('post', () => list.create({ text: 'b', rank: 1 }))
    await count('post with children', () => list.create({ ...body, items: [item, item] }))
    await count('patch', () => list.patch(one, { rank: 2 }))
    const before = await list.find(one)
    await count('put that edits', () => list.replace(one, { ...before, items: [{ ...before.items[0], rank: 2 }] }))
    const edited = await list.find(one)
    await count('put that adds', () => list.replace(one, { ...edited, items: [...edited.items, item, item] }))
    const added = await list.find(one)
    await count('put that removes', () => list.replace(one, { ...added, items: [added.items[0], item] }))
    await count('post below', () => list.owned(one, 'items').create(item))
    await count('delete', () => list.delete(one))
    return counted
  }
})

describe('On PostgreSQL, a history', () => {
  test('has the ids that no sequence counts', async () => {
    const open = await postgres.open()
    try {
      const resources = listsWith(true, 'integer')
      await createTables(open.db, resources)
      const db = open.db
      await sql`create function next_id() returns bigint language sql volatile as 'select coalesce(max(id), 0) + 7 from list'`.execute(
        db,
      )
      await sql`alter table list alter id drop identity`.execute(db)
      await sql`alter table list alter id set default next_id()`.execute(db)
      const { list } = createStore({ db, resources }) as unknown as { readonly list: Lists }
      const item = { text: 'x', rank: 1 }
      expect(await list.create({ text: 'a', rank: 1, items: [item, item] })).toMatchObject({ id: 7 })
      const { rows } = await sql`select record from crud_history_records where resource = 'list'`.execute(db)
      expect(rows).toEqual([{ record: '7' }])
    } finally {
      await open.close()
    }
  })

  test('is written behind what the write changes, and has its position from then', async () => {
    const open = await postgres.open()
    try {
      const resources = listsWith(true, 'integer')
      await createTables(open.db, resources)
      const { list } = createStore({ db: open.db, resources }) as unknown as { readonly list: Lists }
      const { id, items } = await list.create({ text: 'a', rank: 1, items: [{ text: 'x', rank: 1 }] })
      const changed = await open.statements.record(async () => {
        await list.patch(id, { rank: 2 })
        await list.replace(id, { text: 'b', rank: 2, items: [...items, { text: 'y', rank: 1 }] })
        await list.delete(id)
      })
      const writes = writesIn(changed).map((one) => /crud_history\w*|"(?:list|item)"/.exec(one)?.[0])
      expect(writes).toEqual([
        ...['"list"', 'crud_history', 'crud_history_records'],
        ...['"list"', 'crud_history', 'crud_history_records'],
        ...['"item"', 'crud_history', 'crud_history_records'],
      ])
    } finally {
      await open.close()
    }
  })
})

type Counts = Readonly<
  Record<
    'post' | 'post with children' | 'patch' | 'put that edits' | 'put that adds' | 'put that removes' | 'delete',
    number
  >
>

interface Shown {
  readonly id: number
  readonly items: readonly object[]
}

interface Lists {
  find(id: number): Promise<Shown>
  create(body: object): Promise<Shown>
  patch(id: number, body: object): Promise<unknown>
  replace(id: number, body: object): Promise<unknown>
  delete(id: number): Promise<unknown>
  owned(id: number, name: string): { create(body: object): Promise<unknown> }
}
