import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  type ComputedBuilder,
  countOf,
  createStore,
  createTables,
  crudPlugin,
  defineResources,
  maxOf,
  needs,
  ownedBy,
  owns,
  set,
  stamps,
  sumOf,
  timestamps,
  transitions,
} from 'fastify-crud'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { TestRules } from './support/rules.ts'
import { shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'

const nothing = () => {}
const text = Type.String()

/** Rules that a start refuses, and what its error names. */
const wrongRules: Readonly<Record<string, readonly [rules: object, ...names: RegExp[]]>> = {
  'for a resource that there is not': [{ ordr: { validate: nothing } }, /ordr/],
  'with a part that there is not': [{ order: { validat: nothing } }, /order/, /validat/],
  'that is no rule': [{ order: 'paid' }, /order/],
  'that is no function': [{ order: { validate: true } }, /order/, /validate/],
  'that sets a field that there is not': [{ order: set({ titel: nothing }) }, /order/, /titel/],
  'that sets a relation': [{ order: set({ lines: nothing }) }, /order/, /lines/],
  'that stamps times into fields that there are not': [{ order: timestamps() }, /order/, /createdAt/],
  'that stamps callers into a field that there is not': [
    { order: stamps({ maker: 'id' } as object) },
    /order/,
    /maker/,
  ],
  'about transitions of a field that there is not': [{ order: transitions('stat', {}) }, /order/, /stat/],
  'about transitions to a state that there is not': [
    { order: transitions('status', { open: ['payed'], paid: [] }) },
    /order/,
    /payed/,
  ],
  'about transitions to what is no list': [
    { order: transitions('status', { open: 'paid', paid: [] } as object) },
    /order/,
    /'open' needs a list/,
  ],
  'about transitions without states': [{ order: transitions('status', undefined as never) }, /order/, /state/],
  'that is not called': [{ order: [timestamps] }, /order\[0\]/, /timestamps\(/],
  'that sets values outside of `set()`': [{ order: { set: { title: nothing } } }, /order\.set/, /set\(\{/],
  'that sets nothing': [{ order: set(undefined as never) }, /order/, /set: must/],
  'that sets with an option that there is not': [
    { order: set({ title: nothing }, { onn: 'change' } as object) },
    /order/,
    /'onn'; did you mean 'on'/,
  ],
  'that sets the foreign key of an owner': [
    { line: set({ orderId: nothing }) },
    /line/,
    /'orderId' is the foreign key of the owner of the line, which the path names/,
  ],
  'that sets a foreign key that there is not': [
    { order: set({ custmerId: nothing }) },
    /order/,
    /no field or foreign key 'custmerId'; did you mean 'customerId'/,
  ],
  'that sets a relation to one record': [
    { order: set({ customer: nothing }) },
    /order/,
    /'customer' is a relation of order: name its foreign key, 'customerId'/,
  ],
  'that gives a foreign key that another rule gives': [
    { order: [set({ couponId: nothing }), set({ couponId: nothing }, { on: 'change' })] },
    /order/,
    /two rules set 'couponId'/,
  ],
  'that stamps callers into a foreign key that there is not': [
    { order: stamps({ createdById: 'id' }) },
    /order/,
    /no field or foreign key 'createdById'/,
  ],
  'about transitions of a foreign key': [
    { order: transitions('customerId', { open: [] }) },
    /order/,
    /'customerId' is a foreign key/,
  ],
  'that stamps nothing': [{ order: stamps(undefined as never) }, /order/, /stamps: must/],
  'that stamps by a function': [{ order: stamps({ createdBy: nothing } as never) }, /order/, /createdBy/],
  'whose invariant has no test': [
    { order: { invariant: { reads: ['title'], tset: nothing } } },
    /order\.invariant/,
    /'tset'; did you mean 'test'/,
  ],
  'whose invariant reads no list': [{ order: { invariant: { reads: 'title', test: nothing } } }, /order\.invariant/],
  'whose invariant reads a field that there is not': [
    { order: { invariant: { reads: ['lines.amout'], test: nothing } } },
    /order/,
    /amout/,
  ],
  'whose invariant reads a relation that there is not': [
    { order: { invariant: { reads: ['linse.amount'], test: nothing } } },
    /order/,
    /linse/,
  ],
}

describeOnBoth('a start', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, shop)
  })
  afterAll(() => open.close())

  async function errorAtStart(rules: unknown): Promise<string> {
    const app = Fastify()
    try {
      await app.register(crudPlugin, { db: open.db, resources: shop, rules } as never)
      await app.ready()
      return 'none'
    } catch (error) {
      return String(error)
    } finally {
      await app.close()
    }
  }

  for (const [title, [rules, ...names]] of Object.entries(wrongRules)) {
    test(`is refused with a rule ${title}, which the error names`, async () => {
      const error = await errorAtStart(rules)
      expect(error).not.toBe('none')
      for (const name of names) expect(error).toMatch(name)
      expect(() => storeWith(open.db, shop, rules as TestRules)).toThrow(names[0])
    })
  }

  test('takes one rule, a list of them, and none', async () => {
    const rule = { validate: nothing }
    for (const rules of [{}, { order: rule }, { order: [rule, transitions('status', { open: [] })] }, { order: [] }]) {
      expect(await errorAtStart(rules)).toBe('none')
    }
  })

  test('names every wrong rule at once', async () => {
    const error = await errorAtStart({ ordr: { validate: nothing }, line: { validat: nothing } })
    expect(error).toMatch(/ordr/)
    expect(error).toMatch(/validat/)
  })
})

