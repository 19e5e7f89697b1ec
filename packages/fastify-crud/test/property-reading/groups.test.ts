import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { defineResources, needs } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { buildApp } from '../../../../test/support/app.ts'
import { openedSetups } from '../../../../test/support/databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { report } from '../../../../test/support/report.ts'
import { seed } from '../../../../test/support/seed.ts'
import type { JsonObject } from '../property/json.ts'
import { callOf, type GroupsAsked, groupsOf, plainDecimal, typeOfName } from './reference-groups.ts'
import type { ValueType } from './value-types.ts'

/*
 * Groups of random records, asked for at random, beside a reference that is evaluated in memory.
 *
 * FC_SEED replays a failure.
 */

const optional = Type.Optional
const resources = defineResources({
  shop: { fields: { name: optional(Type.String()), since: Type.String({ format: 'date' }) } },
  sale: {
    groups: true,
    fields: {
      text: optional(Type.String()),
      n: optional(Type.Integer()),
      x: optional(Type.Number()),
      cost: optional(Type.String({ format: 'decimal' })),
      at: optional(Type.String({ format: 'date-time' })),
      day: optional(Type.String({ format: 'date' })),
      isOpen: optional(Type.Boolean()),
      state: optional(Type.Union([Type.Literal('new'), Type.Literal('done')])),
    },
    relations: { shop: needs.one('shop') },
  },
})

const TYPES: Readonly<Record<string, ValueType>> = {
  text: 'string',
  n: 'integer',
  x: 'number',
  cost: 'decimal',
  at: 'date-time',
  day: 'date',
  isOpen: 'boolean',
  state: 'enum',
  id: 'id',
  shopId: 'id',
  'shop.name': 'string',
  'shop.since': 'date',
}
const typeOf = (path: string) => TYPES[path] ?? expect.fail(`there is no ${path}`)
const paths = Object.keys(TYPES)
const pathsOf = (...types: ValueType[]) => paths.filter((path) => types.includes(typeOf(path)))

const rare = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })
const text = fc.constantFrom('', 'a', 'A', 'ä', 'b', '\ud7ff', '\ue000', '\u{10000}', '😀', "o'clock")
const date = fc.constantFrom('0099-12-31', '1999-12-31', '2026-03-28', '2026-03-29', '2026-10-25')
const clock = fc.constantFrom('00:30:00Z', '01:30:00+01:00', '23:59:59.999Z', '12:00:00.5Z', '13:00:00.500+01:00')
const decimal = fc.constantFrom('0', '-0.00', '1.5', '1.50', '-2', '0.001', '99999999999999999999.99', '-0.3333')

const anySale = fc.record({
  text: rare(text),
  n: rare(fc.constantFrom(0, -1, 7, 2 ** 53 - 1, -(2 ** 53 - 1))),
  x: rare(fc.constantFrom(0, -0.5, 0.25, 1024, 1e6)),
  cost: rare(decimal),
  at: rare(fc.tuple(date, clock).map(([day, time]) => `${day}T${time}`)),
  day: rare(date),
  isOpen: rare(fc.boolean()),
  state: rare(fc.constantFrom('new', 'done')),
  shop: fc.nat(2),
})

const anyKey = fc.oneof(
  fc.constantFrom(...paths),
  fc
    .tuple(fc.constantFrom('year', 'quarter', 'month', 'week', 'day'), fc.constantFrom(...pathsOf('date', 'date-time')))
    .map(([word, path]) => `${word}(${path})`),
)
const anyValue = fc.oneof(
  fc.constant('count()'),
  fc
    .tuple(fc.constantFrom('count', 'countDistinct'), fc.constantFrom(...paths))
    .map(([word, path]) => `${word}(${path})`),
  fc
    .tuple(fc.constantFrom('sum', 'avg'), fc.constantFrom(...pathsOf('integer', 'number', 'decimal')))
    .map(([word, path]) => `${word}(${path})`),
  fc
    .tuple(
      fc.constantFrom('min', 'max'),
      fc.constantFrom(...pathsOf('string', 'integer', 'number', 'decimal', 'date', 'date-time', 'enum')),
    )
    .map(([word, path]) => `${word}(${path})`),
)

