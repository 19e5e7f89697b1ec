import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const tree = defineResources({
  top: { fields: { name: Type.String() }, relations: { mids: owns.many('mid'), head: owns.one('head') } },
  mid: { fields: { name: Type.String() }, relations: { top: ownedBy('top'), lows: owns.many('low') } },
  low: { fields: { code: Type.Integer() }, relations: { mid: ownedBy('mid') }, unique: [['code']] },
  head: { fields: { code: Type.String() }, relations: { top: ownedBy('top') }, unique: [['code']] },
})

describeOnBoth('unique values of grandchildren within one write', (database) => {
  const service = useApp(database, tree)
  let top: JsonBody
  let path: string
  let m1: JsonBody
  let m2: JsonBody

  beforeEach(async () => {
    const mids = [
      { name: 'm1', lows: [{ code: 1 }, { code: 2 }] },
      { name: 'm2', lows: [{ code: 3 }] },
    ]
    top = await service.add('/api/top', { name: 't', mids, head: { code: 'h' } })
    path = `/api/top/${top.id}`
    ;[m1, m2] = top.mids
  })

  test('two children of different branches swap: 200, ids kept', async () => {
    const [l1, l2] = m1.lows
    const [l3] = m2.lows
    const mids = [
      { ...m1, lows: [{ ...l1, code: 3 }, l2] },
      { ...m2, lows: [{ ...l3, code: 1 }] },
    ]
    const { status, body } = await service.put(path, { ...top, mids })
    expect(status).toBe(200)
    expect(body.mids).toEqual(mids)
    expect(
      (
        await service.patch(path, {
          mids: [
            { id: m1.id, lows: [{ id: l1.id, code: 1 }] },
            { id: m2.id, lows: [{ id: l3.id, code: 3 }] },
          ],
        })
      ).body,
    ).toEqual(top)
  })

  test('a branch is removed, a new branch takes its values: 200', async () => {
    const { status, body } = await service.put(path, {
      ...top,
      mids: [m2, { name: 'new', lows: [{ code: 1 }, { code: 2 }] }],
    })
    expect(status).toBe(200)
    expect(body.mids[1].lows.map((low: JsonBody) => low.code)).toEqual([1, 2])
  })

  test('a branch is removed, another one takes its values: 200', async () => {
    const lows = [{ ...m2.lows[0], code: 1 }, { code: 2 }, { code: 3 }]
    const { status, body } = await service.put(path, { ...top, mids: [{ ...m2, lows }] })
    expect(status).toBe(200)
    expect(body.mids[0].lows.map((low: JsonBody) => low.code)).toEqual([1, 2, 3])
  })

  test('the same value in two branches of one body: 409, both pointers', async () => {
    const mids = [
      { name: 'x', lows: [{ code: 7 }] },
      { name: 'y', lows: [{ code: 8 }, { code: 7 }] },
    ]
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/mids/0/lows/0/code', '/mids/1/lows/1/code'] } as const
    await service.refuse('POST', '/api/top', { name: 'u', mids }, refused)
    await service.refuse('PUT', path, { name: 'u', mids }, refused)
    await service.refuse('PATCH', path, { name: 'u', mids }, refused)
  })

  test('the value of another tree: 409, with the pointer', async () => {
    await service.refuse(
      'POST',
      '/api/top',
      { name: 'u', mids: [{ name: 'x', lows: [{ code: 3 }] }] },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/mids/0/lows/0/code'],
      },
    )
    await service.refuse(
      'POST',
      '/api/top',
      { name: 'u', head: { code: 'h' } },
      {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: ['/head/code'],
      },
    )
  })

  test('a child that goes by PUT of null frees its value for the next request', async () => {
    await service.put(path, { name: 't', head: null })
    const { head } = await service.add('/api/top', { name: 'u', head: { code: 'h' } })
    expect(head.code).toBe('h')
  })
})
