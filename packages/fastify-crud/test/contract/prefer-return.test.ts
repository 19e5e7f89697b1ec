import { Type } from '@sinclair/typebox'
import { defineResources, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'
import { product } from './models/product.ts'

const minimal = { prefer: 'return=minimal' }

describeOnBoth('`Prefer: return=minimal`', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody
  let path: string

  beforeEach(async () => {
    parent = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }] })
    path = `/api/parent/${parent.id}`
  })

  test('has POST answer 201 with `Location`, and PUT and PATCH 204, all without a body', async () => {
    for (const [method, url, body, status] of [
      ['POST', '/api/parent', { name: 'b', children: [{ name: '1' }] }, 201],
      ['POST', `/api/parent/${chosenId('parent')}`, { name: 'b' }, 201],
      ['POST', `${path}/child`, { name: 'b' }, 201],
      ['PUT', path, { ...parent, name: 'b' }, 204],
      ['PUT', path, { ...parent, name: 'b' }, 204],
      ['PUT', '/api/parent', { ...parent, name: 'c' }, 204],
      ['PATCH', path, { note: 'n' }, 204],
      ['PATCH', path, { note: 'n' }, 204],
      ['PATCH', path, { children: [{ name: '2' }] }, 204],
    ] as const) {
      const answer = await service.request(method, url, body, minimal)
      expect([method, answer.status, answer.body]).toEqual([method, status, undefined])
      expect(answer.headers).toMatchObject({ 'preference-applied': 'return=minimal', vary: 'Prefer' })
      expect(answer.headers).not.toHaveProperty('etag')
      if (status === 201) expect((await service.get(String(answer.headers.location))).status).toBe(200)
    }
    expect(await service.read(path)).toMatchObject({ name: 'c', note: 'n', children: [{ name: '1' }, { name: '2' }] })
  })

  test('saves the read of the record after the write', async () => {
    const writes = (value: string, headers?: Record<string, string>) =>
      service.statements(async () => {
        await service.request('POST', '/api/parent', { name: 'b' }, headers)
        await service.request('PUT', path, { name: value, children: parent.children }, headers)
        await service.request('PATCH', path, { note: value }, headers)
      })
    const whole = await writes('x')
    const less = await writes('y', minimal)
    expect(less).toHaveLength(whole.length - 3)
  })

  test('says nothing to a DELETE, which has no body anyway', async () => {
    const answer = await service.request('DELETE', path, undefined, minimal)
    expect(answer.status).toBe(204)
    expect(answer.headers).not.toHaveProperty('preference-applied')
  })

  test('does not change how a write is refused', async () => {
    expect((await service.request('PATCH', path, { nme: 1 }, minimal)).body.code).toBe('CRUD_ERR_INVALID')
    expect((await service.request('PATCH', `/api/parent/${missingId('parent')}`, {}, minimal)).body.code).toBe(
      'CRUD_ERR_NOT_FOUND',
    )
  })
})

describeOnBoth('`Prefer: return=representation`', (database) => {
  const service = useApp(database, product)

  test('is what writes do anyway, and is said to be applied', async () => {
    const prefer = { prefer: 'return=representation' }
    const created = await service.request('POST', '/api/product', { name: 'a' }, prefer)
    expect(created).toMatchObject({ status: 201, body: { name: 'a' } })
    const patched = await service.request('PATCH', String(created.headers.location), { name: 'b' }, prefer)
    expect(patched).toMatchObject({ status: 200, body: { name: 'b' } })
    for (const { headers } of [created, patched]) expect(headers['preference-applied']).toBe('return=representation')
  })
})

const article = defineResources({
  author: { fields: { name: Type.String() } },
  article: { fields: { price: Type.Number() }, relations: { author: needs.one('author') } },
})

describeOnBoth('`Prefer: return=minimal` of a record that is too large for an answer', (database) => {
  const service = useApp(database, article, { plugin: { limits: { maxAnswer: 300 } } })
  let path: string

  beforeEach(async () => {
    const authorId = chosenId('author')
    await service.request('POST', `/api/author/${authorId}`, { name: 'a'.repeat(400) }, minimal)
    const created = await service.request('POST', '/api/article', { price: 1, authorId }, minimal)
    expect(created).toMatchObject({ status: 201, body: undefined })
    path = String(created.headers.location)
  })

  test('is applied without reading it', async () => {
    expect(await service.request('PATCH', path, { price: 2 }, minimal)).toMatchObject({ status: 204 })
    expect(await service.db.selectFrom('article').select('price').execute()).toEqual([{ price: 2 }])
  })

  test('is applied if nothing changes', async () => {
    expect(await service.request('PATCH', path, { price: 1 }, minimal)).toMatchObject({ status: 204 })
  })
})

describeOnBoth('`Prefer: return=minimal` to a replaced endpoint', (database) => {
  let seen: unknown
  const service = useApp(database, product, {
    plugin: {
      handlers: {
        product: {
          create: {
            access: { action: 'Add' },
            async handler(_request, _reply, next) {
              seen = await next()
            },
          },
          patch: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, reply, next) {
              reply.send({ mine: await next() })
            },
          },
        },
      },
    },
  })

  test('has `next()` read the record nevertheless, and the answer has no body', async () => {
    const created = await service.request('POST', '/api/product', { name: 'a' }, minimal)
    expect(created).toMatchObject({ status: 201, body: undefined })
    expect(created.headers['preference-applied']).toBe('return=minimal')
    expect(seen).toMatchObject({ name: 'a', stock: 7 })
  })

  test('is the handler’s own affair if it answers itself; what `next()` has followed is said', async () => {
    const { id } = await service.add('/api/product', { name: 'a' })
    const headers = { prefer: 'return=minimal, tx=rollback' }
    const patched = await service.request('PATCH', `/api/product/${id}`, { name: 'b' }, headers)
    expect(patched).toMatchObject({ status: 200, body: { mine: { name: 'b' } } })
    expect(patched.headers['preference-applied']).toBe('tx=rollback')
    expect((await service.read('/api/product')).rows).toMatchObject([{ name: 'a' }])
  })
})
