import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { createStore, createTables, crudPlugin, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../test/support/json-body.ts'
import { type Agent, startAgent } from './agent.ts'

const model = defineResources({
  list: {
    description: 'Things to do',
    groups: true,
    fields: { title: Type.String(), isSecret: Type.Optional(Type.Boolean()) },
    relations: { items: owns.many('item'), tags: knows.many('tag') },
  },
  item: { fields: { text: Type.String(), size: Type.Integer() }, relations: { list: ownedBy('list') } },
  tag: { fields: { name: Type.String() } },
})

describeOnBoth('the tools that read', (setup) => {
  let agent: Agent
  let close: () => Promise<void>

  beforeAll(async () => {
    const database = await setup.open()
    const { db } = database
    await createTables(db, model)
    const store = createStore({ db, resources: model })
    const tag = await store.tag.create({ name: 'home' })
    for (let index = 0; index < 30; index++) {
      const items = [{ text: 'x'.repeat(300), size: index }]
      await store.list.create({ title: `list ${index}`, isSecret: index === 29, items, tags: [{ id: tag.id }] })
    }
    const register = async (app: FastifyInstance) => {
      await app.register(crudPlugin, {
        db,
        resources: model,
        caller: ({ headers }) => ({ id: 1, roles: headers.authorization === 'Bearer ada' ? ['staff'] : ['visitor'] }),
        policies: {
          list: {
            staff: true,
            visitor: { View: ({ eb }: JsonBody) => eb.not(eb.fn.coalesce('list.isSecret', eb.lit(false))) },
          },
          tag: { visitor: { View: true }, staff: true },
        } as never,
      })
    }
    agent = await startAgent(register, { maxAnswer: 4_000 })
    close = () => database.close()
  })

  afterAll(async () => {
    await agent.close()
    await close()
  })

  test('are offered with what they take, and that they change nothing', async () => {
    const { tools } = await (await agent.connect()).listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['describe', true],
      ['list', true],
      ['get', true],
      ['group', true],
      ['history', true],
      ['preview', true],
      ['confirm', false],
    ])
  })

  test('describe the service in a few lines, and one resource as a whole', async () => {
    const [usual, first, second] = (await agent.read('describe')).split('\n')
    expect(usual).toBe('Each has list, findOne, create, replace, patch, delete, unless it says "only".')
    expect(first).toContain('list (Things to do): /list; only list, findOne')
    expect(second).toContain('item: /list/{list_id}/item')
    const item = JSON.parse(await agent.read('describe', { resource: 'item' }))
    expect(Object.keys(item.fields)).toEqual(['text', 'size'])
    const list = JSON.parse(await agent.read('describe', { resource: 'list' }))
    expect(list.relations.items).toEqual({ kind: 'owns.many', target: 'item' })
    expect(list.operations).toEqual(['list', 'findOne'])
  })

  test('list, find and group records, below owners, too', async () => {
    const page = JSON.parse(
      await agent.read('list', {
        resource: 'list',
        filter: { title: { contains: '2' } },
        sort: ['-title'],
        limit: 2,
      }),
    )
    expect(page.rows.map(({ title }: { title: string }) => title)).toEqual(['list 28', 'list 27'])
    expect(page.rows[0]).not.toHaveProperty('items')
    const shown = await agent.read('list', { resource: 'list', limit: 1, include: ['items'] })
    expect(JSON.parse(shown).rows[0].items).toHaveLength(1)
    const { id } = page.rows[0]
    const [item] = JSON.parse(await agent.read('list', { resource: 'item', owners: { list_id: id } })).rows
    expect(JSON.parse(await agent.read('get', { resource: 'item', owners: { list_id: id }, id: item.id }))).toEqual(
      item,
    )
    expect(JSON.parse(await agent.read('get', { resource: 'list', id, fields: ['title'] })).title).toBe('list 28')
    const groups = JSON.parse(await agent.read('group', { resource: 'list', values: ['count()'] }))
    expect(groups.rows).toEqual([{ 'count()': 29 }])
  })

  test('see what their caller may see, and nothing else', async () => {
    const count = async (headers: Record<string, string>) => {
      const client = await agent.connect(headers)
      return JSON.parse(await agent.read('list', { resource: 'list', limit: 1, count: true }, client)).count
    }
    expect([await count({}), await count({ authorization: 'Bearer ada' })]).toEqual([29, 30])
  })

  test('answer in a few kilobytes: without relations, then with fewer records, and the next page goes on', async () => {
    const seen: string[] = []
    let after: string | undefined
    do {
      const text = await agent.read('list', { resource: 'list', limit: 30, ...(after !== undefined && { after }) })
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000)
      const page = JSON.parse(text.slice(text.indexOf('{')))
      seen.push(...page.rows.map(({ title }: { title: string }) => title))
      after = page.next
    } while (after !== undefined)
    expect(new Set(seen).size).toBe(29)
    expect(seen.length).toBe(29)
  })

  test('say what is wrong, and where', async () => {
    const wrong = agent.refused
    expect(await wrong('list', { resource: 'lists' })).toBe("there is no resource 'lists'; there are list, item, tag")
    expect(await wrong('list', { resource: 'item' })).toContain('/list/{list_id}/item: list_id')
    expect(await wrong('list', { resource: 'list', filter: { titel: 'x' } })).toMatch(/^400 CRUD_ERR_INVALID .*titel/)
    expect(await wrong('get', { resource: 'list', id: 999 })).toMatch(/^404 CRUD_ERR_NOT_FOUND/)
  })

  test('are refused to foreign hosts and origins, and cookies go along with an allowed origin only', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const status = async (headers: Record<string, string>) =>
      (await agent.app.inject({ method: 'POST', url: '/mcp', payload: body, headers: { accept: ACCEPT, ...headers } }))
        .statusCode
    expect(await status({ host: 'evil.example' })).toBe(403)
    expect(await status({ host: 'localhost', origin: 'https://evil.example' })).toBe(403)
    expect(await status({ host: 'localhost:3000', origin: 'http://localhost:5173' })).toBe(200)
  })
})

const ACCEPT = 'application/json, text/event-stream'
