import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'

const shape = defineResources({
  shape: {
    fields: {
      points: Type.Array(Type.Object({ x: Type.Number(), y: Type.Number() }), { maxItems: 3 }),
      style: Type.Object({ color: Type.String(), width: Type.Optional(Type.Integer()) }),
      labels: Type.Optional(Type.Array(Type.String())),
      marks: Type.Optional(Type.Array(Type.Object({ at: Type.Integer() }), { maxItems: 9_000, uniqueItems: true })),
    },
  },
})

describeOnDrivers('a field declared with Type.Object or Type.Array', (database) => {
  const service = useApp(database, shape)
  const whole = { points: [{ x: 1, y: 2.5 }], style: { color: 'red' }, labels: ['a', ''] }

  test('comes back as it was given', async () => {
    const record = await service.add('/api/shape', whole)
    expect(record).toEqual({ id: record.id, ...whole, marks: null })
    expect(await service.read(`/api/shape/${record.id}`)).toEqual(record)
    const empty = { points: [], style: { color: '', width: 0 }, labels: [] }
    expect((await service.put(`/api/shape/${record.id}`, empty)).body).toEqual({ id: record.id, ...empty, marks: null })
  })

  test('a value that does not fit is 400', async () => {
    const four = [1, 2, 3, 4].map((x) => ({ x, y: x }))
    for (const [wrong, pointer] of [
      [{ points: [{ x: 1 }] }, '/points/0/y'],
      [{ points: [{ x: '1', y: 2 }] }, '/points/0/x'],
      [{ points: {} }, '/points'],
      [{ points: null }, '/points'],
      [{ points: four }, '/points'],
      [{ style: [] }, '/style'],
      [{ style: 'red' }, '/style'],
      [{ style: {} }, '/style/color'],
      [{ style: { color: 1 } }, '/style/color'],
      [{ labels: ['a', 1] }, '/labels/1'],
    ] as const) {
      const refused = { code: 'CRUD_ERR_INVALID', pointers: [pointer] } as const
      await service.refuse('POST', '/api/shape', { ...whole, ...wrong }, refused)
    }
  })

  test('a required one that is missing is 400', async () => {
    await service.refuse('POST', '/api/shape', {}, { code: 'CRUD_ERR_INVALID', pointers: ['/points', '/style'] })
  })
})

describeOnBoth('a field declared with Type.Array', (database) => {
  const service = useApp(database, shape)
  const whole = { points: [], style: { color: 'red' }, labels: [] }

  test('an array that is too long is refused for that alone, and a long one of different items is stored', async () => {
    const marks = Array.from({ length: 9_001 }, (_, at) => ({ at: at === 9_000 ? 0 : at }))
    const refused = await service.post('/api/shape', { ...whole, marks })
    expect(refused.status).toBe(400)
    expect(refused.body.errors).toMatchObject([{ pointer: '/marks', message: 'must have at most 9000 items' }])
    const record = await service.add('/api/shape', { ...whole, marks: marks.slice(0, 9_000) })
    expect(record.marks).toHaveLength(9_000)
  })
})
