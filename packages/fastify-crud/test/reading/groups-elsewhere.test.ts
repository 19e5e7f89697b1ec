import { Type } from '@sinclair/typebox'
import { countOf, defineResources, field, needs, ownedBy, owns, sumOf } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { describeOnOpened } from '../../../../test/support/describe-on-databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { caller, headersOf } from '../policies/support/as-caller.ts'
import { expectRefused } from './support/expect-refused.ts'

const money = Type.String({ format: 'decimal' })

const shop = defineResources({
  customer: {
    id: 'uuid',
    fields: { name: Type.String(), rank: Type.Optional(Type.Integer({ access: { View: ['boss'], Edit: ['boss'] } })) },
  },
  invoice: {
    groups: true,
    fields: { day: Type.String({ format: 'date' }), paidAt: Type.Optional(Type.String({ format: 'date-time' })) },
    relations: { customer: needs.one('customer'), lines: owns.many('line') },
    computed: { total: sumOf('lines', 'amount'), size: countOf('lines') },
  },
  line: {
    groups: true,
    topLevel: true,
    fields: { text: Type.String(), amount: money },
    relations: { invoice: ownedBy('invoice') },
  },
})

describeOnOpened('groups of what is computed, owned and hidden', (database) => {
  const service = useApp(database, shop, { plugin: { caller } })
  const line = (amount: string) => ({ text: 'x', amount })

  async function fill() {
    const [ada, bo] = [
      (await service.add('/api/customer', { name: 'Ada' })).id,
      (await service.add('/api/customer', { name: 'Bo' })).id,
    ]
    const days = ['2026-01-31', '2026-02-01', '2026-02-02']
    const first = await service.add('/api/invoice', {
      ...{ day: days[0], customerId: ada, paidAt: '2026-02-01T00:30:00+01:00' },
      lines: [line('1.10'), line('2.20')],
    })
    await service.add('/api/invoice', { day: days[1], customerId: ada, lines: [line('0.05')] })
    await service.add('/api/invoice', { day: days[2], customerId: bo, lines: [] })
    return { ada, bo, first: first.id }
  }

  test('computed fields are keys and values', async () => {
    const { ada, bo } = await fill()
    const { rows } = await service.read(
      '/api/invoice/$group?by=customerId,customer.name&values=sum(total),max(total),sum(size)&sort=customer.name',
    )
    expect(rows).toEqual([
      { customerId: ada, 'customer.name': 'Ada', 'sum(total)': '3.35', 'max(total)': '3.30', 'sum(size)': '3' },
      { customerId: bo, 'customer.name': 'Bo', 'sum(total)': '0', 'max(total)': '0', 'sum(size)': '0' },
    ])
    expect((await service.read('/api/invoice/$group?by=size')).rows).toEqual([
      { size: 0, 'count()': 1 },
      { size: 1, 'count()': 1 },
      { size: 2, 'count()': 1 },
    ])
  })

  test('owned records are grouped below their owner, and at the top', async () => {
    const { first } = await fill()
    expect(await service.read(`/api/invoice/${first}/line/$group?values=sum(amount)`)).toEqual({
      rows: [{ 'sum(amount)': '3.30' }],
      count: 1,
    })
    const all = await service.read('/api/line/$group?by=month(invoice.day)&values=sum(amount),avg(amount)')
    expect(all.rows).toEqual([
      { 'month(invoice.day)': '2026-01', 'sum(amount)': '3.30', 'avg(amount)': '1.65' },
      { 'month(invoice.day)': '2026-02', 'sum(amount)': '0.05', 'avg(amount)': '0.05' },
    ])
    expect((await service.read('/api/line/$group?by=invoiceId&limit=1')).rows).toEqual([
      { invoiceId: first, 'count()': 2 },
    ])
    expectProblem(await service.get('/api/invoice/999999/line/$group'), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a field that the caller may not see is an unknown name', async () => {
    await fill()
    const as = (query: string, ...roles: string[]) =>
      service.request('GET', `/api/invoice/$group?${query}`, undefined, headersOf({ roles }))
    for (const query of ['by=customer.rank', 'values=max(customer.rank)', 'values=count(customer.rank)'])
      expectRefused(await as(query), "has no 'rank'")
    expect((await as('values=count(customer.rank)', 'boss')).body.rows).toEqual([{ 'count(customer.rank)': 0 }])
  })

  test('more rows than may be grouped are refused', async () => {
    const small = await buildApp(database, shop, { plugin: { caller, limits: { groupRows: 2 } } })
    try {
      const { id } = await small.add('/api/customer', { name: 'Ada' })
      for (const day of ['2026-01-01', '2026-01-02'])
        await small.add('/api/invoice', { day, customerId: id, lines: [] })
      expect((await small.read('/api/invoice/$group')).rows).toEqual([{ 'count()': 2 }])
      await small.add('/api/invoice', { day: '2026-01-03', customerId: id, lines: [] })
      expectRefused(await small.get('/api/invoice/$group?by=day'), 'filter: matches more than 2 records')
      expect((await small.read('/api/invoice/$group?filter[day][gt]=2026-01-01')).rows).toEqual([{ 'count()': 2 }])
    } finally {
      await small.close()
    }
  })

  test('there are none without `groups`, and the answer names what is missing', async () => {
    const { errors } = (await service.get('/api/customer/$group?by=name')).body
    expect(errors).toMatchObject([{ parameter: 'id', message: expect.stringContaining("'groups: true'") }])
    const { errors: others } = (await service.get('/api/customer/$x')).body
    expect(others).toMatchObject([{ parameter: 'id', message: 'the id in the path must be an id: a UUID' }])
  })

  test('there are none where the list is replaced', async () => {
    const list = {
      access: { action: 'View' as const },
      handler: async (_: unknown, reply: { send(body: unknown): void }) => reply.send({}),
    }
    const replaced = await buildApp(database, shop, { plugin: { caller, handlers: { invoice: { list } } } })
    try {
      expectProblem(await replaced.get('/api/invoice/$group'), { code: 'CRUD_ERR_METHOD' })
      expect((await replaced.get('/api/line/$group')).status).toBe(200)
    } finally {
      await replaced.close()
    }
  })
})

describeOnOpened('groups of columns that spell values in their own way', (database) => {
  const isPostgres = database.name === 'postgres'
  const log = defineResources({
    log: {
      groups: true,
      fields: {
        at: Type.String({ format: 'date-time' }),
        local: field(Type.String({ format: 'date-time' }), {
          stored: isPostgres ? { zone: 'Europe/Vienna' } : 'milliseconds',
        }),
        isDone: isPostgres ? Type.Boolean() : field(Type.Boolean(), { stored: 'tf' }),
        kind: Type.Union([Type.Literal('b'), Type.Literal('a')]),
      },
    },
  })
  const service = useApp(database, log, {
    tables: async ({ db }) => {
      if (isPostgres) await db.schema.createType('log_kind').asEnum(['b', 'a']).execute()
      const types = isPostgres
        ? 'at timestamptz not null, local timestamp not null, "isDone" boolean not null, kind log_kind not null'
        : `at text not null, local integer not null, "isDone" text not null, kind text not null`
      const id = isPostgres
        ? 'integer generated by default as identity primary key'
        : 'integer primary key autoincrement'
      await sql.raw(`create table log (id ${id}, ${types})`).execute(db)
    },
  })

  test('show and compare them as records do', async () => {
    for (const [at, kind] of [
      ['2026-03-31T23:30:00Z', 'a'],
      ['2026-04-01T01:30:00+02:00', 'b'],
      ['2026-04-02T00:00:00Z', 'a'],
    ])
      await service.add('/api/log', { at, local: at, isDone: kind === 'a', kind })
    const { rows } = await service.read('/api/log/$group?by=isDone,kind&values=count(),min(local),max(at)')
    expect(rows.map((row: object) => Object.values(row).map((value) => String(value).replace('.000', '')))).toEqual([
      ['false', 'b', '1', '2026-03-31T23:30:00Z', isPostgres ? '2026-03-31T23:30:00Z' : '2026-04-01T01:30:00+02:00'],
      ['true', 'a', '2', '2026-03-31T23:30:00Z', '2026-04-02T00:00:00Z'],
    ])
    for (const of of ['at', 'local']) {
      const byMonth = await service.read(`/api/log/$group?by=month(${of})&timeZone=Europe/Vienna`)
      expect(byMonth.rows).toEqual([{ [`month(${of})`]: '2026-04', 'count()': 3 }])
      const inUtc = await service.read(`/api/log/$group?by=month(${of})&values=count(),max(kind)`)
      expect(inUtc.rows).toEqual([
        { [`month(${of})`]: '2026-03', 'count()': 2, 'max(kind)': 'b' },
        { [`month(${of})`]: '2026-04', 'count()': 1, 'max(kind)': 'a' },
      ])
      expect((await service.read(`/api/log/$group?by=${of}`)).rows).toHaveLength(2)
    }
  })
})
