import { Type } from '@sinclair/typebox'
import { defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

// `0` is a value, not absence, and so is an empty text: in a part of an id as everywhere.

const model = defineResources({
  order: {
    id: 'integer',
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), page: owns.one('page') },
  },
  line: {
    id: ['order', 'number'],
    fields: { number: Type.Integer(), text: Type.String() },
    unique: [['order', 'text']],
    relations: { order: ownedBy('order') },
  },
  page: {
    id: ['order', 'number'],
    fields: { number: Type.Integer(), text: Type.String() },
    relations: { order: ownedBy('order') },
  },
  word: { id: ['text', 'number'], fields: { text: Type.String(), number: Type.Integer(), hits: Type.Integer() } },
}) as Model

describeOnBoth('parts of ids that are 0 or empty', (database) => {
  const service = useApp(database, model)
  let path: string

  beforeEach(async () => {
    const { id } = await service.add('/api/order', { name: 'a' })
    path = `/api/order/${id}`
  })

  test('are those of children that are made, found, changed and removed', async () => {
    const lines = [0, -1, 1].map((number) => ({ number, text: `t${number}` }))
    const { body: order } = await service.put(path, { name: 'a', lines })
    expect(order.lines.map(({ id }: JsonBody) => id)).toEqual([-1, 0, 1])
    expect(await service.read(`${path}/line/0`)).toEqual({ id: 0, number: 0, text: 't0' })
    for (const line of [
      { number: 0, text: 'by the member' },
      { id: 0, text: 'by the id' },
      { id: 0, number: 0, text: 'by both' },
    ]) {
      const { body, status } = await service.patch(path, { lines: [line] })
      expect([status, body.lines.map(({ text }: JsonBody) => text)]).toEqual([200, ['t-1', line.text, 't1']])
    }
    expect((await service.put(path, { name: 'a', lines: [{ id: 0, text: 't1' }] })).body.lines).toEqual([
      { id: 0, number: 0, text: 't1' },
    ])
    expect((await service.delete(`${path}/line/0`)).status).toBe(204)
    expect((await service.read(path)).lines).toEqual([])
  })

  test('are those of children that are made below their owner', async () => {
    const created = await service.post(`${path}/line`, { number: 0, text: 'x' })
    expect(created).toMatchObject({ status: 201, body: { id: 0, number: 0 }, headers: { location: `${path}/line/0` } })
    await service.refuse('POST', `${path}/line`, { number: 0, text: 'y' }, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse('POST', `${path}/line/0`, { text: 'y' }, { code: 'CRUD_ERR_EXISTS' })
    expect((await service.delete(`${path}/line/0`)).status).toBe(204)
    expect(await service.post(`${path}/line/0`, { text: 'y' })).toMatchObject({
      status: 201,
      body: { id: 0, number: 0 },
    })
    expect(await service.put(`${path}/line/0`, { text: 'z' })).toMatchObject({
      status: 200,
      body: { id: 0, text: 'z' },
    })
    expect(await service.put(`${path}/line`, { number: 0, text: 'u' })).toMatchObject({ status: 200, body: { id: 0 } })
  })

  test('are those of the one child that an owner has', async () => {
    const { body: made } = await service.patch(path, { page: { number: 0, text: 'a' } })
    expect(made.page).toEqual({ id: 0, number: 0, text: 'a' })
    for (const page of [{ text: 'b' }, { id: 0, text: 'c' }, { number: 0, text: 'd' }]) {
      expect(await service.patch(path, { page })).toMatchObject({ status: 200, body: { page: { id: 0, ...page } } })
      expect(await service.put(path, { name: 'a', page })).toMatchObject({
        status: 200,
        body: { page: { id: 0, ...page } },
      })
    }
    const pointers = ['/page/number']
    await service.refuse('PATCH', path, { page: { id: 0, number: 1 } }, { code: 'CRUD_ERR_INVALID', pointers })
    expect((await service.put(path, { name: 'a', page: null })).body.page).toBeNull()
  })

  test('are told apart from what is left out, and from each other', async () => {
    const word = await service.add('/api/word', { text: '', number: 0, hits: 0 })
    expect(word.id).toBe(',0')
    expect(await service.read('/api/word/,0')).toEqual(word)
    await service.refuse(
      'POST',
      '/api/word',
      { text: '', hits: 0 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/number'] },
    )
    await service.refuse('POST', '/api/word', { number: 0, hits: 0 }, { code: 'CRUD_ERR_INVALID', pointers: ['/text'] })
    expect((await service.add('/api/word', { text: '0', number: 0, hits: 0 })).id).toBe('0,0')
    expect(await service.put('/api/word', { text: '', number: 0, hits: 1 })).toMatchObject({
      body: { id: ',0', hits: 1 },
    })
    expect((await service.delete('/api/word/,0')).status).toBe(204)
    expect((await service.read('/api/word')).count).toBe(1)
  })
})
