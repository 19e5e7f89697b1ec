import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, keepStatements, knows, ownedBy, owns } from 'fastify-crud'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const notes = defineResources({
  note: {
    fields: { text: Type.String(), authorId: Type.Integer() },
    relations: { marks: owns.many('mark'), topic: knows.one('topic') },
  },
  mark: { fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
  topic: { fields: { name: Type.String(), authorId: Type.Integer() }, relations: {} },
})

describe('on PostgreSQL, in round trips', () => {
  let open: OpenDatabase
  let db: TestKysely
  let messages: () => number

  beforeAll(async () => {
    open = await postgres.open()
    const pool = new pg.Pool({ connectionString: open.location, max: 1 })
    messages = countMessages(pool)
    db = new Kysely({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
    await createTables(open.db, notes)
  })

  afterAll(async () => {
    await db.destroy()
    await open.close()
  })

  /** A store without policies, one whose policies look at the row alone, and one whose policies read other rows. */
  function stores() {
    const all = createStore({ db, resources: notes })
    const ofRow = createStore({
      db,
      resources: notes,
      policies: {
        note: ({ eb, my }) => eb('authorId', '=', my('id')),
        topic: ({ eb, my }) => eb('authorId', '=', my('id')),
      },
    }).as({ id: 1 })
    const ofOthers = createStore({
      db,
      resources: notes,
      policies: {
        note: ({ eb, my }) =>
          eb.exists(
            eb
              .selectFrom('topic')
              .select('topic.id')
              .where('topic.authorId', '=', my('id') as never),
          ),
        topic: ({ eb, my }) => eb('authorId', '=', my('id')),
      },
    }).as({ id: 1 })
    return [all, ofRow, ofOthers] as const
  }

  type Store = ReturnType<typeof stores>[number]

  async function countOnce(store: Store) {
    await open.empty()
    const topic = await createStore({ db: open.db, resources: notes }).topic.create({ name: 't', authorId: 1 })
    const body = { text: 'a', authorId: 1, marks: [{ text: 'm' }] }
    const { id, marks } = await store.note.create(body)
    const mark = marks[0]?.id as number
    const count = async (work: () => Promise<unknown>) => {
      // `begin` is a message of its own on a connection that has not answered for a while.
      await store.note.find(id)
      const before = messages()
      await work()
      return messages() - before
    }
    return [
      await count(() => store.note.create(body)),
      await count(() => store.note.patch(id, { text: 'b' })),
      await count(() => store.note.patch(id, { topicId: topic.id })),
      await count(() => store.note.patch(id, { marks: [{ text: 'n' }] })),
      await count(() => store.note.owned(id, 'marks').patch(mark, { text: 'c' })),
      await count(() => store.note.owned(id, 'marks').delete(mark)),
      await count(() => store.note.replace(id, { text: 'c', authorId: 1 })),
      await count(() => store.note.delete(id)),
    ]
  }

  test('a policy costs none, whatever it reads: what it asks goes with the write', async () => {
    const all: number[][] = []
    for (const store of stores()) {
      // The first round has what a connection learns, and on a busy machine any may have a `begin` more.
      const rounds = [await countOnce(store), await countOnce(store), await countOnce(store)]
      all.push((rounds[0] as number[]).map((_, index) => Math.min(...rounds.map((round) => round[index] as number))))
    }
    const [without, ofRow, ofOthers] = all
    expect(ofRow).toEqual(without)
    expect(ofOthers).toEqual(without)
  })
})
