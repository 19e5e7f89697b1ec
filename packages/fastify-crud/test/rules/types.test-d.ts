import { audit, numbers, outbox, set, stamps, sumOf, timestamps, transitions } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  type AnyKysely,
  type CreateBody,
  createStore,
  crudPlugin,
  defineResources,
  knows,
  needs,
  ownedBy,
  owns,
  type RecordOf,
  type Rules,
} from 'fastify-crud'
import { describe, expectTypeOf, test } from 'vitest'

const resources = defineResources({
  bill: {
    fields: {
      number: Type.String(),
      status: Type.Union([Type.Literal('draft'), Type.Literal('paid')]),
      orgId: Type.Optional(Type.Integer()),
      createdAt: Type.String({ format: 'date-time' }),
      updatedAt: Type.String({ format: 'date-time' }),
      createdBy: Type.Integer(),
    },
    relations: {
      lines: owns.many('item'),
      friend: knows.one('bill'),
      payer: needs.one('payer'),
      copies: knows.many('payer'),
    },
    computed: {
      total: sumOf('lines', 'amount'),
      label: { schema: Type.String(), value: ({ eb }) => eb.ref('number') },
    },
  },
  item: {
    fields: { text: Type.String(), amount: Type.Integer() },
    relations: { bill: ownedBy('bill'), createdBy: knows.one('payer') },
  },
  payer: { fields: { name: Type.String() } },
})

const hoisted = { draft: ['paid'], paid: [] }

declare const db: AnyKysely
const caller = () => ({ id: 1, org: 2 })

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: () => unknown): void {}

