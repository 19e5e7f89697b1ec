import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const form = defineResources({
  form: {
    fields: { first: Type.String(), second: Type.Integer(), third: Type.Boolean(), extra: Type.Optional(Type.Any()) },
  },
})

describeOnBoth('a body without required fields', (database) => {
  const service = useApp(database, form)

  test('is 400, every missing one listed', async () => {
    const all = { code: 'CRUD_ERR_INVALID', pointers: ['/first', '/second', '/third'] } as const
    const { id } = await service.add('/api/form', { first: 'a', second: 1, third: true })
    await service.refuse('POST', '/api/form', {}, all)
    await service.refuse('PUT', `/api/form/${id}`, {}, all)
    await service.refuse(
      'PUT',
      `/api/form/${id}`,
      { second: 2 },
      { code: 'CRUD_ERR_INVALID', pointers: ['/first', '/third'] },
    )
    await service.refuse('POST', '/api/form', { first: null, second: null, third: null }, all)
    await service.refuse('PATCH', `/api/form/${id}`, { first: null, second: null, third: null }, all)
  })
})
