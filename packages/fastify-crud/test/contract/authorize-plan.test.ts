import { Type } from '@sinclair/typebox'
import { type AccessQuestion, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { missingId } from '../../../../test/support/test-ids.ts'

const shop = defineResources({
  order: {
    fields: { name: Type.String() },
    relations: {
      lines: owns.many('line'),
      tags: knows.many('tag', { through: 'order_tag', from: 'orderId', to: 'tagId' }),
    },
  },
  line: {
    fields: { text: Type.String() },
    relations: { order: ownedBy('order'), notes: owns.many('note'), product: knows.one('product') },
  },
  note: { fields: { text: Type.String() }, relations: { line: ownedBy('line') } },
  product: { fields: { name: Type.String() } },
  offer: { fields: { name: Type.String() }, relations: { product: needs.one('product') } },
  tag: {
    fields: { name: Type.String() },
    relations: { orders: knows.many('order', { through: 'order_tag', from: 'tagId', to: 'orderId' }) },
  },
})

describeOnBoth('`authorize`, about what a write does to other records,', (database) => {
  let asked: AccessQuestion[] = []
  let answer: (question: AccessQuestion) => unknown
  const service = useApp(database, shop, {
    plugin: {
      openapi: { responses: { 401: { description: 'Who are you?' } } },
      authorize(_request, question) {
        // What answers show has a file of its own.
        if (question.action !== 'View') asked.push(question)
        return answer(question) as boolean
      },
    },
  })
  let order: JsonBody
  let path: string

  beforeEach(async () => {
    answer = () => true
    order = await service.add('/api/order', {
      name: 'o',
      lines: [{ text: 'a', notes: [{ text: 'n' }] }, { text: 'b' }, { text: 'c' }],
    })
    path = `/api/order/${order.id}`
    asked = []
  })

  const pairs = () => asked.map(({ action, resource }) => `${action} ${resource}`).sort()

  function no(...refused: string[]): void {
    answer = ({ action, resource }) => !refused.includes(`${action} ${resource}`)
  }

  test('is asked once for each action and resource of a PUT, and not for what stays', async () => {
    const [a, b] = order.lines
    const lines = [{ ...a, text: 'A' }, { ...b, text: 'B' }, { text: 'd' }, { text: 'e' }]
    expect((await service.put(path, { ...order, lines })).status).toBe(200)
    expect(pairs()).toEqual(['Add line', 'Delete line', 'Edit line', 'Edit order'])
  })

  test('is told the record that the request is about, and the operation', async () => {
    const { status } = await service.patch(path, { lines: [{ text: 'd', notes: [{ text: 'n' }] }] })
    expect(status).toBe(200)
    const origin = { resource: 'order', id: order.id }
    const common = { operation: 'patch', origin, caller: undefined }
    expect(asked).toEqual([
      { action: 'Edit', resource: 'order', id: order.id, ...common },
      { action: 'Add', resource: 'line', id: undefined, ...common },
      { action: 'Add', resource: 'note', id: undefined, ...common },
    ])
  })

  test('is not asked more where nothing else changes', async () => {
    expect((await service.put(path, order)).status).toBe(200)
    expect((await service.patch(path, { name: 'p' })).status).toBe(200)
    expect(pairs()).toEqual(['Edit order', 'Edit order'])
  })

  test('is asked about everything that a DELETE takes along', async () => {
    expect((await service.delete(path)).status).toBe(204)
    expect(pairs()).toEqual(['Delete line', 'Delete note', 'Delete order'])
  })

  test('is asked about all that a POST creates', async () => {
    await service.add('/api/order', { name: 'p', lines: [{ text: 'a', notes: [{ text: 'n' }, { text: 'm' }] }] })
    expect(pairs()).toEqual(['Add line', 'Add note', 'Add order'])
  })

  test('is asked about the other record of a link that both show', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    asked = []
    expect((await service.patch(path, { tags: [{ id: tag.id }] })).status).toBe(200)
    expect(pairs()).toEqual(['Edit order', 'Edit tag'])
    asked = []
    expect((await service.put(`/api/tag/${tag.id}`, { name: 't', orders: [] })).status).toBe(200)
    expect(pairs()).toEqual(['Edit order', 'Edit tag'])
  })

  test('is not asked about a record that lets go of what is deleted', async () => {
    const product = await service.add('/api/product', { name: 'p' })
    await service.patch(path, { lines: [{ id: order.lines[0].id, productId: product.id }] })
    asked = []
    expect((await service.delete(`/api/product/${product.id}`)).status).toBe(204)
    expect(pairs()).toEqual(['Delete product'])
  })

  test('refuses the whole write by a single no, which points to what is not allowed', async () => {
    const [a, b] = order.lines
    const body = { name: 'p', lines: [{ ...a, text: 'A' }, b, { text: 'd', notes: [{ text: 'n' }, { text: 'm' }] }] }
    no('Add note')
    const pointers = ['/lines/2/notes/0', '/lines/2/notes/1']
    const added = { code: 'CRUD_ERR_FORBIDDEN', pointers, detail: /^Add of note is not allowed$/ } as const
    await service.refuse('PUT', path, body, added)
    await service.refuse('PATCH', path, body, added)
    no('Delete line', 'Edit line')
    const refused = { code: 'CRUD_ERR_FORBIDDEN', pointers: ['/lines/0', '/lines'] } as const
    await service.refuse('PUT', path, body, { ...refused, detail: /^Edit of line, Delete of line are not allowed$/ })
    no('Delete note')
    await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_FORBIDDEN', pointers: [] })
    no('Add line')
    const created = { name: 'p', lines: [{ text: 'a' }, { text: 'b' }] }
    const pointersOfNew = { code: 'CRUD_ERR_FORBIDDEN', pointers: ['/lines/0', '/lines/1'] } as const
    await service.refuse('POST', '/api/order', created, pointersOfNew)
  })

  test('refuses by any answer but true', async () => {
    for (const other of [false, undefined, null, 'true', 1, Promise.resolve('true'), Promise.resolve(undefined)]) {
      answer = ({ action, resource }) => (action === 'View' || resource === 'order' ? true : other)
      await service.refuse(
        'PATCH',
        path,
        { lines: [{ text: 'd' }] },
        { code: 'CRUD_ERR_FORBIDDEN', pointers: ['/lines/0'] },
      )
    }
  })

  test('does not refuse a DELETE for records that are not there', async () => {
    const bare = await service.add('/api/order', { name: 'bare' })
    no('Delete line')
    expect((await service.delete(`/api/order/${bare.id}`)).status).toBe(204)
    const note = order.lines[0].notes[0]
    no('Delete line', 'Delete order')
    expect((await service.delete(`${path}/line/${order.lines[0].id}/note/${note.id}`)).status).toBe(204)
  })

  test('comes behind what the body says wrong, and ahead of what is still needed', async () => {
    no('Edit line', 'Delete line')
    const lines = [{ ...order.lines[0], productId: missingId('product') }]
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/lines/0/productId'] } as const
    await service.refuse('PATCH', path, { lines }, unknown)
    const product = await service.add('/api/product', { name: 'p' })
    await service.add('/api/offer', { name: 'o', productId: product.id })
    no()
    await service.refuse('DELETE', `/api/product/${product.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
  })

  test('may answer late, and keeps nobody waiting meanwhile', async () => {
    const other = await service.add('/api/order', { name: 'other' })
    const isAsked = Promise.withResolvers<void>()
    const late = Promise.withResolvers<boolean>()
    answer = ({ action, resource, operation }) => {
      if (action === 'View' || resource === 'order' || operation !== 'replace') return true
      isAsked.resolve()
      return late.promise
    }
    asked = []
    const put = service.put(path, { name: 'late', lines: [{ text: 'x' }] })
    await isAsked.promise
    // Of the very record, too.
    expect((await service.patch(path, { name: 'meanwhile', lines: [{ text: 'y' }] })).status).toBe(200)
    expect((await service.patch(`/api/order/${other.id}`, { lines: [{ text: 'y' }] })).status).toBe(200)
    late.resolve(true)
    expect(await put).toMatchObject({ status: 200, body: { name: 'late', lines: [{ text: 'x' }] } })
    const ofLate = asked.filter(({ operation }) => operation === 'replace')
    expect(new Set(ofLate.map(({ action, resource }) => `${action} ${resource}`)).size).toBe(ofLate.length)
  })

  test('may fail, and the error’s status is the answer', async () => {
    for (const fail of [
      () => {
        throw Object.assign(new Error('who are you?'), { statusCode: 401 })
      },
      () => Promise.reject(Object.assign(new Error('who are you?'), { statusCode: 401 })),
    ]) {
      answer = ({ action, resource }) => (action === 'View' || resource === 'order' ? true : fail())
      const before = await service.snapshot()
      expect((await service.put(path, { name: 'p', lines: [] })).status).toBe(401)
      expect((await service.delete(path)).status).toBe(401)
      expect(await service.snapshot()).toEqual(before)
    }
  })
})

describeOnBoth('`authorize` and a replaced endpoint', (database) => {
  let asked: string[] = []
  let refused = ''
  const service = useApp(database, shop, {
    plugin: {
      authorize(_request, { action, resource, id }) {
        if (action !== 'View' || id !== undefined) asked.push(`${action} ${resource} ${id ?? ''}`.trim())
        return `${action} ${resource}` !== refused
      },
      handlers: {
        order: {
          replace: {
            access: { action: 'View', id: 'id' },
            async handler(_request, _reply, next) {
              await next()
            },
          },
        },
      },
    },
  })

  test('next() asks the question of the predefined endpoint, if it is another one, and those of its plan', async () => {
    refused = ''
    const { id } = await service.add('/api/order', { name: 'o' })
    asked = []
    expect((await service.put(`/api/order/${id}`, { name: 'o', lines: [{ text: 'a' }] })).status).toBe(200)
    expect(asked).toEqual([`View order ${id}`, `Edit order ${id}`, 'Add line'])
    for (const one of ['View order', 'Edit order', 'Delete line']) {
      refused = one
      await service.refuse('PUT', `/api/order/${id}`, { name: 'p' }, { code: 'CRUD_ERR_FORBIDDEN' })
    }
  })
})
