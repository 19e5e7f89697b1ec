import { Type as TypeBox } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyId } from '../../../../test/support/test-ids.ts'

const fields = {
  typebox1: Type.Optional(Type.String({ maxLength: 3 })),
  typebox034: TypeBox.Optional(TypeBox.String({ maxLength: 3 })),
  plain: { type: ['string', 'null'], maxLength: 3, default: null },
} as const

const makers = defineResources({
  shelf: {
    fields: { ...fields, size: Type.Object({ width: Type.Number(), height: Type.Optional(Type.Number()) }) },
    relations: { boxes: owns.many('box') },
  },
  box: { fields: { ...fields, count: { type: 'integer', minimum: 0 } }, relations: { shelf: ownedBy('shelf') } },
})

describeOnBoth('fields declared with typebox 1, TypeBox 0.34 or plain JSON Schema', (database) => {
  const service = useApp(database, makers)
  const size = { width: 1.5 }
  const nothing = { typebox1: null, typebox034: null, plain: null }

  test('may be left out where they are optional, and are null then', async () => {
    const shelf = await service.add('/api/shelf', { size, boxes: [{ count: 1 }] })
    expect(shelf).toEqual({ id: shelf.id, ...nothing, size, boxes: [{ id: anyId, ...nothing, count: 1 }] })
    const full = { typebox1: 'a', typebox034: 'b', plain: 'c', size: { width: 1, height: 2 } }
    await service.put(`/api/shelf/${shelf.id}`, full)
    expect((await service.put(`/api/shelf/${shelf.id}`, { size })).body).toEqual({
      id: shelf.id,
      ...nothing,
      size,
      boxes: [],
    })
  })

  test('are required else, and all are checked', async () => {
    await service.refuse(
      'POST',
      '/api/shelf',
      { boxes: [{}] },
      { code: 'CRUD_ERR_INVALID', pointers: ['/size', '/boxes/0/count'] },
    )
    const long = { typebox1: 'long', typebox034: 'long', plain: 'long' }
    await service.refuse(
      'POST',
      '/api/shelf',
      { ...long, size: { width: 'x' }, boxes: [{ ...long, count: -1 }] },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: [
          '/typebox1',
          '/typebox034',
          '/plain',
          '/size/width',
          '/boxes/0/typebox1',
          '/boxes/0/typebox034',
          '/boxes/0/plain',
          '/boxes/0/count',
        ],
      },
    )
  })
})
