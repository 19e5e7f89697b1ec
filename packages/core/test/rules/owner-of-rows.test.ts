import { audit, createStore, defineResources, needs, ownedBy, owns, type Rules, type Store } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { readRules } from '../../src/rules/read-rules.ts'
import { ruleScopeOf } from '../../src/rules/rule-scope.ts'

const text = Type.String()

const resources = defineResources({
  order: {
    table: 'orders',
    fields: { title: text },
    relations: { customer: needs.one('customer'), lines: owns.many('line') },
  },
  customer: { fields: { name: text }, relations: { homes: owns.many('address') } },
  branch: { fields: { city: text }, relations: { places: owns.many('address') } },
  address: { fields: { street: text }, relations: { customer: ownedBy('customer'), branch: ownedBy('branch') } },
  line: { fields: { amount: Type.Integer() }, relations: { order: ownedBy('order'), notes: owns.many('note') } },
  note: { fields: { text }, relations: { line: ownedBy('line') } },
  node: {
    fields: { name: text },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
})

interface Told {
  readonly action: string
  readonly owner: unknown
}

describeOnBoth('rules of an owned row are told of its owner', (database) => {
  const told: Record<'validate' | 'afterWrite' | 'afterCommit', unknown[]> = {
    validate: [],
    afterWrite: [],
    afterCommit: [],
  }
  let retitle = false
  const tell = (part: keyof typeof told) => (row: Told) => void told[part].push([row.action, row.owner])
  const rules: Rules<typeof resources> = {
    line: {
      validate: tell('validate'),
      async afterWrite(row) {
        tell('afterWrite')(row)
        if (retitle) await row.db.updateTable('orders').set({ title: 'by the rule' }).execute()
      },
      afterCommit: ({ rows }) => rows.forEach(tell('afterCommit')),
    },
    address: { validate: tell('validate') },
    node: { validate: (row) => void (row.changedBelow.length === 0 && tell('validate')(row)) },
  }
  let open: OpenDatabase
  let store: Store<typeof resources>
  let customerId: number

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    store = createStore({ db: open.db, resources, rules })
  })
  beforeEach(async () => {
    await open.empty()
    customerId = (await store.customer.create({ name: 'Ada' })).id as number
    retitle = false
    forget()
  })
  afterAll(() => open.close())

  const forget = () => {
    for (const rows of Object.values(told)) rows.splice(0)
  }

  /** `afterCommit` runs in turns of its own. */
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  async function addOrder() {
    const order = await store.order.create({ title: 'a', customerId, lines: [{ amount: 1 }] })
    await turns()
    return order
  }

  const orderRow = (id: unknown, title: string) => ({ id, title, customerId })

  test('a new one: it has nothing before, and its id when it is written', async () => {
    const { id } = await addOrder()
    expect(told.validate).toEqual([['Add', { before: null, after: orderRow(undefined, 'a') }]])
    const stored = [['Add', { before: null, after: orderRow(id, 'a') }]]
    expect([told.afterWrite, told.afterCommit]).toEqual([stored, stored])
  })

  test('as it was and as it becomes, whichever way the write takes', async () => {
    const { id, lines } = await addOrder()
    const line = lines[0]?.id as number
    const same = { before: orderRow(id, 'a'), after: orderRow(id, 'a') }
    for (const [write, expected] of [
      [
        () => store.order.patch(id, { title: 'b', lines: [{ id: line, amount: 2 }] }),
        ['Edit', { before: orderRow(id, 'a'), after: orderRow(id, 'b') }],
      ],
      [
        () => store.order.patch(id, { title: 'a', lines: [{ amount: 3 }] }),
        ['Add', { before: orderRow(id, 'b'), after: orderRow(id, 'a') }],
      ],
      [() => store.order.owned(id, 'lines').patch(line, { amount: 4 }), ['Edit', same]],
      [() => store.order.owned(id, 'lines').create({ amount: 5 }), ['Add', same]],
      [() => store.order.owned(id, 'lines').delete(line), ['Delete', same]],
    ] as const) {
      forget()
      await write()
      await turns()
      expect(told).toEqual({ validate: [expected], afterWrite: [expected], afterCommit: [expected] })
    }
    forget()
    await store.order.delete(id)
    await turns()
    const gone = ['Delete', { before: orderRow(id, 'a'), after: null }]
    expect(told.validate).toEqual([gone, gone])
    expect(told.afterCommit).toEqual([gone, gone])
  })

  test('as it is at the end of the transaction, in `afterCommit`', async () => {
    const { id, lines } = await addOrder()
    forget()
    retitle = true
    await store.order.owned(id, 'lines').patch(lines[0]?.id as number, { amount: 2 })
    await turns()
    expect(told.afterWrite).toEqual([['Edit', { before: orderRow(id, 'a'), after: orderRow(id, 'a') }]])
    expect(told.afterCommit).toEqual([['Edit', { before: orderRow(id, 'a'), after: orderRow(id, 'by the rule') }]])
  })

  test('the one that the row has, if there may be several', async () => {
    await store.customer.owned(customerId, 'homes').create({ street: 's' })
    const branch = await store.branch.create({ city: 'c', places: [{ street: 't' }] })
    await store.branch.patch(branch.id, { places: [{ id: branch.places[0]?.id as number, street: 'u' }] })
    const ada = { id: customerId, name: 'Ada' }
    const city = { id: branch.id, city: 'c' }
    expect(told.validate).toEqual([
      ['Add', { before: ada, after: ada }],
      ['Add', { before: null, after: { id: undefined, city: 'c' } }],
      ['Edit', { before: city, after: city }],
    ])
  })

  test('and of none, if it has none', async () => {
    const root = await store.node.create({ name: 'root', nodes: [{ name: 'child' }] })
    expect(told.validate).toEqual([
      ['Add', null],
      ['Add', { before: null, after: { id: undefined, name: 'root', parentId: null } }],
    ])
    forget()
    const row = { id: root.id, name: 'root', parentId: null }
    await store.node.patch(root.id, { nodes: [{ id: root.nodes[0]?.id as number, name: 'x' }] })
    expect(told.validate).toEqual([['Edit', { before: row, after: row }]])
  })
})

test('the owner is read only for rules that can use it', () => {
  const takers = (rules: Rules<typeof resources>) => [...ruleScopeOf(readRules(resources, rules)).takesOwner]
  const invariant = { reads: ['amount'], test: () => {} } as const
  expect(takers({ line: [audit('audit'), { invariant }], order: { validate: () => {} } })).toEqual([])
  expect(takers({ line: { validate: () => {} }, note: { afterCommit: () => {} } })).toEqual(['line', 'note'])
})

test('the owner of a row has the type of its resource', () => {
  const rules: Rules<typeof resources> = {
    line: {
      validate({ owner }) {
        expectTypeOf(owner.before?.title).toEqualTypeOf<string | undefined>()
        // @ts-expect-error there is no such field
        return owner.after?.titel
      },
      afterCommit: ({ rows }) => rows.map(({ owner }) => owner.after?.customerId),
    },
    address: {
      validate({ owner }) {
        const { after } = owner
        if (after !== null && 'city' in after) expectTypeOf(after.city).toEqualTypeOf<string>()
      },
    },
    node: {
      validate({ owner }) {
        expectTypeOf(owner?.after?.name).toEqualTypeOf<string | undefined>()
        // @ts-expect-error a root has no owner
        return owner.after
      },
    },
    order: { validate: ({ owner }) => expectTypeOf(owner).toEqualTypeOf<null>() },
  }
  expect(Object.keys(rules)).toHaveLength(4)
})
