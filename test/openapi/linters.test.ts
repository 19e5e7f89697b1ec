import { readFile } from 'node:fs/promises'
import swagger from '@fastify/swagger'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Type } from '@sinclair/typebox'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import Database from 'better-sqlite3'
import Fastify, { type FastifyInstance } from 'fastify'
import { createTables, crudPlugin, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'

const resources = defineResources({
  publisher: { fields: { name: Type.String({ minLength: 1 }) } },
  book: {
    fields: { title: Type.String(), price: Type.Optional(Type.Number({ minimum: 0 })) },
    relations: { publisher: needs.one('publisher'), sequel: knows.one('book'), chapters: owns.many('chapter') },
  },
  chapter: {
    fields: {
      title: Type.String(),
      note: Type.Any(),
      outline: Type.Recursive((This) => Type.Object({ parts: Type.Array(This) })),
    },
    relations: { book: ownedBy('book') },
  },
})

const PAGE = new URL('../../docs/openapi.md', import.meta.url)

/** Runs the page's registration of the plugin. */
async function registerAsOnPage(app: FastifyInstance): Promise<void> {
  const [, section = ''] = (await readFile(PAGE, 'utf8')).split('## Served by the plugin\n')
  const code = /```ts\n(.*?)```/s.exec(section)?.[1]
  if (code === undefined) throw new Error('the section of the page has no code')
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  await createTables(db, resources)
  app.addHook('onClose', () => db.destroy())
  const run = new Function('app', 'crudPlugin', 'db', 'resources', `return (async () => {${code}})()`)
  await run(app, crudPlugin, db, resources)
}

async function documentOf(app: FastifyInstance, url: string): Promise<string> {
  try {
    await registerAsOnPage(app)
    return (await app.inject(url)).payload
  } finally {
    await app.close()
  }
}

async function errorsOfRedocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  return problems.filter(({ severity }) => severity === 'error').map(({ ruleId, message }) => `${ruleId}: ${message}`)
}

async function errorsOfSpectral(source: string): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] })
  const problems = await linter.run(source)
  return problems.filter(({ severity }) => severity === 0).map(({ code, message }) => `${code}: ${message}`)
}

test('Redocly and Spectral find no error in the document of the page', async () => {
  const document = await documentOf(Fastify(), '/api/openapi.json')
  expect(JSON.parse(document)).toMatchObject({ info: { title: 'Books' }, paths: { '/api/book/{id}': {} } })
  expect(await errorsOfRedocly(document)).toEqual([])
  expect(await errorsOfSpectral(document)).toEqual([])
})

test('nor in that of @fastify/swagger', async () => {
  const app = Fastify()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Books', version: '1.0.0' },
      servers: [{ url: 'https://books.example' }],
    },
  })
  app.get('/swagger.json', { schema: { hide: true } }, async () => app.swagger())
  const document = await documentOf(app, '/swagger.json')
  expect(JSON.parse(document)).toMatchObject({ info: { title: 'Books' }, paths: { '/api/book/{id}': {} } })
  expect(await errorsOfRedocly(document)).toEqual([])
  expect(await errorsOfSpectral(document)).toEqual([])
})
