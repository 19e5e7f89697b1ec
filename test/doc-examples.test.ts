import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import * as core from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import * as postgres from '@fastify-crud/core/postgres'
import * as schema from '@fastify-crud/core/schema'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { Type } from '@sinclair/typebox'
import Database from 'better-sqlite3'
import Fastify from 'fastify'
import { crudPlugin } from 'fastify-crud'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { Pool } from 'pg'
import { expect, test } from 'vitest'

const packages = join(import.meta.dirname, '../packages')
const docs = join(import.meta.dirname, '../docs')

interface Example {
  readonly file: string
  readonly code: string
}

function examplesIn(file: string): Example[] {
  const text = readFileSync(join(packages, file), 'utf8')
  return [...text.matchAll(/^ *\* @example\n((?: *\*(?!\/).*\n)+)/gm)].map((match) => ({
    file,
    code: (match[1] as string).replaceAll(/^ *\* ?/gm, '').trim(),
  }))
}

/** The blocks of a page that run; a `declare module` is for the compiler only. */
function blocksIn(page: string): Example[] {
  const text = readFileSync(join(docs, page), 'utf8')
  const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => (match[1] as string).trim())
  return blocks.filter((code) => !code.startsWith('declare module')).map((code) => ({ file: page, code }))
}

const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /^[^/]+\/src\/.*\.ts$/.test(name) && !name.includes('node_modules'),
)
const examples = [...sources.flatMap(examplesIn), ...['handlers.md', 'store.md'].flatMap(blocksIn)]

const { owns, ownedBy, needs, neededBy } = core
const resources = core.defineResources({
  publisher: { fields: { name: Type.String() }, relations: { books: neededBy.many('book') } },
  author: { fields: { name: Type.String() } },
  book: {
    fields: { title: Type.String() },
    relations: { publisher: needs.one('publisher'), authors: needs.many('author'), chapters: owns.many('chapter') },
  },
  chapter: { fields: { title: Type.String() }, relations: { book: ownedBy('book') } },
})

/** What the examples take for granted. */
async function scene(): Promise<Record<string, unknown>> {
  const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  await core.createTables(db, resources)
  const store = core.createStore({ db, resources })
  for (const name of ['One', 'Two', 'Three']) {
    await store.resource('publisher').create({ name })
    await store.resource('author').create({ name })
  }
  const record = await store.resource('book').create({
    title: 'Plans',
    publisherId: 1,
    authors: [{ id: 1 }],
    chapters: [{ title: 'One' }],
  })
  const known = { Type, Fastify, crudPlugin, Kysely, SqliteDialect, PostgresDialect, Database: InMemory, Pool }
  const given = { connectionString: 'postgres://localhost:1/none', log: { error() {}, warn() {} }, app: Fastify() }
  return {
    ...core,
    ...schema,
    ...postgres,
    openSqlite: (_file: string) => openSqlite(':memory:'),
    ...known,
    ...given,
    db,
    store,
    resources,
    record,
    book: resourceOf(resources, 'book'),
  }
}

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(15)
})

test.each(examples)('the example in $file runs: $code', async ({ code }) => {
  const names = await scene()
  const AsyncFunction = (async () => undefined).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<unknown>
  // In a block of its own, so that an example may declare what others take for granted.
  const block = `{ ${asStatement(code)}\n}`
  const result = await new AsyncFunction(...Object.keys(names), block)(...Object.values(names))
  if (code.startsWith('plan')) expect(result).toHaveProperty('plan')
})

function asStatement(code: string): string {
  if (code.startsWith('relations: ')) return `return { ${code}\n}`
  if (code.startsWith('plan')) return `return ${code}`
  return stripTypeScriptTypes(`(async () => {${code}\n})`).slice('(async () => {'.length, -'})'.length)
}

/** The files that examples name are not made. */
class InMemory extends Database {
  constructor() {
    super(':memory:')
  }
}
