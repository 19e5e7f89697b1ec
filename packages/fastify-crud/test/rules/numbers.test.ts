import { numbers, set } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { crudOf } from './support/crud-of.ts'
import { withRules } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

const invoices = defineResources({
  office: { fields: { name: Type.String() }, relations: { invoices: neededBy.many('invoice') } },
  invoice: {
    fields: {
      series: Type.String({ default: 'A' }),
      number: Type.Integer(),
      code: Type.Optional(Type.String()),
      year: Type.Optional(Type.Integer()),
    },
    relations: { office: needs.one('office'), lines: owns.many('line'), first: knows.one('invoice') },
    unique: [['series', 'number']],
  },
  line: {
    fields: { text: Type.String(), position: Type.Integer(), badge: Type.Optional(Type.String()) },
    relations: { invoice: ownedBy('invoice'), parts: owns.many('part') },
  },
  part: { fields: { name: Type.String(), tag: Type.String() }, relations: { line: ownedBy('line') } },
})

const seen: unknown[] = []
const rules = {
  invoice: [
    set({ year: () => 2026 }),
    numbers('number', { per: [({ now }) => now.getUTCFullYear(), 'series'] }),
    {
      validate({ after, refuse }: JsonBody) {
        seen.push(after?.number)
        if (after?.series === 'refused') refuse('no such series')
      },
    },
  ],
  line: numbers('position', { start: 10 }),
  part: numbers('tag', { per: ['name'], format: (number, row) => `${row.name}-${number}` }),
}

