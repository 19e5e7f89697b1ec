import { Type } from '@sinclair/typebox'
import { type AccessQuestion, type Authorize, defineActions, defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'

const resources = defineResources({
  invoice: {
    fields: {
      status: Type.String({ default: 'draft' }),
      total: Type.Integer(),
      paidOn: Type.Optional(Type.String({ format: 'date' })),
      owner: Type.String({ default: 'ada' }),
      secret: Type.Optional(Type.String({ access: { View: ['boss'], Edit: ['boss'] } })),
    },
    relations: { lines: owns.many('line') },
  },
  line: {
    topLevel: true,
    ifMatch: 'required',
    fields: { text: Type.String(), amount: Type.Integer({ default: 0 }) },
    relations: { invoice: ownedBy('invoice') },
  },
})

const told: unknown[] = []

const actions = defineActions(resources, {
  invoice: {
    pay: {
      body: Type.Object({ paidOn: Type.String({ format: 'date' }) }),
      asks: 'Edit',
      async run({ id, body, store, refuse, invalid, afterCommit }) {
        told.push('run')
        const { total } = await store.invoice.find(id)
        if (total === 0) refuse('an empty invoice cannot be paid')
        if (body.paidOn < '2000-01-01') invalid('paidOn', 'is too long ago')
        await store.invoice.patch(id, { status: 'paid', ...body })
        afterCommit(() => void told.push('mail'))
      },
    },
    remind: {
      on: 'list',
      asks: 'View',
      query: Type.Object({
        least: Type.Optional(Type.Integer()),
        urgent: Type.Optional(Type.Boolean()),
        of: Type.Optional(Type.Array(Type.Integer())),
      }),
      answer: Type.Object({ sent: Type.Integer(), query: Type.Any() }),
      async run({ store, query }) {
        const { count } = await store.invoice.list({ filter: { total: { gte: query.least ?? 0 } } })
        return { sent: count, query }
      },
    },
    reset: {
      on: 'list',
      asks: 'Add',
      run: async ({ store, system }) =>
        void told.push((await store.invoice.list()).count, (await system.invoice.list()).count),
    },
    remove: { asks: 'Delete', run: ({ id, store }) => store.invoice.delete(id) },
    copy: { asks: 'Add', run: () => undefined },
    forge: { asks: 'View', run: ({ id, store }) => store.invoice.patch(id, { owner: 'bob' }) },
    hide: { asks: 'View', run: ({ id, system }) => system.invoice.patch(id, { owner: 'bob' }) },
    tell: {
      asks: 'View',
      body: Type.Object({ secret: Type.String() }),
      run: ({ id, body, store }) => store.invoice.patch(id, body),
    },
    fail: {
      asks: 'View',
      run() {
        throw Object.assign(new Error('no such page'), { statusCode: 404 })
      },
    },
    tally: {
      method: 'GET',
      asks: 'View',
      answer: Type.Object({ lines: Type.Integer() }),
      run: async ({ id, store }) => ({ lines: (await store.invoice.owned(id, 'lines').list()).count }),
    },
    look: { method: 'GET', asks: 'View', run: () => undefined },
    large: {
      asks: 'View',
      answer: Type.String(),
      body: Type.Object({ size: Type.Integer() }),
      async run({ id, body, store }) {
        await store.invoice.patch(id, { total: 77 })
        return 'x'.repeat(body.size)
      },
    },
    grow: {
      asks: 'View',
      async run({ id, store }) {
        for (const text of ['x', 'y'])
          await store.invoice.owned(id, 'lines').create({ text: text.repeat(1_500), amount: 0 })
      },
    },
  },
  line: {
    double: {
      asks: 'Edit',
      async run({ id, owners, db }) {
        told.push(owners)
        await db
          .updateTable('line')
          .set(({ eb }) => ({ amount: eb('amount', '*', 2) }))
          .where('id', '=', id)
          .execute()
      },
    },
    sum: { on: 'list', asks: 'View', answer: Type.Array(Type.Integer()), run: ({ owners }) => [...owners] as number[] },
  },
})

const DAY = { paidOn: '2026-11-30' }

describeOnBoth('actions over HTTP', (database) => {
  let asked: unknown[] = []
  let allows: (question: AccessQuestion) => boolean = () => true
  const authorize: Authorize = (_, question) => {
    const { action, resource, id, operation } = question
    asked.push([action, resource, operation, id])
    return allows(question)
  }
  const service = useApp(database, resources, {
    plugin: {
      actions: actions as never,
      authorize,
      caller: ({ headers }) => ({ id: headers['x-user'] ?? 'ada', roles: [headers['x-role'] ?? 'clerk'] }),
      limits: { maxAnswer: 2_000 },
      policies: {
        invoice: {
          clerk: {
            View: ({ eb, my }) => eb('owner', '=', my('id')),
            Edit: { before: ({ eb }) => eb('status', '=', 'draft'), after: true },
            Add: ({ eb }) => eb('total', '<', 1_000),
            Delete: ({ eb }) => eb('total', '=', 0),
          },
          boss: true,
        },
      },
    },
  })
  const send = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    service.request('POST', path, body, headers)

  let invoice: JsonBody
  let path: string
  beforeEach(async () => {
    allows = () => true
    invoice = await service.add('/api/invoice', { total: 5, lines: [{ text: 'tea', amount: 2 }] })
    path = `/api/invoice/${invoice.id}`
    told.splice(0)
    asked = []
  })

  test('POST carries one out, and answers with the record and its ETag', async () => {
    const answer = await send(`${path}/$act/pay`, DAY)
    expect(answer).toMatchObject({ status: 200, body: { id: invoice.id, status: 'paid', ...DAY } })
    const { headers, body } = await service.get(path)
    expect(answer.headers.etag).toBe(headers.etag)
    expect(answer.body).toEqual(body)
    await expect.poll(() => told).toEqual(['run', 'mail'])
  })

  test('authorize is asked for the action by its name, and not for what the action writes', async () => {
    await send(`${path}/$act/pay`, DAY)
    expect(asked.filter((one) => (one as unknown[])[0] !== 'View')).toEqual([['Edit', 'invoice', 'pay', invoice.id]])
    allows = ({ operation }) => operation !== 'pay'
    expectProblem(await send(`${path}/$act/pay`, {}), { code: 'CRUD_ERR_FORBIDDEN' })
    asked = []
    expect((await send('/api/invoice/$act/reset')).status).toBe(204)
    expect(asked).toEqual([['Add', 'invoice', 'reset', undefined]])
  })

  test('authorize hides from the answer what the caller may not see', async () => {
    allows = ({ action, resource }) => action !== 'View' || resource !== 'line'
    const answer = await send(`${path}/$act/pay`, DAY)
    expect(answer.body).not.toHaveProperty('lines')
    allows = ({ action, resource }) => action !== 'View' || resource !== 'invoice'
    const other = await service.db
      .insertInto('invoice')
      .values({ status: 'draft', total: 1, owner: 'ada' })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await send(`/api/invoice/${other.id}/$act/pay`, DAY)).toMatchObject({ status: 204, body: undefined })
  })

  test('all that is wrong with the query, the body and the headers is said at once', async () => {
    const answer = await send(`${path}/$act/pay?x=1`, { paidOn: 'soon', a: 1 }, { prefer: 'max-affected=2' })
    expectProblem(answer, { code: 'CRUD_ERR_INVALID', parameters: ['x', 'Prefer'], pointers: ['/paidOn', '/a'] })
    const lacking = await send(`${path}/$act/pay`, undefined)
    expectProblem(lacking, { code: 'CRUD_ERR_INVALID', pointers: [''] })
    expect(lacking.body.detail).toBe('a body is required')
    expect(told).toEqual([])
  })

  test('behind the body come 404, the policy, the condition and then run', async () => {
    expectProblem(await send('/api/invoice/987654321/$act/pay', {}), {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/paidOn'],
    })
    const stale = { 'if-match': '"x"' }
    expectProblem(await send('/api/invoice/987654321/$act/pay', DAY, stale), { code: 'CRUD_ERR_NOT_FOUND' })
    expectProblem(await send(`${path}/$act/pay`, DAY, { 'x-user': 'bob' }), { code: 'CRUD_ERR_NOT_FOUND' })
    await service.db.updateTable('invoice').set({ status: 'sent' }).execute()
    expectProblem(await send(`${path}/$act/pay`, DAY, stale), { code: 'CRUD_ERR_FORBIDDEN' })
    await service.db.updateTable('invoice').set({ status: 'draft' }).execute()
    expectProblem(await send(`${path}/$act/pay`, DAY, stale), { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    expect(told).toEqual([])
    const { etag } = (await service.get(path)).headers
    expect((await send(`${path}/$act/pay`, DAY, { 'if-match': String(etag) })).status).toBe(200)
  })

  test('an action may ask Add or Delete of the row as it is stored', async () => {
    expect((await send(`${path}/$act/copy`)).status).toBe(200)
    expectProblem(await send(`${path}/$act/remove`), { code: 'CRUD_ERR_FORBIDDEN' })
    await service.db.updateTable('invoice').set({ total: 5_000 }).execute()
    expectProblem(await send(`${path}/$act/copy`), { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('the store of run is the caller’s: its policies, and its rights to fields', async () => {
    expectProblem(await send(`${path}/$act/tell`, { secret: 'x' }), { code: 'CRUD_ERR_INVALID' })
    expect((await send(`${path}/$act/tell`, { secret: 'x' }, { 'x-role': 'boss' })).body).toMatchObject({ secret: 'x' })
    await service.db.updateTable('invoice').set({ status: 'sent' }).execute()
    expectProblem(await send(`${path}/$act/forge`), { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('system is the application’s own, and a record that is out of sight is no answer', async () => {
    await service.db.insertInto('invoice').values({ status: 'draft', total: 1, owner: 'eve' }).execute()
    await send('/api/invoice/$act/reset')
    const [mine, all] = told as [number, number]
    expect(all).toBeGreaterThan(mine)
    expect(await send(`${path}/$act/hide`)).toMatchObject({ status: 204, body: undefined })
    expect(await send(`${path}/$act/forge`, undefined, { 'x-user': 'bob', 'x-role': 'boss' })).toMatchObject({
      status: 200,
    })
  })

  test('refuse is 409, and invalid 400 at its pointer; nothing is stored', async () => {
    await service.patch(path, { total: 0 })
    expectProblem(await send(`${path}/$act/pay`, DAY), { code: 'CRUD_ERR_REFUSED', detail: /an empty invoice/ })
    expectProblem(await send(`${path}/$act/pay`, { paidOn: '1999-01-01' }), {
      code: 'CRUD_ERR_INVALID',
      pointers: ['/paidOn'],
    })
    expect(await service.read(path)).toMatchObject({ status: 'draft' })
    expect(told).toEqual(['run', 'run'])
  })

  test('any other error is 500, whatever status it has', async () => {
    expectProblem(await send(`${path}/$act/fail`), { code: 'CRUD_ERR_INTERNAL' })
  })

  test('a record that is gone is 204', async () => {
    await service.patch(path, { total: 0 })
    expect(await send(`${path}/$act/remove`)).toMatchObject({ status: 204, body: undefined })
    expect((await service.get(path)).status).toBe(404)
  })

  test('an action of the collection has its query in the types of its schema', async () => {
    const answer = await send('/api/invoice/$act/remind?least=3&urgent=true&of=1&of=2')
    expect(answer).toMatchObject({ status: 200, body: { sent: expect.any(Number) } })
    expect(answer.body.query).toEqual({ least: 3, urgent: true, of: [1, 2] })
    expect(answer.headers.etag).toBeUndefined()
    const wrong = await send('/api/invoice/$act/remind?least=x&least=y&urgent=1&other=1')
    expectProblem(wrong, { code: 'CRUD_ERR_INVALID', parameters: ['least', 'urgent', 'other'] })
    const messages = wrong.body.errors.map(({ message }: JsonBody) => message)
    expect(messages.sort()).toEqual([
      "the query parameter 'least' must be integer",
      "the query parameter 'least' occurs twice",
      "the query parameter 'urgent' must be boolean",
      "there is no query parameter 'other'",
    ])
  })

  describe('GET', () => {
    test('answers, and HEAD its headers', async () => {
      expect(await service.get(`${path}/$act/tally`)).toMatchObject({ status: 200, body: { lines: 1 } })
      const head = await service.request('HEAD', `${path}/$act/tally`)
      expect(head).toMatchObject({ status: 200, body: undefined })
      expectProblem(await service.get('/api/invoice/987654321/$act/tally'), { code: 'CRUD_ERR_NOT_FOUND' })
    })

    test('of the record has its ETag, and 304', async () => {
      const { headers, body } = await service.get(`${path}/$act/look`)
      expect(body).toEqual(await service.read(path))
      const again = await service.request('GET', `${path}/$act/look`, undefined, {
        'if-none-match': String(headers.etag),
      })
      expect(again.status).toBe(304)
      const stale = await service.request('GET', `${path}/$act/look`, undefined, { 'if-match': '"x"' })
      expectProblem(stale, { code: 'CRUD_ERR_PRECONDITION', status: 412 })
    })

    test('other methods are 405', async () => {
      const answer = await service.get(`${path}/$act/pay`)
      expectProblem(answer, { code: 'CRUD_ERR_METHOD' })
      expect(answer.headers.allow).toBe('POST')
      expectProblem(await send(`${path}/$act/tally`), { code: 'CRUD_ERR_METHOD' })
      expectProblem(await send(`${path}/$act/unknown`), { code: 'CRUD_ERR_NOT_FOUND' })
    })
  })

  describe('Prefer', () => {
    test('return=minimal leaves out the answer', async () => {
      const answer = await send(`${path}/$act/pay`, DAY, { prefer: 'return=minimal' })
      expect(answer).toMatchObject({
        status: 204,
        body: undefined,
        headers: { 'preference-applied': 'return=minimal' },
      })
      expect(await service.read(path)).toMatchObject({ status: 'paid' })
    })

    test('return=representation is what it is', async () => {
      const answer = await send(`${path}/$act/pay`, DAY, { prefer: 'return=representation' })
      expect(answer).toMatchObject({ status: 200, headers: { 'preference-applied': 'return=representation' } })
    })

    test('tx=rollback stores nothing, runs no afterCommit and has no ETag', async () => {
      const answer = await send(`${path}/$act/pay`, DAY, { prefer: 'tx=rollback' })
      expect(answer).toMatchObject({
        status: 200,
        body: { status: 'paid' },
        headers: { 'preference-applied': 'tx=rollback' },
      })
      expect(answer.headers.etag).toBeUndefined()
      expect(await service.read(path)).toMatchObject({ status: 'draft' })
      expect(told).toEqual(['run'])
    })
  })

  describe('Idempotency-Key', () => {
    const boss = { 'x-role': 'boss' }

    test('a repeat is not run again', async () => {
      const key = { 'idempotency-key': 'a', ...boss }
      const first = await send(`${path}/$act/pay`, DAY, key)
      await service.request('PATCH', path, { total: 9 }, boss)
      const second = await send(`${path}/$act/pay`, DAY, key)
      expect(second).toMatchObject({ status: 200, body: { ...first.body, total: 9 } })
      expect(second.headers.etag).toBe((await service.request('GET', path, undefined, boss)).headers.etag)
      await expect.poll(() => told).toEqual(['run', 'mail'])
      expectProblem(await send(`${path}/$act/pay`, { paidOn: '2026-01-01' }, key), { code: 'CRUD_ERR_REPEAT' })
    })

    test('two at once run once', async () => {
      const key = { 'idempotency-key': 'at once', ...boss }
      const answers = await Promise.all([1, 2, 3].map(() => send(`${path}/$act/pay`, DAY, key)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(told.filter((one) => one === 'run')).toHaveLength(1)
    })

    test('what was answered is answered again, whatever has become of it', async () => {
      const key = { 'idempotency-key': 'b' }
      const first = await send('/api/invoice/$act/remind', undefined, key)
      await service.add('/api/invoice', { total: 1 })
      expect((await send('/api/invoice/$act/remind', undefined, key)).body).toEqual(first.body)
      expect(await send('/api/invoice/$act/reset', undefined, key)).toMatchObject({ status: 204 })
      const count = told.length
      expect(await send('/api/invoice/$act/reset', undefined, key)).toMatchObject({ status: 204 })
      expect(told).toHaveLength(count)
    })

    test('a repeat asks the policy again, unless the record was gone', async () => {
      const key = { 'idempotency-key': 'c' }
      expect((await send(`${path}/$act/pay`, DAY, key)).status).toBe(200)
      expectProblem(await send(`${path}/$act/pay`, DAY, key), { code: 'CRUD_ERR_FORBIDDEN' })
      const { id } = await service.add('/api/invoice', { total: 0 })
      const gone = () => send(`/api/invoice/${id}/$act/remove`, undefined, key)
      expect((await gone()).status).toBe(204)
      expect((await gone()).status).toBe(204)
    })

    test('what was refused is run again', async () => {
      await service.patch(path, { total: 0 })
      const key = { 'idempotency-key': 'd' }
      expectProblem(await send(`${path}/$act/pay`, DAY, key), { code: 'CRUD_ERR_REFUSED' })
      await service.patch(path, { total: 1 })
      expect((await send(`${path}/$act/pay`, DAY, key)).status).toBe(200)
    })
  })

  test('an answer that is too large is 400, and nothing is stored', async () => {
    expectProblem(await send(`${path}/$act/large`, { size: 3_000 }), { code: 'CRUD_ERR_TOO_LARGE' })
    expect(await service.read(path)).toMatchObject({ total: 5 })
    expect(await send(`${path}/$act/large`, { size: 3 })).toMatchObject({ status: 200, body: 'xxx' })
  })

  test('a record that is too large is not shown, as in all writes', async () => {
    expect(await send(`${path}/$act/grow`)).toMatchObject({ status: 200, body: undefined })
  })

  describe('of what a record owns', () => {
    const first = () => invoice.lines[0].id

    test('has the same paths below the owner and at the top', async () => {
      const etagAt = async (of: string) => String((await service.get(of)).headers.etag)
      for (const of of [`${path}/line/${first()}`, `/api/line/${first()}`]) {
        expectProblem(await send(`${of}/$act/double`), { code: 'CRUD_ERR_PRECONDITION', status: 428 })
        const answer = await send(`${of}/$act/double`, undefined, { 'if-match': await etagAt(of) })
        expect(answer.status).toBe(200)
        expect(answer.body).toEqual(await service.read(of))
      }
      expect(await service.read(`/api/line/${first()}`)).toMatchObject({ amount: 8 })
      expect(told).toEqual([[invoice.id], [invoice.id]])
    })

    test('of the collection knows its owners', async () => {
      expect((await send(`${path}/line/$act/sum`)).body).toEqual([invoice.id])
      expect((await send('/api/line/$act/sum')).body).toEqual([])
      expectProblem(await send('/api/invoice/987654321/line/$act/sum'), { code: 'CRUD_ERR_NOT_FOUND' })
      expectProblem(await send(`${path}/line/$act/sum`, undefined, { 'x-user': 'bob' }), {
        code: 'CRUD_ERR_NOT_FOUND',
      })
    })
  })
})