describe('rules', () => {
  test('know the rows of their resource', () => {
    compiled(() =>
      Fastify().register(crudPlugin, {
        db,
        resources,
        caller,
        rules: {
          bill: {
            validate({ action, before, after, caller, refuse, invalid, lock }) {
              expectTypeOf(action).toEqualTypeOf<'Add' | 'Edit' | 'Delete'>()
              expectTypeOf(caller.org).toEqualTypeOf<number>()
              if (before?.status === 'paid') refuse('paid')
              if (after !== null && after !== undefined) {
                expectTypeOf(after.number).toEqualTypeOf<string>()
                expectTypeOf(after.orgId).toEqualTypeOf<number | null>()
                expectTypeOf(after.friendId).toEqualTypeOf<number | null>()
              }
              invalid('number', 'wrong')
              // @ts-expect-error there is no such field
              invalid('numbr', 'wrong')
              // @ts-expect-error there is no such resource
              lock('bil', [1])
              // @ts-expect-error there is no such field
              return before?.numbr
            },
          },
          item: [{ afterWrite: async ({ after, db }) => void [after?.amount.toFixed(), db.isTransaction] }],
        },
      }),
    )
  })

  test('are for resources and fields that there are', () => {
    compiled(() => [
      createStore({ db, resources, rules: { bill: [timestamps(), audit('audit'), outbox('outbox')] } }),
      createStore({ db, resources, rules: { bill: set({ orgId: () => 1 }) } }),
      createStore({ db, resources, rules: { bill: stamps({ createdBy: 'id' }) } }),
      createStore({ db, resources, rules: { bill: set({ friendId: () => 1 }) } }),
      createStore({
        db,
        resources,
        rules: { bill: set({ friendId: () => null, payerId: ({ caller }) => caller.id }) },
      }),
      createStore({ db, resources, rules: { item: stamps({ createdById: 'id' }) } }),
      createStore({ db, resources, rules: { bill: transitions('status', { draft: ['paid'], paid: [] }) } }),
      // @ts-expect-error there is no such resource
      createStore({ db, resources, rules: { bil: timestamps() } }),
      // @ts-expect-error there is no such part
      createStore({ db, resources, rules: { bill: { validat() {} } } }),
      // @ts-expect-error there is no such field
      createStore({ db, resources, rules: { bill: set({ orgid: () => 1 }) } }),
      // @ts-expect-error a text is no number
      createStore({ db, resources, rules: { bill: set({ orgId: () => 'one' }) } }),
      // @ts-expect-error there is no such foreign key
      createStore({ db, resources, rules: { bill: set({ freindId: () => 1 }) } }),
      // @ts-expect-error a text is no id
      createStore({ db, resources, rules: { bill: set({ friendId: () => 'one' }) } }),
      // @ts-expect-error it may not be null
      createStore({ db, resources, rules: { bill: set({ payerId: () => null }) } }),
      // @ts-expect-error the path fixes the owner
      createStore({ db, resources, rules: { item: set({ billId: () => 1 }) } }),
      // @ts-expect-error links are no foreign keys
      createStore({ db, resources, rules: { bill: set({ copies: () => [1] }) } }),
      // @ts-expect-error bills have no such foreign key
      createStore({ db, resources, rules: { bill: stamps({ createdById: 'id' }) } }),
      // @ts-expect-error there is no such field
      createStore({ db, resources, rules: { bill: transitions('state', { draft: [] }) } }),
      createStore({ db, resources, rules: { bill: transitions('status', hoisted) } }),
      createStore({ db, resources, rules: { bill: transitions('number', { first: ['2nd'], '2nd': [] }) } }),
      // @ts-expect-error there is no such state
      createStore({ db, resources, rules: { bill: transitions('status', { draft: ['payed'] }) } }),
      // @ts-expect-error there is no such state
      createStore({ db, resources, rules: { bill: transitions('status', { draf: ['paid'] }) } }),
      createStore({ db, resources, rules: { bill: timestamps({ updatedAt: 'createdAt' }) } }),
      // @ts-expect-error there is no such field
      createStore({ db, resources, rules: { bill: timestamps({ createdAt: 'made' }) } }),
      createStore({ db, resources, rules: { bill: numbers('orgId') } }),
      createStore({
        db,
        resources,
        rules: {
          bill: numbers('number', {
            per: ['status', 'friendId', ({ now }) => now.getUTCFullYear()],
            start: async ({ db, row }) => Number(await db.selectFrom('bill').where('status', '=', row.status)),
            format: (number) => `R-${number}`,
          }),
        },
      }),
      // @ts-expect-error there is no such field
      createStore({ db, resources, rules: { bill: numbers('nummer') } }),
      // @ts-expect-error a number is no text
      createStore({ db, resources, rules: { bill: numbers('number') } }),
      // @ts-expect-error there is no such field
      createStore({ db, resources, rules: { bill: numbers('orgId', { per: ['state'] }) } }),
      // @ts-expect-error items have no times
      createStore({ db, resources, rules: { item: timestamps() } }),
    ])
  })

  test('leave the foreign keys that they give in the types of bodies', () => {
    type Body = CreateBody<typeof resources, 'bill'>
    const bill = { number: '1', status: 'draft', createdAt: '', updatedAt: '', createdBy: 1 } as const
    compiled(() => {
      const store = createStore({ db, resources, rules: { bill: set({ payerId: () => 1 }) } })
      return [
        store.bill.create(bill as Body),
        // @ts-expect-error the types know no rules
        store.bill.create(bill),
      ]
    })
  })

  test('stand beside words for what the database refuses', () => {
    compiled(() => [
      createStore({
        db,
        resources,
        errors(error, { refuse, invalid, resource }) {
          expectTypeOf(error).toEqualTypeOf<unknown>()
          expectTypeOf(resource).toEqualTypeOf<string>()
          refuse('no')
          invalid('number', 'wrong')
        },
      }),
      Fastify().register(crudPlugin, { db, resources, errors: async (_, { refuse }) => refuse('no') }),
      // @ts-expect-error it is a function
      createStore({ db, resources, errors: { refuse: 'no' } }),
    ])
  })

  test('stamp what the caller has', () => {
    type Caller = { readonly id: number; readonly name?: string }
    compiled(() => {
      const some: Rules<typeof resources, Caller> = {
        bill: [timestamps(), stamps({ createdBy: 'id' }), stamps({ createdBy: 'name' })],
      }
      const any: Rules<typeof resources> = { bill: stamps({ createdBy: 'whatever' }) }
      // @ts-expect-error the caller has no such value
      const none: Rules<typeof resources, Caller> = { bill: stamps({ createdBy: 'idd' }) }
      return [some, any, none]
    })
  })

  test('of a service are rules of a store without callers', () => {
    interface Caller {
      readonly id: number
    }
    compiled(() => {
      const rules: Rules<typeof resources, Caller> = {
        bill: { invariant: { reads: ['lines.amount'], test() {} } },
        item: { validate: ({ caller }) => caller.id },
      }
      return createStore({ db, resources, rules }).bill.delete(1)
    })
  })

  test('have invariants that see what they read', () => {
    compiled(() => [
      createStore({ db, resources, rules: { bill: { invariant: { reads: ['status', 'lines.amount'], test() {} } } } }),
      // @ts-expect-error there is no such field
      createStore({ db, resources, rules: { bill: { invariant: { reads: ['lines.amout'], test() {} } } } }),
    ])
  })
})

describe('computed fields', () => {
  type Bill = RecordOf<typeof resources, 'bill'>

  test('are in the types of records, and of what a list can ask', () => {
    expectTypeOf<Bill['label']>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<Bill['total']>>().toEqualTypeOf<number>()
    compiled(() => {
      const store = createStore({ db, resources })
      return [
        store.bill.list({ filter: { total: { gt: 3 } }, sort: ['-total', 'label'] }),
        // @ts-expect-error a text is no number
        store.bill.list({ filter: { total: { gt: 'x' } } }),
      ]
    })
  })

  test('are in the types of no body', () => {
    type NewItem = CreateBody<typeof resources, 'item'>
    const item: NewItem = { text: 'a', amount: 1 }
    compiled(() => {
      const { bill } = createStore({ db, resources })
      return [
        bill.patch(1, { number: '1', lines: [item] }),
        // @ts-expect-error the database computes it
        bill.patch(1, { total: 1 }),
        // @ts-expect-error the database computes it
        bill.patch(1, { label: 'x' }),
      ]
    })
  })

  test('are of relations that there are', () => {
    compiled(() => [
      defineResources({
        bill: {
          fields: { text: Type.String() },
          // @ts-expect-error an expression is required
          computed: { label: { schema: Type.String() } },
        },
      }),
    ])
  })
})
