import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { keepStatements } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countMessages } from '../../../../test/support/count-messages.ts'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { authorsIn, library, liveThrough, type Tables } from './library.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

type Query = (...args: unknown[]) => unknown
type Statement = string | { readonly text: string; readonly values?: readonly unknown[] }

/** What a client's own `query` is replaced by. */
type Wrap = (query: Query, client: pg.PoolClient) => Query

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : (statement as Exclude<Statement, string>).text

let open: OpenDatabase

beforeAll(async () => {
  open = await postgres.open()
  await createTables(open.db, library)
})
beforeEach(() => open.empty())
afterAll(() => open.close())

interface Wrapped {
  readonly db: Kysely<Tables>
  /** How many messages the server was sent that it answers: each ends with Sync. */
  readonly messages: () => number
}

/** Opens the database by a pool whose clients are wrapped, and closes it after the work. */
async function withWrapped(wrap: Wrap, work: (wrapped: Wrapped) => Promise<void>): Promise<void> {
  const pool = new pg.Pool({ connectionString: open.location, max: 1 })
  const messages = countMessages(pool)
  pool.on('connect', (client) => {
    Object.assign(client, { query: wrap(client.query.bind(client) as Query, client) })
  })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: keepStatements(pool) }) })
  try {
    await work({ db, messages })
  } finally {
    await db.destroy()
  }
}

