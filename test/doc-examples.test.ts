import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Model } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import Fastify, { type FastifyInstance } from 'fastify'
import { type CrudOptions, crudPlugin } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from './support/databases.ts'
import { type Block, blocksOf, docPages, isCode } from './support/doc-pages.ts'
import { type DocRequest, requestsIn } from './support/doc-requests.ts'
import { docScene, runExample, USER_HEADER } from './support/doc-scene.ts'

const packages = join(import.meta.dirname, '../packages')

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

const sources = readdirSync(packages, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /^[^/]+\/src\/.*\.ts$/.test(name) && !name.includes('node_modules'),
)
const blocks = docPages.flatMap(blocksOf)
const examples = [
  ...sources.flatMap(examplesIn),
  ...blocks.filter(isCode).map(({ page, text }) => ({ file: page, code: text })),
]

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(40)
})

test.each(examples)('the example in $file runs: $code', async ({ code }) => {
  const result = await runExample(code, await docScene())
  if (code.startsWith('plan')) expect(result).toHaveProperty('plan')
})

const pagesWithRequests = docPages.filter((page) => blocksOf(page).some(({ language }) => language === 'http'))

describe.each(databases)('on $name', (database) => {
  test.each(pagesWithRequests)('%s shows the answers that the service gives', async (page) => {
    let service: Service | undefined
    for (const block of blocksOf(page)) {
      if (declaresResources(block)) {
        await service?.close()
        service = await serve(database, block)
      } else if (block.language === 'http') {
        for (const request of requestsIn(block.text)) await check(request, service as Service)
      }
    }
    await service?.close()
  })
})

function declaresResources(block: Block): boolean {
  return isCode(block) && /^const resources = /m.test(block.text)
}

/** Whether the example registers the plugin itself, on the database that it is given. */
function registersPlugin({ text }: Block): boolean {
  return /^const app = /m.test(text) && !/^const db = /m.test(text)
}

async function check({ method, url, user, headers: sent, body, answer }: DocRequest, { app }: Service): Promise<void> {
  const payload = body === undefined ? {} : { payload: body as object }
  const headers = { ...sent, ...(user !== undefined && { [USER_HEADER]: JSON.stringify(user) }) }
  const given = await app.inject({ method, url, headers, ...payload })
  const shown = { status: given.statusCode, body: given.body === '' ? undefined : given.json() }
  // A page shows of an error what matters there.
  const { headers: named, ...told } = answer
  const rest = { ...told, body: withAnything(told.body) }
  expect(given.headers, `${method} ${url}`).toMatchObject(named)
  if (answer.status >= 400) expect(shown, `${method} ${url}`).toMatchObject(rest)
  else expect(shown, `${method} ${url}`).toEqual(rest)
}

/** What a page has as `…` is another each time. */
function withAnything(body: unknown): unknown {
  if (body === '…') return expect.anything()
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map(withAnything)
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withAnything(value)]))
}

interface Service {
  readonly app: FastifyInstance
  close(): Promise<void>
}

/** A service with nothing in its database but what the block stores there. */
async function serve(database: TestDatabase, block: Block): Promise<Service> {
  const { db, close } = await database.open()
  const scene = { ...(await docScene()), db }
  const { resources, app } = registersPlugin(block)
    ? ((await runExample(`${block.text}\nreturn { resources, app }`, scene)) as Registered)
    : await register(db, (await runExample(`${block.text}\nreturn resources`, scene)) as Model)
  await createTables(db, resources)
  return {
    app,
    async close() {
      await app.close()
      await close()
    },
  }
}

interface Registered {
  readonly resources: Model
  readonly app: FastifyInstance
}

async function register(db: CrudOptions['db'], resources: Model): Promise<Registered> {
  const app = Fastify()
  await app.register(crudPlugin, { db, resources })
  return { resources, app }
}
