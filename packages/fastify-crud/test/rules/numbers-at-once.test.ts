import { numbers } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { openPostgres } from 'fastify-crud/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../../test/support/databases.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { type Judged, withRules } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

const orders = defineResources({
  order: {
    fields: { series: Type.String(), number: Type.Integer(), code: Type.String() },
    relations: { items: owns.many('item') },
    unique: [['code'], ['series', 'number']],
  },
  item: {
    fields: { kind: Type.String(), number: Type.Integer() },
    relations: { order: ownedBy('order') },
    unique: [['kind', 'number']],
  },
})

const rules = {
  order: [
    numbers('number', { per: ['series'] }),
    {
      validate({ after, refuse }: Judged) {
        if (after?.code.startsWith('refused')) refuse('no such code')
      },
    },
  ],
  item: numbers('number', { per: ['kind'] }),
}

const KINDS = ['a', 'b', 'c']

/** Every request has another order of kinds, and so of counters. */
function orderOf(n: number, code: string): JsonBody {
  const items = KINDS.map((_, index) => ({ kind: KINDS[(n * (1 + (n % 2)) + index * (1 + (n % 2))) % KINDS.length] }))
  return { series: n % 3 === 0 ? 'X' : 'Y', code, items }
}

function expectNoGaps(rows: readonly JsonBody[], group: string, least: number): void {
  const groups = Map.groupBy(rows, (row) => row[group])
  for (const [name, some] of groups) {
    const given = some.map(({ number }) => number).sort((one, other) => one - other)
    expect(given, name).toEqual(given.map((_, index) => index + 1))
  }
  expect(rows.length).toBeGreaterThanOrEqual(least)
}

describeServersOnDatabases('`numbers()` under concurrent writes of several servers', (database) => {
  const servers = useServers(database, orders, withRules(rules))

  test('leaves no gap and gives none twice, with refusals and unique violations in between', async () => {
    let created = 0
    for (let round = 0; round < 4; round++) {
      const requests = Array.from({ length: 16 }, (_, n): Request => {
        // Two of four have the same code, and one is refused by a rule.
        const code = n % 4 === 0 ? `refused ${n}` : `${round} ${n % 4 === 1 ? n + 1 : n}`
        return ['POST', '/api/order', orderOf(n, code)]
      })
      const answers = await servers.atOnce(...requests)
      const results = answers.map(resultOf)
      expect(results.filter((one) => one === '409 CRUD_ERR_REFUSED')).toHaveLength(4)
      expect(results.filter((one) => one === '409 CRUD_ERR_NOT_UNIQUE')).toHaveLength(4)
      expect(results.filter((one) => one === '201')).toHaveLength(8)
      created += 8
    }
    const { rows } = await servers.one.read('/api/order?limit=100')
    expect(rows).toHaveLength(created)
    expectNoGaps(rows, 'series', created)
    expectNoGaps(
      rows.flatMap(({ items }: JsonBody) => items),
      'kind',
      created * KINDS.length,
    )
  })

  test('also where owners’ trees are written, each with a lock of its own', async () => {
    const ids: number[] = []
    for (let n = 0; n < 4; n++) ids.push((await servers.one.add('/api/order', orderOf(n, `tree ${n}`))).id)
    const requests = Array.from({ length: 12 }, (_, n): Request => {
      const path = `/api/order/${ids[n % ids.length]}`
      const { items } = orderOf(n, '')
      return n % 2 === 0 ? ['PATCH', path, { items }] : ['POST', `${path}/item`, items[0]]
    })
    const answers = await servers.atOnce(...requests)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]))
    const { rows } = await servers.one.read('/api/order')
    const items = rows.flatMap((row: JsonBody) => row.items)
    expectNoGaps(items, 'kind', 4 * 3 + 6 * 3 + 6)
  })
})

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('writers that need the same counters in opposite orders (postgres)', () => {
  let open: OpenDatabase
  const pools: TestKysely[] = []
  const codes: unknown[] = []

  beforeAll(async () => {
    open = await postgres.open()
    await createTables(open.db, orders)
    for (let n = 0; n < 2; n++) {
      const log = ({ level, error }: { readonly level: string; readonly error?: unknown }) => {
        if (level === 'error') codes.push((error as { code?: unknown }).code)
      }
      pools.push(openPostgres(open.location, { max: 6, log }))
    }
  })

  afterAll(async () => {
    for (const db of pools) await db.destroy()
    await open.close()
  })

  test('wait for each other, and never in a circle', async () => {
    const stores = pools.map((db) => storeWith(db, orders, { order: numbers('number'), item: rules.item }))
    for (let round = 0; round < 15; round++) {
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => {
          const items = n % 2 === 0 ? KINDS : [...KINDS].reverse()
          const body = { series: 's', code: `${round} ${n}`, items: items.map((kind) => ({ kind })) }
          return stores[n % 2]?.resource('order').create(body)
        }),
      )
    }
    expect(codes.filter((code) => code === '40P01')).toEqual([])
    const rows = await open.db.selectFrom('item').selectAll().execute()
    expectNoGaps(
      rows.map((row) => ({ ...row, number: Number(row.number) })),
      'kind',
      15 * 12 * 3,
    )
  })
})
