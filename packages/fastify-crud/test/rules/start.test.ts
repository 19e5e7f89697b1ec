import { set, stamps, timestamps, transitions } from '@fastify-crud/core'
import Fastify from 'fastify'
import { createTables, crudPlugin } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { TestRules } from './support/rules.ts'
import { shop } from './support/shop.ts'
import { storeWith } from './support/store-with.ts'

const nothing = () => {}

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
  'that sets a foreign key': [{ order: set({ customerId: nothing }) }, /order/, /'customerId' is a foreign key/],
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

describeOnDatabases('a start', (database) => {
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
