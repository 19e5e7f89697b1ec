import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { type CrudOptions, createTables, crudPlugin, defineActions, defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'

const resources = defineResources({ note: { fields: { text: Type.String() } } })
const told: unknown[] = []

const actions = defineActions(resources, {
  note: {
    shout: {
      asks: 'Edit',
      async run({ id, store, afterCommit }) {
        const { text } = await store.note.find(id)
        await store.note.patch(id, { text: text.toUpperCase() })
        afterCommit(async () => {
          await new Promise((resolve) => setTimeout(resolve, 50))
          told.push(text)
          throw new Error(`no mail about ${text}`)
        })
      },
    },
    fail: {
      asks: 'View',
      run() {
        throw Object.assign(new Error('a secret of the server'), { statusCode: 404 })
      },
    },
    who: {
      method: 'GET',
      asks: 'View',
      answer: Type.String(),
      run: async ({ db }) =>
        (await sql<{ who: string }>`select current_setting('app.user') as who`.execute(db)).rows[0]?.who ?? '',
    },
    slow: {
      asks: 'View',
      run: async ({ db }) => void (await sql`select pg_sleep(20)`.execute(db)),
    },
  },
})

describeOnBoth('services with actions', (database) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
    await opened.db.insertInto('note').values({ text: 'tea' }).execute()
  })
  afterAll(() => opened.close())

  const serve = async (options: Partial<CrudOptions>, log = errorLog()) => {
    const app = Fastify(log.fastify)
    await app.register(crudPlugin, { db: opened.db, resources, actions, ...options } as never)
    await app.ready()
    return { app, log }
  }

  test('closing waits for what actions do after their commits, and its errors are in the log', async () => {
    const { app, log } = await serve({})
    const { statusCode } = await app.inject({ method: 'POST', url: '/api/note/1/$act/shout' })
    expect(statusCode).toBe(200)
    await app.close()
    expect(told.splice(0)).toEqual(['tea'])
    expect(log.lines.join()).toMatch(/afterCommit of actions\.note\.shout failed; the write is done/)
  })

  test('an error of an action is in the log, and in no answer', async () => {
    const { app, log } = await serve({})
    const answer = await app.inject({ method: 'POST', url: '/api/note/1/$act/fail' })
    expect(answer.statusCode).toBe(500)
    expect(answer.body).not.toMatch(/secret/)
    expect(log.lines.join()).toMatch(/a secret of the server/)
    await app.close()
  })

  test('a database for each tenant has them, too', async () => {
    const { app } = await serve({ db: { model: opened.db, of: () => opened.db } as never })
    const answer = await app.inject({ method: 'POST', url: '/api/note/1/$act/shout' })
    expect(answer.json()).toEqual({ id: 1, text: 'TEA' })
    await app.close()
    told.splice(0)
  })

  test('wrong actions fail the start', async () => {
    await expect(serve({ actions: { note: { list: {} } } as never })).rejects.toThrow(
      /actions\.note\.list: 'list' is the name/,
    )
  })

  // SQLite has no settings, and its statements hold the process.
  if (database.name === 'sqlite') return

  test('their transactions have the settings of the caller', async () => {
    const { app } = await serve({
      caller: () => ({ id: 7 }),
      session: ((caller: { id: number }) => ({ 'app.user': String(caller.id) })) as never,
    })
    expect((await app.inject({ url: '/api/note/1/$act/who' })).json()).toBe('7')
    await app.close()
  })

  test('a statement that takes too long is ended', async () => {
    const { app } = await serve({ limits: { action: 200 } })
    const answer = await app.inject({ method: 'POST', url: '/api/note/1/$act/slow' })
    expect(answer.statusCode).toBe(503)
    expect(answer.json().detail).toMatch(/did not end within 200 ms/)
    expect((await app.inject({ url: '/api/note/1' })).statusCode).toBe(200)
    await app.close()
  })
})
