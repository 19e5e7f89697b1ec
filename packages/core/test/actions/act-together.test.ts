import { createStore, defineActions, defineResources, type Store, type WithActions } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth, describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const tick = () => new Promise((resolve) => setTimeout(resolve, 50))

describeOnDatabases('actions that others are in the way of', (database) => {
  const resources = defineResources({ account: { fields: { amount: Type.Integer() } } })
  let opened: OpenDatabase
  const told: string[] = []
  const actions = defineActions(resources, {
    account: {
      give: {
        body: Type.Object({ to: Type.Integer() }),
        asks: 'Edit',
        async run({ id, body: { to }, store, db, afterCommit }) {
          told.push(`run ${id}`)
          const { amount } = await store.account.find(id)
          await store.account.patch(id, { amount: amount - 1 })
          await tick()
          await db.updateTable('account').set({ amount: sql`amount + 1` }).where('id', '=', to).execute()
          afterCommit(() => void told.push(`gave ${id}`))
        },
      },
    },
  })
  const open = () => createStore({ db: opened.db, resources, actions })
  let store: ReturnType<typeof open>
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
    store = open()
  })
  afterAll(() => opened.close())

  test('are run again as a whole after a deadlock, and what they do after the commit is done once', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => store.account.create({ amount: 10 })))
    if (one === undefined || two === undefined) throw new Error('no accounts')
    await Promise.all([
      store.account.act(one.id, 'give', { to: two.id }),
      store.account.act(two.id, 'give', { to: one.id }),
    ])
    await tick()
    expect(await store.account.find(one.id)).toMatchObject({ amount: 10 })
    expect(await store.account.find(two.id)).toMatchObject({ amount: 10 })
    expect(told.filter((text) => text.startsWith('gave')).sort()).toEqual([`gave ${one.id}`, `gave ${two.id}`].sort())
    if (database.name === 'postgres') expect(told.filter((text) => text.startsWith('run')).length).toBeGreaterThan(2)
  })
})

describeOnBoth('actions of tenants', (database) => {
  const resources = defineResources(
    { org: { fields: { name: Type.String() } }, bill: { fields: { title: Type.String() } } },
    { tenant: { resource: 'org' } },
  )
  const actions = defineActions(resources, {
    bill: {
      rename: {
        body: Type.Object({ title: Type.String() }),
        asks: 'Edit',
        answer: Type.Object({ mine: Type.Integer(), ours: Type.Integer() }),
        async run({ id, body, store, system, tenant, caller }) {
          await store.bill.patch(id, { title: `${body.title} of ${caller.name} in ${tenant}` })
          return { mine: (await store.bill.list()).count, ours: (await system.bill.list()).count }
        },
      },
    },
    org: {
      audit: {
        on: 'list',
        asks: 'View',
        answer: Type.Integer(),
        run: async ({ store }) => (await store.org.list()).count,
      },
    },
  })
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
  })
  afterAll(() => opened.close())

  test('see the records of one, as do the stores that they are given', async () => {
    const store = createStore({
      db: opened.db,
      resources,
      actions,
      policies: { org: true, bill: ({ eb }) => eb('title', '!=', 'hidden') },
    })
    const [four, nine] = await Promise.all(['Four', 'Nine'].map((name) => store.asSystem().org.create({ name })))
    if (four === undefined || nine === undefined) throw new Error('no tenants')
    const ofFour = store.asSystem({ tenant: four.id })
    const bill = await ofFour.bill.create({ title: 'a' })
    await ofFour.bill.create({ title: 'hidden' })
    const mine = store.as({ name: 'Ada' }, { tenant: four.id })
    expect(await mine.bill.act(bill.id, 'rename', { title: 'b' })).toEqual({ mine: 1, ours: 2 })
    expect(await ofFour.bill.find(bill.id)).toMatchObject({ title: `b of Ada in ${four.id}` })
    const others = store.as({ name: 'Bo' }, { tenant: nine.id })
    await expect(others.bill.act(bill.id, 'rename', { title: 'c' })).rejects.toMatchObject({
      code: 'CRUD_ERR_NOT_FOUND',
    })
    expect(await store.asSystem().org.act('audit')).toBe(2)
    const all = store.asSystem().bill as unknown as Store<WithActions<typeof resources, typeof actions>>['bill']
    expect(() => all.act(bill.id, 'rename', { title: 'd' })).toThrow(/its records are the tenants'/)
  })
})

describeOnBoth('actions in another database with the same tables', (database) => {
  test('are the same', async () => {
    const resources = defineResources({ note: { fields: { text: Type.String() } } })
    const told: string[] = []
    const actions = defineActions(resources, {
      note: {
        shout: {
          asks: 'Edit',
          async run({ id, store, afterCommit }) {
            const { text } = await store.note.find(id)
            await store.note.patch(id, { text: text.toUpperCase() })
            afterCommit(() => void told.push(text))
          },
        },
      },
    })
    const [first, second] = [await database.open(), await database.open()]
    await createTables(second.db, resources)
    const there = createStore({ db: first.db, resources, actions }).on(second.db)
    const { id } = await there.note.create({ text: 'tea' })
    expect(await there.note.act(id, 'shout')).toMatchObject({ text: 'TEA' })
    await tick()
    expect(told).toEqual(['tea'])
    await Promise.all([first.close(), second.close()])
  })
})
