import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  createTables,
  crudPlugin,
  type Descriptors,
  defineResources,
  neededBy,
  needs,
  ownedBy,
  owns,
} from 'fastify-crud'
import { afterEach, expect, test } from 'vitest'
import { withAllRelations } from '../../packages/fastify-crud/test/property/all-relations.ts'
import { compareAnswer } from '../../packages/fastify-crud/test/property/answers.ts'
import { IdMap } from '../../packages/fastify-crud/test/property/id-map.ts'
import type { Json } from '../../packages/fastify-crud/test/property/json.ts'
import { randomModel } from '../../packages/fastify-crud/test/property/random-model.ts'
import { type Recipe, randomRecipe, toRequest } from '../../packages/fastify-crud/test/property/random-requests.ts'
import { Reference } from '../../packages/fastify-crud/test/property/reference.ts'
import { readDescriptors } from '../../packages/fastify-crud/test/property/reference-model.ts'
import { resourceAt } from '../../packages/fastify-crud/test/property/reference-path.ts'
import { urlOf } from '../../packages/fastify-crud/test/property/side.ts'
import { toSide } from '../../packages/fastify-crud/test/property/translate.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { type Exchange, type SendRequest, startProxy } from './start-proxy.ts'

const token = { authorization: 'Bearer secret' }

/**
 * Models with every kind of relation and field, and requests of all kinds: always the same ones. An answer tells the ids of all that
 * it is about.
 */
const models = fc.sample(randomModel, { numRuns: 6, seed: 26 }).map(withAllRelations)
const recipes = fc.sample(randomRecipe, { numRuns: 360, seed: 26 })

interface Service {
  readonly app: FastifyInstance
  readonly database: OpenDatabase
  readonly proxy: SendRequest
}

/** A service behind a proxy, which knows it by its document only. Its hook asks for a token. */
async function openService(descriptors: Descriptors): Promise<Service> {
  const resources = defineResources(descriptors)
  const database = await (databases[0] as (typeof databases)[number]).open()
  await createTables(database.db, resources)
  const app = Fastify()
  app.addHook('onRequest', async ({ headers, url }, reply) => {
    if (url.endsWith('/openapi.json') || headers.authorization === token.authorization) return
    reply.code(headers.authorization === undefined ? 401 : 429)
    throw new Error('not now')
  })
  await app.register(crudPlugin, {
    db: database.db,
    resources,
    openapi: {
      path: '/openapi.json',
      security: [{ token: [] }],
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: { 401: 'There is no token.' },
    },
  })
  const upstream = await app.listen({ host: '127.0.0.1', port: 0 })
  const proxy = await startProxy((await app.inject('/api/openapi.json')).json(), upstream)
  return { app, database, proxy }
}

const open: Service[] = []
afterEach(async () => {
  for (const { app, database } of open.splice(0)) {
    await app.close()
    await database.close()
  }
})

test.each(models.map((descriptors, index) => [index, descriptors] as const))(
  'what the service accepts fits its document, and so does all that it answers: model %i',
  async (index, descriptors) => {
    const service = await openService(descriptors)
    open.push(service)
    const own = recipes.filter((_, number) => number % models.length === index)
    const passed = await sendAll(service.proxy, descriptors, own)
    expect(passed).toBeGreaterThan(own.length / 3)
  },
)

/** Sends what the recipes say; returns how many requests the service has accepted. */
async function sendAll(proxy: SendRequest, descriptors: Descriptors, own: readonly Recipe[]): Promise<number> {
  const reference = new Reference(readDescriptors(descriptors))
  const ids = new IdMap('sqlite')
  const freshId = (resource: string, distance: number) =>
    Math.max(reference.state.lastId.get(resource) ?? 0, ids.highest(resource)) + 1 + distance
  let accepted = 0
  for (const recipe of own) {
    const { model } = reference
    const request = toRequest(reference, recipe, freshId)
    const { method, address, body, act } = request
    // The proxy sends no body in place of null, and a text without its quotes. This service has no actions.
    if (body === null || typeof body === 'string' || act !== undefined) continue
    const expected = reference.send(request)
    const url = urlOf(model, request, ids)
    const sent = body === undefined ? undefined : toSide(model, resourceAt(model, address), body, ids)
    const answer = await sendOne(proxy, method, url, sent)
    if (answer.status < 400) accepted += 1
    compareAnswer(model, expected, { ...answer, body: answer.body as Json | undefined, writes: [] }, ids)
  }
  return accepted
}

async function sendOne(proxy: SendRequest, method: string, url: string, body: Json | undefined): Promise<Exchange> {
  const exchange = await proxy(method, url, body, token)
  const place = `${method} ${url} ${JSON.stringify(body)}: ${exchange.status}`
  // The document does not have the methods that a path does not have.
  if (exchange.status !== 405) expect(exchange.answerMisfits, place).toEqual([])
  if (exchange.status < 400) expect(exchange.requestMisfits, place).toEqual([])
  return exchange
}

