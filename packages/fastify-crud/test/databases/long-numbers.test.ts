import { Type } from '@sinclair/typebox'
import { defineResources, type Id, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'

const json = Type.Optional(Type.Any())

const resources = defineResources({
  order: {
    fields: { title: Type.String(), data: json },
    relations: { lines: owns.many('line'), address: owns.one('address') },
  },
  line: { fields: { text: Type.String(), data: json }, relations: { order: ownedBy('order') }, topLevel: true },
  address: { fields: { city: Type.String(), data: json }, relations: { order: ownedBy('order') } },
  folder: {
    fields: { name: Type.String(), data: json },
    relations: { parent: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
  },
})

const LONG = '12345678901234567890'
/** What JavaScript makes of it. */
const ROUNDED = '12345678901234567000'
const DATA = `{"n":${LONG},"list":[{"id":-${LONG}}],"x":1}`

describeOnBoth('JSON with numbers of more digits than JavaScript has, from another program', (database) => {
  // With handlers, answers are not compared with the document: that is done by JavaScript.
  const service = useApp(database, resources, { plugin: { handlers: {} } })
  let path: string
  let tree: string
  let line: Id

  async function store(data: string): Promise<void> {
    for (const table of ['order', 'line', 'address', 'folder']) {
      const value = database.name === 'postgres' ? sql`${data}::text::jsonb` : sql`${data}`
      await sql`update ${sql.table(table)} set data = ${value}`.execute(service.db)
    }
  }

  beforeEach(async () => {
    const order = await service.add('/api/order', { title: 't', lines: [{ text: 'l' }], address: { city: 'c' } })
    const folder = await service.add('/api/folder', { name: 'f', folders: [{ name: 'g' }] })
    path = `/api/order/${order.id}`
    tree = `/api/folder/${folder.id}`
    line = order.lines[0].id
    await store(DATA)
  })

  const textOf = async (url: string) => (await service.fastify.inject(url)).payload
  const send = async (method: 'PUT' | 'PATCH', url: string, payload: string, headers = {}) => {
    const sent = { method, url, payload, headers: { 'content-type': 'application/json', ...headers } }
    const { statusCode: status, payload: text } = await service.fastify.inject(sent)
    return { status, text }
  }
  const places = async (method: 'PUT' | 'PATCH', url: string, payload: string) => {
    const before = await service.snapshot()
    const { status, text } = await send(method, url, payload)
    expect(await service.snapshot()).toEqual(before)
    return [status, JSON.parse(text).errors?.map(({ pointer }: { pointer: string }) => pointer)]
  }

  test('is accepted as it was shown, with all digits or as JavaScript rounds them, and changes nothing', async () => {
    const many = (text: string) => `[${text}]`
    for (const [url, to, sent] of [
      [path, path, String],
      [tree, tree, String],
      [`${path}/line/${line}`, `${path}/line/${line}`, String],
      [`/api/line/${line}`, `/api/line/${line}`, String],
      [path, '/api/order', many],
      [path, '/api/order', String],
      [`/api/line/${line}`, '/api/line', many],
    ] as const) {
      const shown = await textOf(url)
      expect(shown).toMatch(LONG)
      const { etag } = (await service.fastify.inject(url)).headers
      for (const method of ['PUT', 'PATCH'] as const) {
        if (to === '/api/order' && sent === String && method === 'PATCH') continue
        for (const body of [shown, JSON.stringify(JSON.parse(shown))]) {
          const headers = sent === String ? { 'if-match': etag } : {}
          const statements = await service.statements(async () => {
            const answer = await send(method, to, sent(body), headers)
            expect([to, method, answer.status]).toEqual([to, method, 200])
            expect(answer.text).toContain(LONG)
          })
          expect(updatesIn(statements)).toEqual([])
        }
      }
      expect(await textOf(url)).toBe(shown)
    }
  })

  test('keeps its digits where another value of the record is changed', async () => {
    const shown = await textOf(path)
    const rounded = JSON.stringify(JSON.parse(shown))
    for (const [index, body] of [shown, rounded].entries()) {
      const { status, text } = await send('PUT', path, body.replace('"title":"t"', `"title":"t${index}"`))
      expect([status, text]).toEqual([200, shown.replace('"title":"t"', `"title":"t${index}"`)])
      const change = `{"title":"u${index}","data":${DATA},"lines":[{"id":${line},"text":"m${index}","data":${DATA}}]}`
      expect((await send('PATCH', path, change)).text).toContain(LONG)
      await send('PATCH', path, `{"title":"t","lines":[{"id":${line},"text":"l"}]}`)
    }
    expect(await textOf(path)).toBe(shown)
  })

  test('is refused at its place where another digit is changed, or another part of the same JSON', async () => {
    const other = DATA.replaceAll(LONG, LONG.replace('90', '91'))
    expect(await places('PATCH', path, `{"data":${other}}`)).toEqual([400, ['/data/n', '/data/list/0/id']])
    const changed = DATA.replace('"x":1', '"x":2')
    const rounded = changed.replaceAll(LONG, ROUNDED)
    for (const data of [changed, rounded]) {
      const both = ['/data/n', '/data/list/0/id']
      const below = (at: string) => both.map((pointer) => `${at}${pointer}`).sort()
      const sorted = async (...request: Parameters<typeof places>) => {
        const [status, found] = await places(...request)
        return [status, [...found].sort()]
      }
      expect(await sorted('PATCH', path, `{"data":${data}}`)).toEqual([400, below('')])
      expect(await sorted('PATCH', '/api/order', `[{"id":${path.split('/').at(-1)},"data":${data}}]`)).toEqual([
        400,
        below('/0'),
      ])
      expect(await sorted('PATCH', path, `{"address":{"data":${data}}}`)).toEqual([400, below('/address')])
      const ofLine = `{"lines":[{"id":${line},"data":${data}}]}`
      expect(await sorted('PATCH', path, ofLine)).toEqual([400, below('/lines/0')])
      expect(await sorted('PATCH', `/api/line/${line}`, `{"data":${data}}`)).toEqual([400, below('')])
      expect(await sorted('PATCH', tree, `{"data":${data}}`)).toEqual([400, below('')])
    }
    // A part that is taken away takes its digits with it.
    expect((await send('PATCH', path, '{"data":{"x":2,"n":"12345678901234567890"}}')).status).toBe(200)
  })

  test('may be no number of JavaScript at all: null in its place is a change, and has to fit', async () => {
    await store('{"n":1e400,"x":1}')
    for (const url of [path, tree]) {
      const shown = await textOf(url)
      const statements = await service.statements(async () => {
        expect(await send('PUT', url, shown)).toEqual({ status: 200, text: shown })
      })
      expect(updatesIn(statements)).toEqual([])
      expect(await places('PATCH', url, '{"data":{"n":1e400,"x":2}}')).toEqual([400, ['/data/n']])
      const { status } = await send('PATCH', url, '{"data":{"n":null,"x":1}}')
      expect([status, JSON.parse(await textOf(url)).data]).toEqual([200, { n: null, x: 1 }])
    }
  })
})

const prices = defineResources({ price: { fields: { text: Type.String(), amount: Type.Number() } } })

describeOnBoth('a number of more digits than JavaScript has, in a column of its own', (database) => {
  const id = database.name === 'postgres' ? 'bigint generated by default as identity' : 'integer'
  const columns = `id ${id} primary key, text text not null, amount numeric not null`
  const service = useApp(database, prices, {
    tables: async ({ db }) => void (await sql.raw(`create table price (${columns})`).execute(db)),
    plugin: { handlers: {} },
  })

  test('can be sent back, and is refused where it is changed', async () => {
    const { rows } = await sql<{ id: Id }>`insert into price (text, amount) values ('a', 1234567890123456789)
      returning id`.execute(service.db)
    const path = `/api/price/${rows[0]?.id}`
    const { payload } = await service.fastify.inject(path)
    expect(payload).toContain('1234567890123456789')
    for (const body of [payload, JSON.stringify(JSON.parse(payload))]) {
      const answer = await service.raw('PUT', path, body.replace('"a"', '"b"'))
      expect([answer.status, answer.body.text]).toEqual([200, 'b'])
      expect((await service.fastify.inject(path)).payload).toContain('1234567890123456789')
    }
    const { status, body } = await service.raw('PATCH', path, '{"amount":1234567890123456788}')
    expect([status, body.errors]).toMatchObject([400, [{ pointer: '/amount', keyword: 'maximum' }]])
  })
})
