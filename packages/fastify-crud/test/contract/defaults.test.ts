import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const setting = defineResources({
  setting: {
    fields: {
      label: Type.Optional(Type.String()),
      text: Type.String({ default: 'hello' }),
      count: Type.Integer({ default: 0 }),
      active: Type.Boolean({ default: false }),
      ratio: Type.Optional(Type.Number({ default: 0.5 })),
      color: Type.Optional(Type.Union([Type.Literal('red'), Type.Literal('blue')], { default: 'red' })),
      data: Type.Optional(Type.Object({ a: Type.Integer() }, { default: { a: 1 } })),
    },
  },
})

const defaults = {
  label: null,
  text: 'hello',
  count: 0,
  active: false,
  ratio: 0.5,
  color: 'red',
  data: { a: 1 },
}

describeOnBoth('a field with a `default`', (database) => {
  const service = useApp(database, setting)

  test('used when it is missing from POST', async () => {
    const record = await service.add('/api/setting', {})
    expect(record).toEqual({ id: record.id, ...defaults })
    expect(await service.read(`/api/setting/${record.id}`)).toEqual(record)
  })

  test('used when it is missing from PUT', async () => {
    const other = { label: 'l', text: 't', count: 9, active: true, ratio: 2, color: 'blue', data: { a: 2 } }
    const { id } = await service.add('/api/setting', other)
    expect((await service.put(`/api/setting/${id}`, {})).body).toEqual({ id, ...defaults })
  })

  test('not used by PATCH', async () => {
    const other = { label: 'l', text: 't', count: 9, active: true, ratio: 2, color: 'blue', data: { a: 2 } }
    const { id } = await service.add('/api/setting', other)
    expect((await service.patch(`/api/setting/${id}`, { label: 'm' })).body).toEqual({ id, ...other, label: 'm' })
  })

  test('an explicit `null` is null', async () => {
    const nothing = { ratio: null, color: null, data: null }
    const { id, ...fields } = await service.add('/api/setting', nothing)
    expect(fields).toEqual({ ...defaults, ...nothing })
    await service.put(`/api/setting/${id}`, {})
    expect((await service.put(`/api/setting/${id}`, nothing)).body).toEqual({ id, ...defaults, ...nothing })
    await service.put(`/api/setting/${id}`, {})
    expect((await service.patch(`/api/setting/${id}`, nothing)).body).toEqual({ id, ...defaults, ...nothing })
  })

  test('or 400 where null is not allowed', async () => {
    const { id } = await service.add('/api/setting', {})
    const body = { text: null, count: null, active: null }
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/text', '/count', '/active'] } as const
    await service.refuse('POST', '/api/setting', body, refused)
    await service.refuse('PUT', `/api/setting/${id}`, body, refused)
    await service.refuse('PATCH', `/api/setting/${id}`, body, refused)
  })

  test('the value that equals the default can be given', async () => {
    const { id: _, ...fields } = await service.add('/api/setting', { text: 'hello', count: 0, active: false })
    expect(fields).toEqual(defaults)
  })
})