describeOnBoth('`numbers()`', (database) => {
  const service = useApp(database, invoices, withRules(rules))
  const add = async (body: object): Promise<JsonBody> => {
    const { id } = await service.add('/api/office', { name: 'o' })
    return await service.add('/api/invoice', { officeId: id, ...body })
  }

  test('gives each new row the next number, from 1', async () => {
    const given = []
    for (let n = 0; n < 3; n++) given.push((await add({})).number)
    expect(given).toEqual([1, 2, 3])
  })

  test('counts each group by itself', async () => {
    const given = []
    for (const series of ['A', 'B', 'A', 'B']) given.push((await add({ series })).number)
    expect(given).toEqual([1, 1, 2, 2])
    // No text of one group is that of another.
    expect((await add({ series: 'A"]' })).number).toBe(1)
  })

  test('follows the order of the body at any depth, also across owners', async () => {
    const lines = ['a', 'b', 'c'].map((text) => ({ text, parts: [{ name: 'x' }, { name: text }, { name: 'x' }] }))
    const invoice = await add({ lines })
    expect(invoice.lines.map(({ text, position }: JsonBody) => [text, position])).toEqual([
      ['a', 10],
      ['b', 11],
      ['c', 12],
    ])
    const tags = invoice.lines.flatMap(({ parts }: JsonBody) => parts.map(({ tag }: JsonBody) => tag))
    expect(tags).toEqual(['x-1', 'a-1', 'x-2', 'x-3', 'b-1', 'x-4', 'x-5', 'c-1', 'x-6'])
  })

  test('numbers what a PUT, a PATCH and a nested POST add, and leaves what is there', async () => {
    const { id, lines, ...invoice } = await add({ lines: [{ text: 'a' }] })
    const path = `/api/invoice/${id}`
    const patched = await service.patch(path, { lines: [{ text: 'b' }] })
    expect(patched.body.lines).toMatchObject([{ position: 10 }, { position: 11 }])
    expect(await service.add(`${path}/line`, { text: 'c' })).toMatchObject({ position: 12 })
    const body = { ...invoice, lines: [...lines, { text: 'd' }, { text: 'e' }] }
    const put = await service.put(path, body)
    expect(put.status, JSON.stringify(put.body)).toBe(200)
    expect(put.body).toMatchObject({ number: 1, lines: [{ position: 10 }, { position: 13 }, { position: 14 }] })
  })

  test('tells `validate` the number, before the row is written', async () => {
    await add({})
    seen.length = 0
    await add({})
    expect(seen).toEqual([2])
  })

  test('leaves no gap where a write is refused, whatever refuses it', async () => {
    const first = await add({})
    const { officeId } = first
    await service.refuse('POST', '/api/invoice', { officeId, series: 'refused' }, { code: 'CRUD_ERR_REFUSED' })
    const unknown = { officeId: officeId + 1_000, series: 'A' }
    await service.refuse('POST', '/api/invoice', unknown, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    // Somebody else has written a row with the next number.
    await service.db.updateTable('crud_numbers').set({ last: 0 }).where('counter', '=', 'invoice.number').execute()
    await service.refuse('POST', '/api/invoice', { officeId }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await service.db.updateTable('crud_numbers').set({ last: 1 }).where('counter', '=', 'invoice.number').execute()
    expect((await add({})).number).toBe(2)
  })

  test('reserves nothing in a dry run, which answers with the number that it would be', async () => {
    const { officeId } = await add({})
    const dry = await service.request('POST', '/api/invoice', { officeId }, { prefer: 'tx=rollback' })
    expect(dry).toMatchObject({ status: 201, body: { number: 2 } })
    expect((await add({})).number).toBe(2)
  })

  test('is read-only in bodies: POST and PATCH are refused, PUT passes over it', async () => {
    const invoice = await add({})
    const path = `/api/invoice/${invoice.id}`
    const expected = { code: 'CRUD_ERR_INVALID', pointers: ['/number'] } as const
    await service.refuse('POST', '/api/invoice', { officeId: invoice.officeId, number: 7 }, expected)
    await service.refuse('PATCH', path, { number: 7 }, expected)
    expect(await service.put(path, { ...invoice, number: 7 })).toMatchObject({ status: 200, body: { number: 1 } })
  })

  test('costs a request without new rows nothing', async () => {
    const { id } = await add({ lines: [{ text: 'a' }] })
    const statements = await service.statements(async () => {
      await service.patch(`/api/invoice/${id}`, { code: 'c' })
      await service.delete(`/api/invoice/${id}`)
    })
    expect(writesIn(statements).length).toBeGreaterThan(0)
    expect(statements.filter((one) => one.includes('crud_numbers'))).toEqual([])
  })

  test('holds in an application’s own transaction, and ends with it', async () => {
    const { officeId } = await add({})
    const crud = crudOf(service)
    const create = (db: typeof service.db) => crud.in(db).resource('invoice').create({ officeId })
    const failed = service.db.transaction().execute(async (transaction) => {
      expect(await create(transaction)).toMatchObject({ number: 2 })
      const refused = crud.in(transaction).resource('invoice').create({ officeId, series: 'refused' })
      await expect(refused).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
      expect(await create(transaction)).toMatchObject({ number: 3 })
      throw new Error('undone')
    })
    await expect(failed).rejects.toThrow('undone')
    await service.db.transaction().execute(async (transaction) => {
      expect(await create(transaction)).toMatchObject({ number: 2 })
    })
    expect((await add({})).number).toBe(3)
  })

  test('begins where a query says, in a table that has rows already', async () => {
    const { officeId } = await add({ series: 'S' })
    await service.db.updateTable('invoice').set({ number: 41 }).where('series', '=', 'S').execute()
    let asked = 0
    const store = storeWith(service.db, invoices, {
      invoice: numbers('number', {
        per: ['series', () => 'of the query'],
        async start({ db, row }) {
          asked += 1
          const highest = db.selectFrom('invoice').select(({ fn }) => fn.max('number').as('last'))
          const { last } = await highest.where('series', '=', row.series).executeTakeFirstOrThrow()
          return Number(last ?? 0) + 1
        },
      }),
      line: numbers('position'),
      part: numbers('tag', { format: String }),
    })
    const given = []
    for (const series of ['S', 'S', 'T'])
      given.push((await store.resource('invoice').create({ officeId, series })).number)
    expect(given).toEqual([42, 43, 1])
    expect(asked).toBe(2)
  })

  test('fails where `start`, `per` or `format` give what does not fit', async () => {
    const { officeId } = await add({})
    const others = { line: numbers('position'), part: numbers('tag', { format: String }) }
    const wrong = [
      [{ start: () => 'x' }, /'start' of 'number' must give an integer, not x/],
      [{ per: [() => ({})] }, /'per' of 'number' must give texts/],
      [{ format: () => 'x' }, /gives to 'number' does not fit/],
    ] as const
    for (const [options, message] of wrong) {
      const store = storeWith(service.db, invoices, { ...others, invoice: numbers('number', options as object) })
      await expect(store.resource('invoice').create({ officeId })).rejects.toThrow(message)
    }
    expect((await add({})).number).toBe(2)
  })
})

test('the start names every mistake in `numbers`', () => {
  const start = (rule: object) => () => storeWith({} as never, invoices, { line: rule })
  const anyOptions = (options: object) => numbers('position', options as object)
  expect(start(numbers('posision'))).toThrow("numbers: line has no field 'posision'; did you mean 'position'?")
  expect(start(numbers('text'))).toThrow("numbers: 'text' does not accept numbers")
  expect(start(anyOptions({ par: [] }))).toThrow("numbers: there is no option 'par'; did you mean 'per'?")
  expect(start(anyOptions({ per: 'text' }))).toThrow("numbers: 'per' must be a list")
  expect(start(anyOptions({ per: ['invoiceId'] }))).toThrow('is the foreign key of the owner of the line')
  expect(start(anyOptions({ per: ['txt'] }))).toThrow("line has no field or foreign key 'txt'")
  expect(start(anyOptions({ start: 1.5 }))).toThrow("numbers: 'start' must be an integer")
  expect(start(anyOptions({ format: 'x' }))).toThrow("numbers: 'format' must be a function")
  expect(() => storeWith({} as never, invoices, { line: [numbers('position'), set({ position: () => 1 })] })).toThrow(
    "two rules set 'position'",
  )
})

describeOnBoth('Without the table of `numbers`', (database) => {
  test('the start fails, and so does a write, and both say what to do', async () => {
    const open = await database.open()
    try {
      const resources = defineResources({ book: { fields: { title: Type.String(), rank: Type.Integer() } } })
      await createTables(open.db, resources)
      await open.db.schema.dropTable('crud_numbers').execute()
      const ruled = { book: numbers('rank') }
      const missing = /the table crud_numbers is missing: createTables creates it/
      const app = Fastify()
      await app.register(crudPlugin, { db: open.db, resources, rules: ruled })
      await expect(app.ready()).rejects.toThrow(missing)
      const store = storeWith(open.db, resources, ruled)
      await expect(store.resource('book').create({ title: 'Ink' })).rejects.toThrow(missing)
    } finally {
      await open.close()
    }
  })
})
