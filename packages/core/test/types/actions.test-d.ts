import {
  type Actions,
  createStore,
  defineActions,
  defineResources,
  ownedBy,
  owns,
  type Store,
  type WithActions,
} from '@fastify-crud/core'
import { type } from 'arktype'
import type { Kysely } from 'kysely'
import { Type } from 'typebox'
import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'

const resources = defineResources({
  invoice: {
    fields: { total: Type.Integer(), status: Type.Optional(Type.String()) },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice') }, topLevel: true },
  note: { id: 'uuid', fields: { text: Type.String() } },
})

/** As an application has it for its routes and its actions. */
async function titles(store: Store<typeof resources>): Promise<string[]> {
  return (await store.line.list()).rows.map(({ text }) => text)
}

const actions = defineActions(resources, {
  invoice: {
    pay: {
      body: Type.Object({ paidOn: Type.String(), by: Type.Optional(Type.Integer()) }),
      asks: 'Edit',
      async run({ id, body, query, store, tenant, prepared }) {
        expectTypeOf(id).toEqualTypeOf<number>()
        expectTypeOf(body.paidOn).toEqualTypeOf<string>()
        expectTypeOf(body.by).toEqualTypeOf<number | undefined>()
        expectTypeOf(query).toEqualTypeOf<undefined>()
        expectTypeOf(tenant).toEqualTypeOf<number | string | null>()
        expectTypeOf(prepared).toBeAny()
        expectTypeOf((await store.invoice.find(id)).total).toEqualTypeOf<number>()
        expectTypeOf(titles(store)).resolves.toEqualTypeOf<string[]>()
        expectTypeOf(() => store.invoice.act(id, 'remove')).returns.resolves.toBeAny()
        void (() => [
          store.invoice.act('remind', undefined, { query: { least: 1 } }),
          store.invoice.owned(1, 'lines').act(7, 'double', { a: 1 }, { dryRun: true }),
          store.line.act(7, 'double'),
          // @ts-expect-error ids of notes are texts
          store.note.act(1, 'sign', 7),
        ])
        // @ts-expect-error a body has what its schema says
        body.other
        // @ts-expect-error there is no such resource
        store.other
      },
    },
    remind: {
      on: 'list',
      asks: 'View',
      query: Type.Object({ least: Type.Integer() }),
      answer: Type.Object({ sent: Type.Integer() }),
      async run({ id, query }) {
        expectTypeOf(id).toEqualTypeOf<undefined>()
        return { sent: query.least }
      },
    },
    misfit: {
      on: 'list',
      asks: 'View',
      answer: Type.Object({ sent: Type.Integer() }),
      // @ts-expect-error the answer is as declared
      run: () => ({ sent: 'x' }),
    },
    byZod: {
      asks: 'View',
      body: z.object({ a: z.number() }),
      answer: z.object({ b: z.string() }),
      run: ({ body }) => ({ b: String(body.a.toFixed()) }),
    },
    byArk: { asks: 'View', body: type({ a: 'number' }), run: ({ body }) => body.a.toFixed() },
    byHand: {
      asks: 'View',
      body: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
      // TypeScript 5 does not know what plain JSON Schema says here.
      run: ({ body }) => (body as { a: number }).a.toFixed(),
    },
    maybe: { asks: 'View', body: Type.Optional(Type.Object({ a: Type.Integer() })), run: () => undefined },
    prepared: {
      asks: 'View',
      prepare: async () => ({ rate: 1 }),
      run({ prepared }) {
        expectTypeOf(prepared).toEqualTypeOf<{ rate: number }>()
      },
    },
  },
  line: {
    sort: { on: 'list', asks: 'View', run: () => undefined },
    double: { asks: 'Edit', run: ({ id }) => id.toFixed() },
  },
  note: { sign: { asks: 'Edit', run: ({ id }) => id.toUpperCase() } },
})

declare const db: Kysely<unknown>

test('act takes what the actions declare, and resolves to their answers', () => {
  const store = createStore({ db, resources, actions })
  expectTypeOf(store).toEqualTypeOf<Store<WithActions<typeof resources, typeof actions>>>()
  const paid = () => store.invoice.act(1, 'pay', { paidOn: '2026-11-30' })
  type Invoice = Awaited<ReturnType<typeof store.invoice.find>>
  expectTypeOf(paid).returns.resolves.toEqualTypeOf<Invoice | undefined>()
  const reminded = () => store.invoice.act('remind', undefined, { query: { least: 1 }, dryRun: true })
  expectTypeOf(reminded).returns.resolves.toEqualTypeOf<{ sent: number }>()
  expectTypeOf(() => store.invoice.act(1, 'byZod', { a: 1 })).returns.resolves.toEqualTypeOf<{ b: string }>()
  expectTypeOf(() => store.invoice.owned(1, 'lines').act('sort')).returns.resolves.toEqualTypeOf<undefined>()
  void (() => [store.line.act(1, 'double'), store.note.act('x', 'sign'), store.invoice.act(1, 'maybe')])
})

test('act refuses other ids, names and bodies', () => {
  const store = createStore({ db, resources, actions })
  void (() => [
    // @ts-expect-error the body is missing
    store.invoice.act(1, 'pay'),
    // @ts-expect-error of another type
    store.invoice.act(1, 'pay', { paidOn: 7 }),
    // @ts-expect-error no such action
    store.invoice.act(1, 'paay'),
    // @ts-expect-error it is about the collection
    store.invoice.act(1, 'remind'),
    // @ts-expect-error it is about a record
    store.invoice.act('pay'),
    // @ts-expect-error it takes no body
    store.invoice.act(1, 'prepared', { a: 1 }),
    // @ts-expect-error ids of notes are texts
    store.note.act(1, 'sign'),
  ])
})

test('a store without actions has no act', () => {
  const store = createStore({ db, resources })
  expectTypeOf(store).toEqualTypeOf<Store<typeof resources>>()
  expectTypeOf(store.invoice).not.toHaveProperty('act')
  const some = createStore({
    db,
    resources,
    actions: defineActions(resources, { note: { sign: { asks: 'Edit', run: () => undefined } } }),
  })
  expectTypeOf(some.invoice).not.toHaveProperty('act')
})

test('actions in the options of the store know the model, and those of callers the caller', () => {
  interface Caller {
    readonly id: number
  }
  const store = createStore({
    db,
    resources,
    policies: { invoice: true, note: true },
    session: ({ id }: Caller) => ({ 'app.user': String(id) }),
    actions: {
      invoice: {
        pay: {
          asks: 'Edit',
          async run({ id, store, caller }) {
            expectTypeOf(id).toEqualTypeOf<number>()
            expectTypeOf(caller.id).toEqualTypeOf<number>()
            await store.invoice.patch(id, { status: 'paid' })
          },
        },
      },
    },
  })
  void (() => store.as({ id: 1 }).invoice.act(1, 'pay'))
  expectTypeOf(actions).toExtend<Actions<typeof resources>>()
})