/** Computed fields that `defineResources` refuses, and what its error says of them. */
const wrongComputed: Readonly<Record<string, readonly [computed: object, message: RegExp]>> = {
  'of an unknown relation': [{ total: sumOf('linse', 'amount') }, /no relation 'linse'; did you mean 'lines'\?/],
  'of a relation to one record': [{ total: sumOf('client', 'amount') }, /'client' leads to one record/],
  'of an unknown field': [{ total: sumOf('lines', 'amout') }, /item has no field 'amout'; did you mean 'amount'\?/],
  'that adds texts': [{ total: sumOf('lines', 'name') }, /needs an integer, a number or a decimal/],
  'that compares JSON': [{ total: maxOf('lines', 'size') }, /neither JSON nor base64/],
  'of a field that nobody sees': [{ total: maxOf('lines', 'secret') }, /'item\.secret' is writeOnly/],
  'with an unknown option': [{ total: sumOf('lines', 'amount', { sumary: false } as object) }, /no 'sumary'; did you/],
  'with an option that is none': [
    { total: countOf('lines', { summary: 1 as never }) },
    /'summary' must be true or false/,
  ],
  'that some may set': [{ total: countOf('lines', { access: { Edit: ['hr'] } as never }) }, /'access\.Edit'/],
  'without an expression': [{ total: { schema: text } }, /'value' must be a function/],
  'without a schema': [{ total: { value: nothing } }, /'schema': a field is a JSON Schema/],
  'with a schema that is none': [{ total: { schema: { type: 'strng' }, value: nothing } }, /'schema': /],
  'with an option in its schema': [
    { total: { schema: { type: 'string', summary: false }, value: nothing } },
    /'summary', which belongs beside 'schema'/,
  ],
  'with a default': [{ total: { schema: { type: 'string', default: 'x' }, value: nothing } }, /'default'/],
  'that is no declaration': [{ total: 'sum' }, /must be sumOf/],
}

const taken = ['text', 'lines', 'id', 'client', 'clientId', 'shelf', 'shelfId', 'and', 'partial', 'a.b', '-a']

describe('a computed field is refused by `defineResources`', () => {
  const bills = (computed: object, others: object = {}) =>
    ({
      shelf: { relations: { bills: owns.many('bill') } },
      client: {},
      bill: {
        fields: { text },
        relations: { lines: owns.many('item'), client: needs.one('client'), shelf: ownedBy('shelf') },
        computed,
        ...others,
      },
      item: {
        fields: {
          amount: Type.Integer(),
          name: text,
          size: Type.Object({}),
          secret: Type.String({ writeOnly: true, access: { Edit: ['hr'] } }),
        },
        relations: { bill: ownedBy('bill') },
      },
    }) as never

  test('unless all is right', () => {
    expect(() => defineResources(bills({ total: sumOf('lines', 'amount') }))).not.toThrow()
  })

  test.each(Object.entries(wrongComputed))('%s, with its place', (_, [computed, message]) => {
    expect(() => defineResources(bills(computed))).toThrow(message)
    expect(() => defineResources(bills(computed))).toThrow('bill.computed.total')
  })

  test.each(taken)('with the name %s', (name) => {
    expect(() => defineResources(bills({ [name]: sumOf('lines', 'amount') }))).toThrow(`bill.computed.${name}`)
  })

  test('as part of a unique key, an index, the columns or what a record carries', () => {
    for (const entry of [{ unique: [['n']] }, { index: [['n']] }, { columns: { n: 'm' } }, { defaultInclude: ['n'] }]) {
      expect(() => defineResources(bills({ n: countOf('lines') }, entry))).toThrow(/'n'/)
    }
  })
})

describeOnBoth('a computed field is refused at start', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
  })
  afterAll(() => open.close())

  const start = (value: (on: ComputedBuilder) => unknown) => () =>
    createStore({
      db: open.db,
      resources: defineResources({ bill: { fields: { text }, computed: { label: { schema: text, value } } } } as never),
    })

  test('if its function returns no expression, or throws', () => {
    expect(start(() => 'text')).toThrow(/bill\.computed\.label: .*must return an expression/)
    expect(start(nothing)).toThrow(/bill\.computed\.label/)
    expect(start(() => JSON.parse('{'))).toThrow(/bill\.computed\.label/)
  })

  test('if it names a relation that there is not', () => {
    expect(start(({ eb, visible }) => eb.selectFrom(visible('lines').as('one')).select('one.id'))).toThrow(
      /bill\.computed\.label: bill has no relation 'lines'/,
    )
  })
})
