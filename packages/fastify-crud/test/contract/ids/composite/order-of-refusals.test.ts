import { Type } from '@sinclair/typebox'
import { defineResources, type Model } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import { addShop, shop } from './models.ts'

describeOnBoth('refusals of records whose ids have several parts come in the order of the contract:', (database) => {
  let allows = true
  const service = useApp(database, shop, { plugin: { authorize: () => allows } })
  let path: string

  beforeEach(async () => {
    allows = true
    ;({ path } = await addShop(service))
  })

  const codeOf = async (...request: Parameters<TestApp['request']>) => (await service.request(...request)).body.code

  test('the path, `authorize`, the body, what the path names, preconditions, references', async () => {
    const json = { 'content-type': 'application/json' }
    allows = false
    expect(await codeOf('PATCH', `${path}/line/a`, undefined, { 'content-type': 'text/plain' })).toBe('CRUD_ERR_BODY')
    expect(await codeOf('PATCH', '/api/seat/h,A', { number: 'x' })).toBe('CRUD_ERR_INVALID')
    expect(await codeOf('PATCH', '/api/seat/h,A,9', { number: 'x' })).toBe('CRUD_ERR_FORBIDDEN')
    expect(await codeOf('DELETE', '/api/seat/h,A,9?dry=1')).toBe('CRUD_ERR_FORBIDDEN')
    allows = true
    const stale = { ...json, 'if-match': '"stale"' }
    expect(await codeOf('PATCH', `${path}/line/x`, { quantity: -1 }, stale)).toBe('CRUD_ERR_INVALID')
    expect(await codeOf('PATCH', `${path}/line/x`, { giftId: 'none' }, stale)).toBe('CRUD_ERR_NOT_FOUND')
    expect(await codeOf('PATCH', `${path}/line/a`, { giftId: 'none' }, stale)).toBe('CRUD_ERR_PRECONDITION')
    expect(await codeOf('PATCH', `${path}/line/a`, { giftId: 'none', code: 'c1' })).toBe('CRUD_ERR_UNKNOWN_REFERENCE')
    expect(await codeOf('PATCH', `${path}/line/a`, { code: 'c1' })).toBe('CRUD_ERR_NOT_UNIQUE')
  })

  test('a taken id before references and unique values', async () => {
    expect(await codeOf('POST', `${path}/line`, { productId: 'a', quantity: -1 })).toBe('CRUD_ERR_INVALID')
    const taken = { productId: 'a', quantity: 1, giftId: 'none', code: 'c1' }
    expect(await codeOf('POST', `${path}/line`, taken)).toBe('CRUD_ERR_EXISTS')
    expect(await codeOf('POST', `${path}/line/a`, { quantity: 1, giftId: 'none' })).toBe('CRUD_ERR_EXISTS')
    expect(await codeOf('POST', `${path}/line`, { ...taken, productId: 'd' })).toBe('CRUD_ERR_UNKNOWN_REFERENCE')
    expect(await codeOf('POST', '/api/order/0/line', taken)).toBe('CRUD_ERR_NOT_FOUND')
    expect(await codeOf('POST', '/api/seat', { hallId: 'h', row: 'A', number: 1 })).toBe('CRUD_ERR_EXISTS')
  })
})

const guarded = defineResources({
  pair: { id: ['left', 'right'], fields: { left: Type.Integer(), right: Type.Integer() }, ifMatch: 'required' },
}) as Model

describeOnBoth('records whose ids have several parts, with `If-Match` required,', (database) => {
  const service = useApp(database, guarded)

  test('are 428 without it; the store of the plugin takes whole ids and no headers', async () => {
    const pair = await service.add('/api/pair', { left: 1, right: 2 })
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      await service.refuse(method, '/api/pair/1,2', method === 'DELETE' ? undefined : {}, {
        code: 'CRUD_ERR_PRECONDITION',
        status: 428,
      })
    }
    await service.refuse('PATCH', '/api/pair/1,3', {}, { code: 'CRUD_ERR_PRECONDITION', status: 428 })
    const { crud } = service.fastify as never as {
      crud: { pair: Record<'find' | 'delete', (id: string) => Promise<unknown>> }
    }
    expect(await crud.pair.find('1,2')).toEqual(pair)
    await crud.pair.delete('1,2')
    await expect(crud.pair.find('1,2')).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
  })
})