describe("a wrapper of a client's `query`, on a pool with `keepStatements`", () => {
  test.each<{ how: string; wrap: (seen: string[]) => Wrap }>([
    {
      how: 'notes each statement',
      wrap: (seen) => (query) => (statement, values) => {
        seen.push(textOf(statement))
        return query(statement, values)
      },
    },
    {
      how: 'waits before it passes a statement on',
      wrap:
        (seen) =>
        (query) =>
        async (...args) => {
          seen.push(textOf(args[0]))
          await turn()
          return query(...args)
        },
    },
    {
      how: 'passes on a copy of the statement',
      wrap: (seen) => (query) => (statement, values) => {
        seen.push(textOf(statement))
        const copy = typeof statement === 'string' ? statement : Object.assign({}, statement)
        const answer = query(copy, values)
        return answer === copy ? undefined : answer
      },
    },
    {
      how: 'changes the text of the statement',
      wrap: (seen) => (query) => (statement, values) => {
        const text = `/* by me */ ${textOf(statement)}`
        seen.push(textOf(statement))
        if (typeof statement === 'string') return query(text, values)
        return query(Object.assign(statement as object, { text }), values)
      },
    },
    {
      how: 'sends a statement of its own ahead',
      wrap:
        (seen) =>
        (query) =>
        (...args) => {
          seen.push(textOf(args[0]))
          Promise.resolve(query("set application_name = 'wrapped'")).catch(() => {})
          return query(...args)
        },
    },
  ])('that $how: sees every statement, and all requests work', async ({ wrap }) => {
    const seen: string[] = []
    await withWrapped(wrap(seen), async ({ db }) => {
      for (let n = 0; n < 5; n++) {
        seen.length = 0
        await liveThrough(db, 'a')
        expect(seen.filter((text) => text === 'commit')).toHaveLength(4)
        expect(seen.filter((text) => /insert into "book"/.test(text))).toHaveLength(3)
        expect(seen.filter((text) => /^begin/.test(text)).length).toBeGreaterThanOrEqual(4)
      }
    })
  })

  test('that answers some statements itself: the others are run', async () => {
    const wrap: Wrap = (query) => (statement, values) =>
      /^select case/.test(textOf(statement))
        ? Promise.resolve({ rows: [{ json: '{"id":7}' }] })
        : query(statement, values)
    await withWrapped(wrap, async ({ db }) => {
      const authors = authorsIn(db)
      for (let n = 0; n < 4; n++) expect(await authors.create({ name: `a${n}` })).toEqual({ id: 7 })
      expect(await open.db.selectFrom('author').select('name').execute()).toHaveLength(4)
    })
  })

  test('sees how many rows a statement has, and its error', async () => {
    const ends: unknown[] = []
    const wrap: Wrap = (query) => async (statement, values) => {
      try {
        const result = (await query(statement, values)) as pg.QueryResult
        if (/^select case/.test(textOf(statement))) ends.push(result.rowCount)
        return result
      } catch (error) {
        ends.push((error as { code: string }).code)
        throw error
      }
    }
    await withWrapped(wrap, async ({ db }) => {
      const authors = authorsIn(db)
      const { id } = await authors.create({ name: 'a' })
      await authors.find(id)
      expect(ends.at(-1)).toBe(1)
      await expect(sql`select ${'x'}::int`.execute(db)).rejects.toMatchObject({ code: '22P02' })
      expect(ends.at(-1)).toBe('22P02')
    })
  })

  test('is called in the context of the request, also for statements that wait for others', async () => {
    const request = new AsyncLocalStorage<string>()
    const contexts = new Set<string | undefined>()
    const wrap: Wrap =
      (query) =>
      (...args) => {
        contexts.add(request.getStore())
        return query(...args)
      }
    await withWrapped(wrap, async ({ db }) => {
      const names = Array.from({ length: 5 }, (_, n) => `request ${n}`)
      await Promise.all(names.map((name) => request.run(name, () => liveThrough(db, name))))
      expect([...contexts].sort()).toEqual(names)
    })
  })

  test('changes nothing about what goes in one message, and leaves nothing in the queue of `pg`', async () => {
    const queued: number[] = []
    const wrap: Wrap = (query, client) => {
      const { _queryQueue: queue } = client as unknown as { _queryQueue: readonly unknown[] }
      return (...args) => {
        queued.push(queue.length)
        return query(...args)
      }
    }
    await withWrapped(wrap, async ({ db, messages }) => {
      const authors = authorsIn(db)
      const { id } = await authors.create({ name: 'a', books: [{ title: 'b' }] })
      const messagesOf = async (work: () => Promise<unknown>): Promise<number> => {
        // A connection that has just answered gets all of a write at once.
        await authors.find(id)
        const before = messages()
        await work()
        return messages() - before
      }
      for (let n = 0; n < 4; n++) {
        expect(await messagesOf(() => authors.find(id))).toBe(1)
        expect(await messagesOf(() => authors.patch(id, { born: n }))).toBe(1)
        expect(await messagesOf(() => authors.patch(id, { books: [{ title: `b${n}` }] }))).toBe(2)
        expect(await messagesOf(() => authors.list())).toBe(1)
      }
    })
    expect(Math.max(...queued)).toBe(0)
  })

  test.each(['throws', 'rejects'])(
    'that refuses a statement and %s: the request fails, and nothing of it is there',
    async (how) => {
      let isRefused = (_text: string): boolean => false
      const wrap: Wrap = (query) => (statement, values) => {
        if (!isRefused(textOf(statement))) return query(statement, values)
        const error = new Error('refused by the wrapper')
        if (how === 'throws') throw error
        return Promise.reject(error)
      }
      await withWrapped(wrap, async ({ db }) => {
        const authors = authorsIn(db)
        for (let n = 0; n < 3; n++) {
          const { id } = await authors.create({ name: 'a' })
          const refusals = [/^begin/, /insert into "book"/, /^commit/]
          for (const refusal of refusals) {
            isRefused = (text) => refusal.test(text)
            await expect(authors.patch(id, { books: [{ title: 'b' }] })).rejects.toThrow('refused by the wrapper')
            isRefused = () => false
            expect((await authors.find(id)).books).toEqual([])
          }
          await authors.delete(id)
        }
      })
    },
  )

  test('that sends a statement ahead of one that it refuses: those before it are run', async () => {
    let isRefused = (_text: string): boolean => false
    const wrap: Wrap = (query) => async (statement, values) => {
      if (!isRefused(textOf(statement))) return query(statement, values)
      await query('select 1')
      throw new Error('refused by the wrapper')
    }
    await withWrapped(wrap, async ({ db }) => {
      const authors = authorsIn(db)
      const { id } = await authors.create({ name: 'a' })
      isRefused = (text) => /^commit/.test(text)
      await expect(authors.patch(id, { books: [{ title: 'b' }] })).rejects.toThrow('refused by the wrapper')
      isRefused = () => false
      expect((await authors.find(id)).books).toEqual([])
    })
  })
})
