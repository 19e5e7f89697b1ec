import { CrudError, createStore, defineActions, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  account: {
    fields: { owner: Type.String(), amount: Type.Integer(), state: Type.String({ default: 'open' }) },
    relations: { entries: owns.many('entry') },
  },
  entry: {
    fields: { text: Type.String(), amount: Type.Integer() },
    relations: { account: ownedBy('account'), notes: owns.many('note') },
  },
  note: { fields: { text: Type.String() }, relations: { entry: ownedBy('entry') } },
})

const tick = () => new Promise((resolve) => setTimeout(resolve, 20))

describeOnDatabases('actions of a store', (database) => {
  let opened: OpenDatabase
  const told: unknown[] = []
  afterEach(() => void told.splice(0))

  const actions = defineActions(resources, {
    account: {
      deposit: {
        body: Type.Object({ amount: Type.Integer({ minimum: 1 }), text: Type.Optional(Type.String()) }),
        asks: 'Edit',
        async run({ id, body, store, afterCommit }) {
          const { amount } = await store.account.find(id)
          await tick()
          await store.account.patch(id, { amount: amount + body.amount })
          await store.account.owned(id, 'entries').create({ text: body.text ?? '', amount: body.amount })
          afterCommit(() => void told.push(['mail', body.amount]))
        },
      },
      close: {
        asks: 'Edit',
        async run({ id, store, refuse, invalid }) {
          await store.account.patch(id, { state: 'closed' })
          const { amount } = await store.account.find(id)
          if (amount !== 0) refuse('an account with money is not closed')
          if (amount < 0) invalid('amount', 'is below zero')
          if (amount < -10) invalid('/far/below', 'is far below zero')
        },
      },
      drop: { asks: 'Delete', run: ({ id, store }) => store.account.delete(id) },
      total: {
        on: 'list',
        asks: 'View',
        query: Type.Object({ least: Type.Optional(Type.Integer()) }),
        answer: Type.Object({ total: Type.Integer() }),
        async run({ store, query }) {
          const { rows } = await store.account.list({ filter: { amount: { gte: query.least ?? 0 } } })
          return { total: rows.reduce((sum, { amount }) => sum + amount, 0) }
        },
      },
      raw: {
        asks: 'Edit',
        body: Type.Object({ owner: Type.String() }),
        async run({ id, body, db, store }) {
          await db.updateTable('account').set({ owner: body.owner }).where('id', '=', id).execute()
          if (body.owner === 'fail') throw new Error('no such luck')
          if (body.owner === 'wrong') await store.account.patch(id, { amount: 'x' as never })
        },
      },
      tryOut: {
        asks: 'Edit',
        async run({ id, store }) {
          const entries = store.account.owned(id, 'entries')
          await entries.create({ text: 'much', amount: 100 }, { dryRun: true })
        },
      },
      lost: {
        asks: 'View',
        prepare: ({ store }) => store.account.list({ sort: ['x' as never] }),
        run: () => undefined,
      },
      outside: { asks: 'View', run: async ({ id }) => void (await outside.account.find(id)) },
      misfit: { asks: 'View', answer: Type.Object({ sent: Type.Integer() }), run: () => ({ sent: 'x' }) as never },
      twice: {
        asks: 'Edit',
        async run({ id, store, afterCommit }) {
          afterCommit(() => void told.push('outer'))
          await store.account.act(id, 'deposit', { amount: 1 })
          await store.account.act(id, 'close').catch(() => undefined)
          await store.account.act(id, 'deposit', { amount: 2 })
        },
      },
      peek: {
        method: 'GET',
        asks: 'View',
        answer: Type.Object({ amount: Type.Integer() }),
        async run({ id, store }) {
          const { amount } = await store.account.find(id)
          return { amount }
        },
      },
      peekAndWrite: { method: 'GET', asks: 'View', run: ({ id, store }) => store.account.patch(id, { amount: 1 }) },
      peekAndWriteRaw: {
        method: 'GET',
        asks: 'View',
        run: ({ db }) => db.updateTable('account').set({ amount: 1 }).execute(),
      },
      quote: {
        asks: 'Edit',
        body: Type.Object({ rate: Type.Integer() }),
        async prepare({ id, body, store }) {
          told.push(['prepare', (await store.account.find(id)).owner])
          return { rate: body.rate * 2 }
        },
        async run({ id, prepared, store }) {
          await store.account.patch(id, { amount: prepared.rate })
        },
      },
      prepareAndWrite: { asks: 'Edit', prepare: ({ id, store }) => store.account.delete(id), run: () => undefined },
      slow: {
        asks: 'Edit',
        async run({ id, store }) {
          await store.account.patch(id, { owner: 'slow' })
          await new Promise((resolve) => setTimeout(resolve, 1_000))
          await store.account.patch(id, { owner: 'slower' }).catch((error) => told.push(error.message))
        },
      },
    },
    entry: {
      reverse: {
        asks: 'Edit',
        async run({ id, owners, store }) {
          told.push([id, owners])
          const entries = store.account.owned(owners[0] as number, 'entries')
          const { amount } = await entries.find(id)
          await entries.patch(id, { amount: -amount })
        },
      },
      count: {
        on: 'list',
        asks: 'View',
        answer: Type.Integer(),
        async run({ owners, store }) {
          const { count } = await store.account.owned(owners[0] as number, 'entries').list()
          return count
        },
      },
    },
  })

  const open = () =>
    createStore({
      db: opened.db,
      resources,
      actions,
      limits: { action: 400 },
      rules: {
        account: [
          {
            invariant: {
              reads: ['amount', 'entries.amount'],
              test({ before, after, refuse }) {
                told.push(['invariant', before?.amount, after.amount])
                const sum = after.entries.reduce((all, { amount }) => all + amount, 0)
                if (sum > Math.max(after.amount, 0)) refuse('more entries than money')
              },
            },
          },
          { afterCommit: ({ rows }) => void told.push(['committed', rows.length]) },
        ],
      },
    })
  let outside: ReturnType<typeof open>
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
    outside = open()
  })
  afterAll(() => opened.close())

  const anAccount = async (amount = 0) => {
    const { id } = await outside.account.create({ owner: 'Ada', amount, state: 'open' })
    await tick()
    told.splice(0)
    return id
  }
  const failing = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return error as CrudError
  }

  test('an action answers with its record, and ends its writes together', async () => {
    const id = await anAccount(5)
    const record = await outside.account.act(id, 'deposit', { amount: 3 })
    expect(record).toMatchObject({ id, amount: 8, entries: [{ amount: 3 }] })
    await tick()
    expect(told).toEqual([
      ['invariant', 5, 8],
      ['committed', 1],
      ['mail', 3],
    ])
  })

  test('two at once wait for each other', async () => {
    const id = await anAccount()
    await Promise.all([1, 2, 3].map((amount) => outside.account.act(id, 'deposit', { amount })))
    expect(await outside.account.find(id)).toMatchObject({ amount: 6 })
  })

  test('all that is wrong with a body is said at once, with pointers', async () => {
    const id = await anAccount()
    const error = await failing(outside.account.act(id, 'deposit', { amount: 0, text: 7, x: 1 } as never))
    expect(error).toMatchObject({ code: 'CRUD_ERR_INVALID' })
    expect(error.errors.map(({ pointer }) => pointer).sort()).toEqual(['/amount', '/text', '/x'])
    const empty = await failing(outside.account.act(id, 'deposit', undefined as never))
    expect(empty.errors).toMatchObject([{ pointer: '', keyword: 'required' }])
    const superfluous = await failing(outside.account.act(id, 'close', { a: 1 } as never))
    expect(superfluous.errors).toMatchObject([{ pointer: '', keyword: 'maxProperties' }])
    expect(told).toEqual([])
  })

  test('a refusal stores nothing, and invalid has a pointer', async () => {
    const id = await anAccount(1)
    const error = await failing(outside.account.act(id, 'close'))
    expect(error).toMatchObject({ code: 'CRUD_ERR_REFUSED', message: 'an account with money is not closed' })
    const below = await anAccount(-20)
    const invalid = await failing(outside.account.act(below, 'close'))
    expect(invalid).toMatchObject({ code: 'CRUD_ERR_INVALID' })
    expect(invalid.errors.map(({ pointer }) => pointer)).toEqual(['/amount', '/far/below'])
    expect(await outside.account.find(below)).toMatchObject({ state: 'open' })
    await tick()
    expect(told.filter((one) => (one as unknown[])[0] === 'committed')).toEqual([])
  })

  test('an error of the application is its own, and stores nothing', async () => {
    const id = await anAccount()
    expect(await failing(outside.account.act(id, 'raw', { owner: 'fail' }))).toMatchObject({ message: 'no such luck' })
    expect(await outside.account.find(id)).toMatchObject({ owner: 'Ada' })
    await outside.account.act(id, 'raw', { owner: 'Bo' })
    expect(await outside.account.find(id)).toMatchObject({ owner: 'Bo' })
  })

  test('an error of the store has no pointers, as its body is not that of the client', async () => {
    const id = await anAccount()
    const error = await failing(outside.account.act(id, 'raw', { owner: 'wrong' }))
    expect(error).toMatchObject({ code: 'CRUD_ERR_INVALID', message: 'must be integer' })
    expect(error.errors).toMatchObject([{ pointer: '', message: 'must be integer', keyword: 'type' }])
  })

  test('a record that the action removes is no answer', async () => {
    const id = await anAccount()
    expect(await outside.account.act(id, 'drop')).toBeUndefined()
    expect(await failing(outside.account.act(id, 'drop'))).toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('an action of the collection answers what it returns', async () => {
    await anAccount(1_000_000)
    await anAccount(2_000_000)
    expect(await outside.account.act('total', undefined, { query: { least: 500_000 } })).toEqual({ total: 3_000_000 })
    const error = await failing(outside.account.act('total', undefined, { query: { least: 'x', y: 1 } as never }))
    expect(error.errors.map(({ parameter }) => parameter).sort()).toEqual(['least', 'y'])
  })

  test('what does not fit the answer is an error of the application', async () => {
    const id = await anAccount()
    const error = await failing(outside.account.act(id, 'misfit'))
    expect(error).not.toBeInstanceOf(CrudError)
    expect(error.message).toBe("actions.account.misfit: what run returned does not fit 'answer': /sent must be integer")
  })

  test('the store outside of the action is refused', async () => {
    const id = await anAccount()
    expect((await failing(outside.account.act(id, 'outside'))).message).toBe(
      'actions.account.outside: use the store that run is given',
    )
  })

  test('an action may carry out others, whose failure leaves nothing behind', async () => {
    const id = await anAccount()
    expect(await outside.account.act(id, 'twice')).toMatchObject({ amount: 3, state: 'open' })
    await tick()
    expect(told).toEqual([['invariant', 0, 3], ['committed', 2], 'outer', ['mail', 1], ['mail', 2]])
  })

  test('a dry run inside of an action is tested by itself, as it leaves nothing', async () => {
    const id = await anAccount(1)
    const error = await failing(outside.account.act(id, 'tryOut'))
    expect(error).toMatchObject({ code: 'CRUD_ERR_REFUSED', message: 'more entries than money' })
  })

  test('an error of the store in prepare has no place in the request', async () => {
    const error = await failing(outside.account.act(await anAccount(), 'lost'))
    expect(error).toMatchObject({ code: 'CRUD_ERR_INVALID', errors: [{ pointer: '' }] })
  })

  test('a GET only reads', async () => {
    const id = await anAccount(7)
    expect(await outside.account.act(id, 'peek')).toEqual({ amount: 7 })
    expect((await failing(outside.account.act(id, 'peekAndWrite'))).message).toBe(
      'actions.account.peekAndWrite: a GET only reads',
    )
    expect((await failing(outside.account.act(id, 'peekAndWriteRaw'))).message).toMatch(/only reads/)
    expect(await outside.account.find(id)).toMatchObject({ amount: 7 })
    await outside.account.patch(id, { amount: 8 })
  })

  test('prepare runs before the transaction, and only reads', async () => {
    const id = await anAccount()
    expect(await outside.account.act(id, 'quote', { rate: 4 })).toMatchObject({ amount: 8 })
    expect(told[0]).toEqual(['prepare', 'Ada'])
    expect((await failing(outside.account.act(id, 'prepareAndWrite'))).message).toMatch(/prepare only reads/)
    expect(await outside.account.find(id)).toMatchObject({ amount: 8 })
  })

  test('a dry run does all of it but afterCommit, and stores nothing', async () => {
    const id = await anAccount()
    const record = await outside.account.act(id, 'deposit', { amount: 4 }, { dryRun: true })
    expect(record).toMatchObject({ amount: 4 })
    await tick()
    expect(told).toEqual([['invariant', 0, 4]])
    expect(await outside.account.find(id)).toMatchObject({ amount: 0 })
  })

  test('an action that takes too long is ended, and what it does later is no part of another transaction', async () => {
    const id = await anAccount()
    const error = await failing(outside.account.act(id, 'slow'))
    expect(error).toMatchObject({ code: 'CRUD_ERR_BUSY' })
    expect(error.message).toMatch(/account.slow did not end within 400 ms/)
    expect(await outside.account.find(id)).toMatchObject({ owner: 'Ada' })
    await new Promise((resolve) => setTimeout(resolve, 900))
    expect(told).toEqual([expect.stringMatching(/its transaction is over/)])
    expect(await outside.account.find(id)).toMatchObject({ owner: 'Ada' })
  })

  test('actions of what a record owns know its owners', async () => {
    const id = await anAccount(10)
    const entry = await outside.account.owned(id, 'entries').create({ text: 'a', amount: 3 })
    told.splice(0)
    const answer = await outside.account.owned(id, 'entries').act(entry.id, 'reverse')
    expect(answer).toMatchObject({ amount: -3 })
    expect(told[0]).toEqual([entry.id, [id]])
    expect(await outside.account.owned(id, 'entries').act('count')).toBe(1)
    const missing = await failing(outside.account.owned(id + 1000, 'entries').act('count'))
    expect(missing).toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    const other = await anAccount()
    const misplaced = await failing(outside.account.owned(other, 'entries').act(entry.id, 'reverse'))
    expect(misplaced).toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('in a transaction of the application, it is a part of that', async () => {
    const id = await anAccount()
    await failing(
      opened.db.transaction().execute(async (trx) => {
        expect(await outside.in(trx).account.act(id, 'deposit', { amount: 1 })).toMatchObject({ amount: 1 })
        throw new Error('undone')
      }),
    )
    await tick()
    expect(told).toEqual([['invariant', 0, 1]])
    expect(await outside.account.find(id)).toMatchObject({ amount: 0 })
  })

  test('an unknown action is a TypeError with the known ones', async () => {
    const id = await anAccount()
    const act = outside.account.act as unknown as (...given: unknown[]) => Promise<unknown>
    await expect(act(id, 'depsit')).rejects.toThrow(/account: there is no action act\(\d+, depsit\); there are act\(id/)
  })
})