test('filters, sorts and fields that the service accepts fit the document', async () => {
  const service = await openService({
    maker: { fields: { name: Type.String() }, relations: { items: neededBy.many('item') } },
    item: {
      fields: { title: Type.String(), price: Type.Optional(Type.Number()), isNew: Type.Optional(Type.Boolean()) },
      relations: { maker: needs.one('maker') },
    },
  })
  open.push(service)
  for (const query of [
    'filter[title]=Lamp&filter[price][gte]=5&filter[isNew]=true&filter[makerId]=1&filter[maker.name]=Ink',
    'filter[title]=&filter[title][startsWith]=L&filter[id][in]=1&filter[price][null]=false',
    'sort=-price,maker.name,lower(title)&limit=5&fields=title,price,maker.name',
    'filter[id][in]=1&filter[id][in]=2&filter[price][lte]=9&filter[title][icontains]=l',
    `filter=${encodeURIComponent('{"or":[{"price":{"lt":5}},{"maker.name":"Ink"}]}')}&sort=-id`,
  ]) {
    expect((await sendOne(service.proxy, 'GET', `/api/item?${query}`, undefined)).status, query).toBe(200)
  }
  const text = await service.proxy('GET', '/api/item?filter[price]=x', undefined, token)
  expect([text.status, text.requestMisfits.length > 0]).toEqual([400, true])
})

test('answers with a part of a record, with more than a record, or without one, fit the document', async () => {
  const service = await openService({
    maker: { fields: { name: Type.String() }, relations: { items: neededBy.many('item') } },
    item: {
      fields: { title: Type.String(), price: Type.Optional(Type.Number()) },
      relations: { maker: needs.one('maker'), parts: owns.many('part') },
    },
    part: { fields: { word: Type.String() }, relations: { item: ownedBy('item') } },
  })
  open.push(service)
  const { proxy } = service
  const body = { title: 'Lamp', makerId: 1, parts: [{ word: 'bulb' }, { word: 'foot' }] }
  await sendOne(proxy, 'POST', '/api/maker', { name: 'Ink' })
  expect((await sendOne(proxy, 'POST', '/api/item', body)).status).toBe(201)
  for (const query of [
    'fields=title',
    'fields=id,maker.name,parts.word,count(parts)',
    'include=-parts,maker.items',
    'include=maker.items.parts',
    'nested[parts][limit]=1',
  ]) {
    for (const path of ['/api/item', '/api/item/1']) {
      expect((await sendOne(proxy, 'GET', `${path}?${query}`, undefined)).status, query).toBe(200)
    }
  }
  expect((await sendOne(proxy, 'GET', '/api/maker?include=items.parts', undefined)).status).toBe(200)
  expect((await sendOne(proxy, 'GET', '/api/item/1/part?fields=word,item.title', undefined)).status).toBe(200)
  const minimal = { ...token, prefer: 'return=minimal' }
  for (const [method, path, sent, status] of [
    ['PATCH', '/api/item/1', { title: 'Lantern' }, 204],
    ['PUT', '/api/item/1', body, 204],
    ['DELETE', '/api/item/1', undefined, 204],
  ] as const) {
    const exchange = await proxy(method, path, sent, minimal)
    expect([exchange.status, exchange.answerMisfits, exchange.requestMisfits], method).toEqual([status, [], []])
  }
  // OpenAPI cannot say that the body of a status may be missing.
  const created = await proxy('POST', '/api/item', body, minimal)
  expect([created.status, created.requestMisfits]).toEqual([201, []])
  expect(created.answerMisfits.join()).toMatch(/^ The received media type ""[^,]*,body Response body must be object$/)
})

test('the proxy complains of what does not fit', async () => {
  const service = await openService(models[0] as Descriptors)
  open.push(service)
  const [path = ''] = Object.keys((await service.app.inject('/api/openapi.json')).json().paths)
  const body = await service.proxy('POST', path, { nope: 1 }, token)
  expect(body.requestMisfits.join()).toContain("must NOT have additional properties; found 'nope'")
  const query = await service.proxy('GET', `${path}?limit=0`, undefined, token)
  expect(query.requestMisfits.join()).toContain('must be >= 1')
})

test('the 401 and the 429 of a hook fit the document', async () => {
  const service = await openService(models[0] as Descriptors)
  open.push(service)
  const { app, proxy } = service
  const [path = ''] = Object.keys((await app.inject('/api/openapi.json')).json().paths)
  const unknown = await proxy('GET', path)
  expect(unknown).toMatchObject({ status: 401, answerMisfits: [] })
  expect(unknown.requestMisfits.join()).toMatch(/security/i)
  const other = await proxy('GET', path, undefined, { authorization: 'Bearer other' })
  expect(other).toMatchObject({ status: 429, requestMisfits: [], answerMisfits: [] })
})
