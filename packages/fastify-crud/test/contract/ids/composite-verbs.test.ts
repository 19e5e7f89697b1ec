import { Type } from '@sinclair/typebox'
import { defineResources, knows, type Model, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { writesIn } from '../../../../../test/support/statement-log.ts'

// The sentences about verbs and owned arrays, where the children are told apart by their owner and a number.

const model = defineResources({
  order: { id: 'uuid', fields: { name: Type.String() }, relations: { lines: owns.many('line') } },
  line: {
    id: ['order', 'number'],
    fields: {
      number: Type.Integer(),
      text: Type.String({ minLength: 1 }),
      code: Type.Optional(Type.String()),
      grade: Type.Integer({ default: 1 }),
    },
    unique: [['order', 'code']],
    relations: { order: ownedBy('order'), tag: knows.one('tag') },
  },
  tag: { fields: { name: Type.String() } },
}) as Model

describeOnBoth('children whose ids are their owner and a number', (database) => {
  let asked: unknown[] = []
  const service = useApp(database, model, {
    plugin: {
      authorize: (_request, { action, resource, id }) => {
        asked.push([action, resource, id])
        return true
      },
    },
  })
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  let order: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const lines = [1, 2, 3].map((number) => ({ number, text: `t${number}`, code: `c${number}`, grade: number }))
    order = await service.add('/api/order', { name: 'a', lines })
    other = await service.add('/api/order', { name: 'b', lines })
    path = `/api/order/${order.id}`
    asked = []
  })

  const codesOf = (record: JsonBody) => record.lines.map(({ id, code }: JsonBody) => [id, code])

  test('swap, rotate, free and take unique values in one PUT, and keep their ids', async () => {
    for (const codes of [
      ['c2', 'c1', 'c3'],
      ['c3', 'c2', 'c1'],
      [null, null, 'c2'],
    ]) {
      const lines = order.lines.map((line: JsonBody, index: number) => ({ ...line, code: codes[index] }))
      const { status, body } = await service.put(path, { ...order, lines })
      expect(status).toBe(200)
      expect(codesOf(body)).toEqual(codes.map((code, index) => [index + 1, code]))
    }
    const handedOn = [
      { number: 4, text: 'new', code: 'c2' },
      { number: 1, text: 't1', code: 'c1' },
    ]
    expect(codesOf((await service.put(path, { name: 'a', lines: handedOn })).body)).toEqual([
      [1, 'c1'],
      [4, 'c2'],
    ])
    expect(await service.read(`/api/order/${other.id}`)).toEqual(other)
  })

  test('with the same unique value twice are 409 at both places, and nothing is stored', async () => {
    const lines = [...order.lines, { number: 8, text: 'x', code: 'z' }, { number: 9, text: 'y', code: 'z' }]
    const pointers = ['/lines/3/code', '/lines/4/code']
    await service.refuse('PUT', path, { ...order, lines }, { code: 'CRUD_ERR_NOT_UNIQUE', pointers })
  })

  test('are updated in full by PUT, with defaults and nulls for what is left out', async () => {
    const [first, ...others] = order.lines
    const { body } = await service.put(path, { name: 'a', lines: [{ number: 1, text: 'new' }, ...others] })
    expect(body.lines).toEqual([{ ...first, text: 'new', code: null, grade: 1 }, ...others])
  })

  test('all go with `[]` or without the array; null, what is no array and what is no object are 400', async () => {
    for (const lines of [null, 'x', 1, {}]) {
      await service.refuse('PUT', path, { name: 'a', lines }, { ...invalid, pointers: ['/lines'] })
      await service.refuse('PATCH', path, { lines }, { ...invalid, pointers: ['/lines'] })
    }
    for (const element of [null, [], 'x', 1]) {
      const lines = [order.lines[0], element]
      await service.refuse('PUT', path, { name: 'a', lines }, { ...invalid, pointers: ['/lines/1'] })
    }
    expect((await service.put(path, { name: 'a', lines: [] })).body.lines).toEqual([])
    expect((await service.put(`/api/order/${other.id}`, { name: 'b' })).body.lines).toEqual([])
    expect((await service.snapshot(['line'])).line).toEqual([])
  })

  test('are written all or none, also when the last of five is bad', async () => {
    const lines = [
      ...order.lines.map((line: JsonBody) => ({ ...line, text: 'new' })),
      { number: 4, text: 'x' },
      { number: 5, text: '' },
    ]
    await service.refuse('PUT', path, { name: 'new', lines }, { ...invalid, pointers: ['/lines/4/text'] })
    await service.refuse('PATCH', path, { name: 'new', lines }, { ...invalid, pointers: ['/lines/4/text'] })
    const unknown = { name: 'new', lines: [{ number: 1, text: 'x', txt: 'y' }] }
    await service.refuse('PUT', path, unknown, { ...invalid, pointers: ['/lines/0/txt'] })
  })

  test('are written by no statement where a PUT or PATCH says nothing new', async () => {
    const ids = order.lines.map(({ id }: JsonBody) => ({ id }))
    const numbers = order.lines.map(({ number }: JsonBody) => ({ number }))
    for (const [method, body] of [
      ['PUT', order],
      ['PATCH', {}],
      ['PATCH', { lines: ids }],
      ['PATCH', { lines: numbers }],
    ] as const) {
      const statements = await service.statements(async () => {
        expect(await service.request(method, path, body)).toMatchObject({ status: 200, body: order })
      })
      expect(writesIn(statements)).toEqual([])
    }
  })

  test('are asked about by their whole ids, where a path names them', async () => {
    await service.patch(`${path}/line/2`, { text: 'x' })
    await service.delete(`${path}/line/3`)
    expect(asked).toContainEqual(['Edit', 'line', `${order.id},2`])
    expect(asked).toContainEqual(['Delete', 'line', `${order.id},3`])
  })

  test('have an ETag, and `If-Match` and `If-None-Match` hold for them', async () => {
    const line = `${path}/line/1`
    const { headers } = await service.get(line)
    const tag = String(headers.etag)
    expect((await service.request('GET', line, undefined, { 'if-none-match': tag })).status).toBe(304)
    const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const
    expectProblem(await service.request('PATCH', line, { text: 'x' }, { 'if-match': '"other"' }), failed)
    expect((await service.request('PATCH', line, { text: 'x' }, { 'if-match': tag })).status).toBe(200)
    expectProblem(await service.request('DELETE', line, undefined, { 'if-match': tag }), failed)
    expect((await service.request('DELETE', line, undefined, { 'if-match': '*' })).status).toBe(204)
  })

  test('are 404 below an owner that is not there or has no such child, and 400 where the path has no number', async () => {
    const missing = '/api/order/f0000000-0000-4000-8000-000000000000/line'
    const line = { text: 'x', number: 7 }
    for (const [method, url, body] of [
      ['GET', missing],
      ['POST', missing, line],
      ['GET', `${missing}/1`],
      ['PUT', `${path}/line/7`, { text: 'x' }],
      ['PATCH', `${path}/line/7`, {}],
      ['DELETE', `${path}/line/7`],
    ] as const) {
      await service.refuse(method, url, body, { code: 'CRUD_ERR_NOT_FOUND' })
    }
    for (const wrong of ['x', '01', '1.5', `${order.id},1`]) {
      await service.refuse('GET', `${path}/line/${wrong}`, undefined, invalid)
    }
    expect((await service.request('HEAD', `${path}/line/1`)).status).toBe(200)
    expectProblem(await service.post(`${path}/line/1/x`, {}), { code: 'CRUD_ERR_NOT_FOUND' })
    expect((await service.delete(`${path}/line/1`)).status).toBe(204)
    await service.refuse('DELETE', `${path}/line/1`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('know a record as long as it is there, and name none that is not', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    const known = await service.patch(path, { lines: [{ number: 2, tagId: tag.id }] })
    expect(known.body.lines[1]).toMatchObject({ tagId: tag.id, tag })
    const wrong = { lines: [{ number: 2, tagId: tag.id + 1_000 }] }
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/lines/0/tagId'] } as const
    await service.refuse('PATCH', path, wrong, unknown)
    expect((await service.delete(`/api/tag/${tag.id}`)).status).toBe(204)
    expect(await service.read(path)).toEqual(order)
  })
})
