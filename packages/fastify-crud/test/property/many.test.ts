import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { defineResources, needs } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { buildApp, type TestApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { seed } from '../../../../test/support/seed.ts'

// A write of many records leaves what the same changes leave in memory, where they are all made before anything is checked. It is refused as a
// whole, and only if what they leave breaks a rule of the model.

const resources = defineResources({
  maker: { fields: { name: Type.String() } },
  item: {
    fields: { code: Type.String(), title: Type.Optional(Type.String()), price: Type.Integer({ default: 0 }) },
    relations: { maker: needs.one('maker') },
    unique: [['code'], ['maker', 'title']],
  },
})

interface Item {
  readonly id: number
  readonly code: string
  readonly title: string | null
  readonly price: number
  readonly makerId: number
}

/** What a request is to do, in small numbers: items are named by their place among those that are there. */
type Step =
  | { readonly step: 'create'; readonly rows: readonly NewItem[] }
  | { readonly step: 'patch'; readonly rows: readonly (Partial<NewItem> & { readonly at: number })[] }
  | { readonly step: 'upsert'; readonly rows: readonly NewItem[] }
  | {
      readonly step: 'patch matching' | 'delete matching'
      readonly from: number
      readonly most: number
      readonly price: number
    }

interface NewItem {
  readonly code: string
  readonly title: string | null
  readonly price: number
  readonly maker: number
}

const code = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const title = fc.option(fc.constantFrom('x', 'y', 'z'))
const price = fc.nat(5)
/** There are two. */
const maker = fc.nat(2)
const newItem = fc.record({ code, title, price, maker })
const rowsOf = <Row>(row: fc.Arbitrary<Row>) => fc.array(row, { minLength: 1, maxLength: 5 })

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ step: fc.constant('create' as const), rows: rowsOf(newItem) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('patch' as const),
      rows: rowsOf(fc.record({ at: fc.nat(6), code, title, price, maker }, { requiredKeys: ['at'] })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ step: fc.constant('upsert' as const), rows: rowsOf(newItem) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constantFrom('patch matching' as const, 'delete matching' as const),
      from: price,
      most: fc.nat(6),
      price,
    }),
  },
)

const DONE = 200
const CREATED = 201
const INVALID = 400
const MISSING = 404
const CONFLICT = 409

interface Outcome {
  readonly status: number
  readonly items: readonly Omit<Item, 'id'>[]
}

class Reference {
  items: readonly Item[]
  readonly makers: readonly number[]

  constructor(items: readonly Item[], makers: readonly number[]) {
    this.items = items
    this.makers = makers
  }

  /** The status, and what is there afterwards. */
  after(step: Step): Outcome {
    const changed = this.changed(step)
    const status = typeof changed === 'number' ? changed : this.refusalOf(changed)
    if (status !== undefined) return { status, items: this.items }
    const items = changed as readonly Omit<Item, 'id'>[]
    return { status: step.step === 'create' ? CREATED : DONE, items }
  }

  changed(step: Step): readonly Omit<Item, 'id'>[] | number {
    const { items } = this
    switch (step.step) {
      case 'create':
        return [...items, ...step.rows.map((row) => this.toItem(row))]
      case 'patch': {
        const places = step.rows.map(({ at }) => at)
        if (places.some((at) => items[at] === undefined)) return MISSING
        if (new Set(places).size < places.length) return INVALID
        return items.map((item, at) => {
          const row = step.rows.find((one) => one.at === at)
          return row === undefined ? item : { ...item, ...this.parts(row) }
        })
      }
      case 'upsert': {
        const found = step.rows.filter((row) => items.some((item) => item.code === row.code))
        if (new Set(found.map((row) => row.code)).size < found.length) return INVALID
        const replaced = items.map((item) => {
          const row = step.rows.find((one) => one.code === item.code)
          return row === undefined ? item : { ...item, ...this.toItem(row) }
        })
        const added = step.rows.filter((row) => !found.includes(row)).map((row) => this.toItem(row))
        return [...replaced, ...added]
      }
      default: {
        const matches = ({ price: has }: Item) => has >= step.from
        const matching = items.filter(matches)
        if (matching.length > step.most) return INVALID
        if (step.step === 'delete matching') return items.filter((item) => !matches(item))
        return items.map((item) => (matches(item) ? { ...item, price: step.price } : item))
      }
    }
  }

  toItem({ maker: at, ...others }: NewItem): Omit<Item, 'id'> {
    return { ...others, makerId: this.makerId(at) }
  }

  parts({ at: _, maker: makerAt, ...others }: Partial<NewItem> & { readonly at: number }): Partial<Item> {
    return { ...others, ...(makerAt !== undefined && { makerId: this.makerId(makerAt) }) }
  }

  makerId(at: number): number {
    return this.makers[at] ?? MISSING_ID
  }

  refusalOf(items: readonly Omit<Item, 'id'>[]): number | undefined {
    if (items.some(({ makerId }) => !this.makers.includes(makerId))) return INVALID
    const keys = items.flatMap((item) => [
      `code ${item.code}`,
      ...(item.title === null ? [] : [`title ${item.makerId} ${item.title}`]),
    ])
    return new Set(keys).size < keys.length ? CONFLICT : undefined
  }
}

const MISSING_ID = 999_999

async function send(service: TestApp, reference: Reference, step: Step): Promise<{ status: number; body: JsonBody }> {
  switch (step.step) {
    case 'create':
      return await service.post(
        '/api/item',
        step.rows.map((row) => reference.toItem(row)),
      )
    case 'patch': {
      const idOf = (at: number) => reference.items[at]?.id ?? MISSING_ID + at
      return await service.patch(
        '/api/item',
        step.rows.map((row) => ({ id: idOf(row.at), ...reference.parts(row) })),
      )
    }
    case 'upsert':
      return await service.put(
        '/api/item?by=code',
        step.rows.map((row) => reference.toItem(row)),
      )
    case 'patch matching':
    case 'delete matching': {
      const path = `/api/item?filter[price][gte]=${step.from}`
      const isDelete = step.step === 'delete matching'
      const body = isDelete ? undefined : { price: step.price }
      return await service.request(isDelete ? 'DELETE' : 'PATCH', path, body, { prefer: `max-affected=${step.most}` })
    }
  }
}

const without = ({ id: _, ...others }: JsonBody) => others
const inOrder = (items: readonly object[]) => items.map((item) => JSON.stringify(item, Object.keys(item).sort())).sort()

describe.each(setups)('Random writes of many records ($title)', (database) => {
  test('leave what the same changes leave in memory, or nothing', { timeout: 300_000 }, async () => {
    const service = await buildApp(database, resources)
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 12 }), async (steps) => {
          await service.database.empty()
          const makers = (await service.add('/api/maker', [{ name: 'm' }, { name: 'n' }])).rows
          const reference = new Reference(
            [],
            makers.map(({ id }: JsonBody) => id),
          )
          for (const step of steps) {
            const expected = reference.after(step)
            const answer = await send(service, reference, step)
            const { rows } = await service.read('/api/item?fields=code,title,price,makerId&limit=100')
            const stored = rows.map(({ partial: _, ...item }: JsonBody) => item)
            const items = expected.items.map((item) => without({ id: 0, ...item }))
            expect({ status: answer.status, items: inOrder(stored.map(without)) }).toEqual({
              status: expected.status,
              items: inOrder(items),
            })
            reference.items = stored
          }
        }),
        { seed, numRuns: isLong ? 300 : 25 },
      )
    } finally {
      await service.close()
    }
  })
})