const anyAsked = fc
  .record({
    by: fc.uniqueArray(anyKey, { maxLength: 4 }),
    values: fc.uniqueArray(anyValue, { minLength: 1, maxLength: 6 }),
    timeZone: fc.constantFrom('UTC', 'Europe/Vienna', 'America/New_York', 'Asia/Kathmandu'),
    least: fc.option(fc.nat(4), { nil: undefined }),
    isFiltered: fc.boolean(),
  })
  .chain((asked) =>
    fc
      .uniqueArray(fc.constantFrom(...asked.by, ...asked.values), { maxLength: 3 })
      .chain((names) => fc.tuple(...names.map((name) => fc.constantFrom(name, `-${name}`))))
      .map((sort) => ({ ...asked, sort: sort as string[] })),
  )

type Asked = typeof anyAsked extends fc.Arbitrary<infer A> ? A : never

function queryOf({ by, values, sort, timeZone, least, isFiltered }: Asked): string {
  const hasZone = by.some((name) => callOf(name).word !== undefined && typeOf(callOf(name).path) === 'date-time')
  const parameters = {
    limit: '100',
    values: [...new Set([...values, 'count()'])].join(),
    ...(by.length > 0 && { by: by.join() }),
    ...(sort.length > 0 && { sort: sort.join() }),
    ...(hasZone && { timeZone }),
    ...(least !== undefined && { having: JSON.stringify({ 'count()': { gte: least } }) }),
    ...(isFiltered && { filter: JSON.stringify({ n: { null: false } }) }),
  }
  return String(new URLSearchParams(parameters))
}

/** Spellings of equal ends, and the last digits of numbers, may differ. */
function comparable(row: JsonBody): JsonBody {
  const entries = Object.entries(row as JsonObject).map(([name, value]) => {
    const { word, path } = callOf(name)
    if (value === null || word === undefined) return [name, value]
    if (word === 'avg' && typeOf(path) === 'number') return [name, Number(value).toPrecision(12)]
    if (word !== 'min' && word !== 'max') return [name, value]
    if (typeOf(path) === 'date-time') return [name, Date.parse(String(value))]
    return [name, typeOf(path) === 'decimal' ? plainDecimal(String(value)) : value]
  })
  return Object.fromEntries(entries)
}

// Others cannot compare decimals on SQLite.
describe.each(openedSetups)('groups at random ($title)', (database) => {
  test('are those of the reference', async () => {
    report(`property test of groups (${database.title}): FC_SEED=${seed}`)
    const service = await buildApp(database, resources, { plugin: { limits: { maxPage: 1_000, maxCost: 10_000 } } })
    try {
      const shops: JsonBody[] = []
      for (const name of ['b', 'a', null]) shops.push(await service.add('/api/shop', { name, since: '2026-01-31' }))
      for (const { shop, ...sale } of fc.sample(anySale, { seed, numRuns: 40 }))
        await service.add('/api/sale', { ...sale, shopId: shops[shop].id })
      const { rows: records } = await service.read('/api/sale?limit=1000')
      await fc.assert(
        fc.asyncProperty(anyAsked, async (asked) => {
          const values = [...new Set([...asked.values, 'count()'])]
          const found = (asked.isFiltered ? records.filter(({ n }: JsonBody) => n !== null) : records) as JsonObject[]
          const expected = groupsOf(found, { ...asked, values } satisfies GroupsAsked, typeOf).filter(
            (row) => asked.least === undefined || Number(row['count()']) >= asked.least,
          )
          const query = queryOf(asked)
          const { rows, count } = await service.read(`/api/sale/$group?${query}`)
          expect([decodeURIComponent(query), rows.map(comparable)]).toEqual([
            decodeURIComponent(query),
            expected.slice(0, 100).map((row) => comparable(row)),
          ])
          expect(count).toBe(expected.length)
        }),
        { seed, numRuns: isLong ? 2_000 : 60 },
      )
    } finally {
      await service.close()
    }
  }, 600_000)

  test('have a reference that knows the type of each name', () => {
    expect(
      ['n', 'sum(n)', 'sum(x)', 'avg(cost)', 'min(at)', 'count()', 'month(at)'].map((name) => typeOfName(name, typeOf)),
    ).toEqual(['integer', 'decimal', 'number', 'decimal', 'date-time', 'integer', 'string'])
  })
})
