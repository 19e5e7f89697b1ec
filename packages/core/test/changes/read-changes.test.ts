import {
  createStore,
  defineResources,
  type LiveChange,
  type Model,
  ownedBy,
  owns,
  pruneHistory,
  readChanges,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  memo: {
    softDelete: 'deletedAt',
    fields: { text: Type.String() },
    relations: { lines: owns.many('line') },
    history: { within: '2 days' },
  },
  line: { softDelete: 'deletedAt', fields: { text: Type.String() }, relations: { memo: ownedBy('memo') } },
})
const model = resources as Model

/** Much longer than a test: what is found was found because somebody has written. */
const NEVER = 1_000_000

describeOnBoth('Changes in a program', (database) => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, model)
  })
  afterEach(() => open.close())
  const storeOf = () => createStore({ db: open.db, resources })

  /** The first changes behind a position. */
  async function first(count: number, after: number | undefined, meanwhile = async () => {}): Promise<LiveChange[]> {
    const found: LiveChange[] = []
    const changes = readChanges(open.db, model, { poll: NEVER, ...(after !== undefined && { after }) })
    const next = changes.next()
    await meanwhile()
    for (let one = await next; !one.done; one = await changes.next()) {
      found.push(one.value)
      if (found.length === count) break
    }
    await changes.return()
    return found
  }

  test('are all writes behind a position, in their order, each with what it did', async () => {
    const store = storeOf()
    await store.memo.create({ text: 'x', lines: [{ text: '1' }] })
    await store.memo.patch(1, { text: 'y' })
    await store.memo.delete(1)
    const all = await first(3, 0)
    expect(all.map(({ operation, resource, id, changes }) => [operation, resource, id, changes.length])).toEqual([
      ['create', 'memo', 1, 2],
      ['patch', 'memo', 1, 1],
      ['delete', 'memo', 1, 2],
    ])
    const [, second] = all
    expect(second?.changes).toMatchObject([{ action: 'Edit', before: { text: 'x' }, after: { text: 'y' } }])
    const behind = await first(1, second?.position)
    expect(behind.map(({ operation }) => operation)).toEqual(['delete'])
  })

  test('come at once where this process writes them', async () => {
    const store = storeOf()
    await store.memo.create({ text: 'before', lines: [] })
    const found = await first(1, 1, async () => {
      await store.memo.create({ text: 'meanwhile', lines: [] })
    })
    expect(found).toMatchObject([{ id: 2 }])
  })

  test('are never those of a write that was undone', async () => {
    const store = storeOf()
    await open.db
      .transaction()
      .execute(async (trx) => {
        await store.in(trx).memo.create({ text: 'lost', lines: [] })
        throw new Error('undone')
      })
      .catch(() => {})
    await store.memo.create({ text: 'dry', lines: [] }, { dryRun: true })
    await store.memo.create({ text: 'kept', lines: [] })
    const [only] = await first(1, 0)
    expect(only).toMatchObject({ changes: [{ after: { text: 'kept' } }] })
  })

  test('end with their signal', async () => {
    const ends = new AbortController()
    const all = readChanges(open.db, model, { signal: ends.signal, poll: NEVER })
    const next = all.next()
    ends.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  test('behind a position fail where some of them were removed as too old, or no database has it', async () => {
    const store = storeOf()
    await store.memo.create({ text: 'x', lines: [] })
    await store.memo.create({ text: 'y', lines: [] })
    const [one, two] = await first(2, 0)
    const later = new Date(Date.now() + 3 * 24 * 60 * 60 * 1_000)
    expect(await pruneHistory(open.db, model, { now: later })).toBe(2)
    expect(await pruneHistory(open.db, model, { now: later })).toBe(0)
    await expect(first(1, one?.position)).rejects.toMatchObject({ code: 'CRUD_ERR_GONE', status: 410 })
    await expect(first(1, (two?.position ?? 0) + 1_000)).rejects.toMatchObject({ code: 'CRUD_ERR_GONE' })
    // All that was removed is known to who has seen the last of it.
    await store.memo.create({ text: 'z', lines: [] })
    const [third] = await first(1, two?.position)
    expect(third).toMatchObject({ id: 3 })
    await pruneHistory(open.db, model, { now: later })
    await expect(first(1, two?.position)).rejects.toMatchObject({ code: 'CRUD_ERR_GONE' })
    expect(await open.db.selectFrom('crud_history').select('operation').execute()).toEqual([{ operation: '$pruned' }])
  })

  test('go on behind a record that was purged, though its writes are gone', async () => {
    const store = storeOf()
    await store.memo.create({ text: 'x', lines: [] })
    await store.memo.delete(1)
    const [, deleted] = await first(2, 0)
    await store.memo.purge(1)
    const found = await first(1, deleted?.position, async () => {
      await store.memo.create({ text: 'y', lines: [] })
    })
    expect(found).toMatchObject([{ id: 2 }])
  })

  test('cannot be followed in a transaction, nor from what is no position', async () => {
    await open.db.transaction().execute(async (trx) => {
      await expect(readChanges(trx, model).next()).rejects.toThrow(TypeError)
    })
    await expect(readChanges(open.db, model, { after: -1 }).next()).rejects.toMatchObject({
      code: 'CRUD_ERR_INVALID',
      errors: [{ parameter: 'after' }],
    })
    await expect(readChanges(open.db, model, { poll: 0 }).next()).rejects.toThrow('poll')
  })
})
