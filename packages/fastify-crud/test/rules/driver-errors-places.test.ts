import Fastify from 'fastify'
import { createStore, crudPlugin } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { refuseBy } from '../../../../test/support/trigger.ts'
import { expectRefusals } from './support/expect-refusals.ts'
import { AMOUNT, checked, createTablesWithChecks, useTriggers } from './support/ledger-with-checks.ts'
import type { Refusing } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

type Asked = Refusing & { readonly resource: string }

const invalid = { code: 'CRUD_ERR_INVALID' } as const
const refused = { code: 'CRUD_ERR_REFUSED' } as const

describeOnBoth('what the database refuses, in the application’s own words,', (database) => {
  const asked: string[] = []
  let report: (error: Error, refusing: Asked) => unknown = () => {}
  const errors = (error: unknown, refusing: Asked): unknown => {
    asked.push(refusing.resource)
    return report(error as Error, refusing)
  }
  const service = useApp(database, checked, { plugin: { errors }, tables: createTablesWithChecks })
  useTriggers(service)
  beforeEach(() => {
    asked.splice(0)
    report = ({ message }, { refuse, invalid }) => {
      if (message.includes(AMOUNT)) invalid('amount', 'must be positive')
      else if (message.includes('account_code') || message.includes('account.code')) refuse('this code is taken')
      else refuse('the books say no')
    }
  })

  test('has the place of the row in the body, and the function is told of its resource, once', async () => {
    const entries = [
      { text: 'a', amount: 1 },
      { text: 'b', amount: -1 },
    ]
    const problem = await service.refuse('POST', '/api/account', { name: 'n', entries }, invalid)
    expectRefusals(problem, ['/entries/1/amount', 'must be positive'])
    expect(asked).toEqual(['entry'])
  })

  test('has that place in a PUT, a PATCH, and on the path below an owner', async () => {
    const { id, entries } = await service.add('/api/account', { name: 'n', entries: [{ text: 'a', amount: 1 }] })
    const [entry] = entries
    const wrong = { ...entry, amount: 0 }
    for (const [method, path, body, pointer] of [
      ['PUT', `/api/account/${id}`, { name: 'n', entries: [{ text: 'c', amount: 1 }, wrong] }, '/entries/1/amount'],
      ['PATCH', `/api/account/${id}`, { entries: [{ id: entry.id, amount: 0 }] }, '/entries/0/amount'],
      ['PATCH', `/api/account/${id}/entry/${entry.id}`, { amount: 0 }, '/amount'],
      ['PUT', `/api/account/${id}/entry/${entry.id}`, { text: 'a', amount: 0 }, '/amount'],
      ['POST', `/api/account/${id}/entry`, { text: 'a', amount: 0 }, '/amount'],
    ] as const) {
      asked.splice(0)
      expectRefusals(await service.refuse(method, path, body, invalid), [pointer, 'must be positive'])
      expect(asked).toEqual(['entry'])
    }
    const bad = { entries: [{ text: 'bad', amount: 1 }] }
    expectRefusals(await service.refuse('PATCH', `/api/account/${id}`, bad, refused), [
      '/entries/0',
      'the books say no',
    ])
  })

  test('may be of a constraint that the model does not know', async () => {
    await service.add('/api/account', { name: 'n', code: 'x' })
    const problem = await service.refuse('POST', '/api/account', { name: 'm', code: 'x' }, refused)
    expectRefusals(problem, ['', 'this code is taken'])
  })

  test('may be of what a DELETE takes along, which has no place in a body', async () => {
    const { id } = await service.add('/api/account', { name: 'n', entries: [{ text: 'kept', amount: 1 }] })
    expectRefusals(await service.refuse('DELETE', `/api/account/${id}`, undefined, refused), ['', 'the books say no'])
    report = (_, { invalid }) => invalid('text', 'is kept')
    expectRefusals(await service.refuse('DELETE', `/api/account/${id}`, undefined, invalid), ['', 'is kept'])
    const body = { name: 'n', entries: [] }
    expectRefusals(await service.refuse('PUT', `/api/account/${id}`, body, invalid), ['', 'is kept'])
    expect(asked).toEqual(['entry', 'entry', 'entry'])
    const kept = await service.add('/api/account', { name: 'kept' })
    report = (_, { refuse }) => refuse('this account is kept')
    const problem = await service.refuse('DELETE', `/api/account/${kept.id}`, undefined, refused)
    expectRefusals(problem, ['', 'this account is kept'])
  })

  test('may be of the commit: then the place is the body, and the resource that of the request', async () => {
    const problem = await service.refuse('POST', '/api/account', { name: 'late' }, refused)
    expectRefusals(problem, ['', 'the books say no'])
    report = (_, { invalid }) => invalid('name', 'is late')
    expectRefusals(await service.refuse('POST', '/api/account', { name: 'late' }, invalid), ['', 'is late'])
    expect(asked).toEqual(['account', 'account'])
  })

  test('may be of a write that would have been undone', async () => {
    const wrong = { name: 'n', entries: [{ text: 'b', amount: -1 }] }
    const { status, body } = await service.request('POST', '/api/account', wrong, { prefer: 'tx=rollback' })
    expect(status).toBe(400)
    expectRefusals(body, ['/entries/0/amount', 'must be positive'])
  })

  test('may come later: what is invalid is reported alone', async () => {
    report = async (_, { refuse, invalid }) => {
      await sql`select 1`.execute(service.db)
      refuse('no')
      invalid('amount', 'one')
      invalid('text', 'two')
    }
    const body = { name: 'n', entries: [{ text: 'b', amount: -1 }] }
    const problem = await service.refuse('POST', '/api/account', body, invalid)
    expectRefusals(problem, ['/entries/0/amount', 'one'], ['/entries/0/text', 'two'])
  })

  test('is not there if the function throws: the error is the answer', async () => {
    report = () => {
      throw Object.assign(new Error('not today'), { statusCode: 403 })
    }
    const { status, body } = await service.post('/api/account', { name: 'n', entries: [{ text: 'b', amount: -1 }] })
    expect([status, body.detail]).toEqual([403, 'not today'])
    report = () => {
      throw new Error('a secret')
    }
    await service.refuse(
      'POST',
      '/api/account',
      { name: 'n', entries: [{ text: 'b', amount: -1 }] },
      { code: 'CRUD_ERR_INTERNAL' },
    )
  })

  test('holds in a transaction of the application, where nothing is tried again', async () => {
    await service.db.transaction().execute(async (transaction) => {
      const store = storeWith(transaction, checked, {}, { errors })
      const created = store.resource('account').create({ name: 'n', entries: [{ text: 'bad', amount: 1 }] })
      await expect(created).rejects.toMatchObject({ errors: [{ pointer: '/entries/0', message: 'the books say no' }] })
      const entries = [
        { text: 'a', amount: 1 },
        { text: 'bad', amount: 1 },
      ]
      const several = store.resource('account').create({ name: 'n', entries })
      await expect(several).rejects.toMatchObject({ errors: [{ pointer: '', message: 'the books say no' }] })
      await store.resource('account').create({ name: 'm' })
    })
    expect(asked).toEqual(['entry', 'entry'])
    expect((await service.read('/api/account')).count).toBe(1)
  })

  test('is not asked for what others are in the way of, nor for what the model says', async () => {
    if (database.name === 'postgres') {
      await refuseBy(service.database, { table: 'memo', on: 'insert', when: "new.text = 'busy'", code: '40001' })
      await service.refuse('POST', '/api/memo', { text: 'busy' }, { code: 'CRUD_ERR_BUSY' })
      await refuseBy(service.database, { table: 'account', on: 'insert', when: "new.name = 'mine'", code: '42501' })
      await service.refuse('POST', '/api/account', { name: 'mine' }, { code: 'CRUD_ERR_FORBIDDEN' })
    }
    await service.refuse('POST', '/api/memo', { text: 'm', accountId: 999_999 }, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
    expect(asked).toEqual([])
  })
})

describeOnBoth('an option `errors` that is no function', (database) => {
  test('is refused at start', async () => {
    const { db, close } = await database.open()
    const options = { db, resources: checked, errors: { entry: () => {} } } as never
    expect(() => createStore(options)).toThrow('errors: must be a function')
    const app = Fastify()
    await expect((async () => await app.register(crudPlugin, options))()).rejects.toThrow('errors: must be a function')
    await close()
  })
})
