import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { anyId, clientGivesIds, missingId } from '../../../../test/support/test-ids.ts'

const name = Type.String()

const orders = defineResources({
  order: {
    fields: { name },
    relations: {
      items: owns.many('item'),
      tags: knows.many('tag'),
      payers: needs.many('payer'),
      note: owns.one('note'),
    },
  },
  item: { fields: { name }, relations: { order: ownedBy('order'), parts: owns.many('part') } },
  part: { fields: { name }, relations: { item: ownedBy('item') } },
  note: { fields: { name }, relations: { order: ownedBy('order') } },
  tag: { fields: { name } },
  payer: { fields: { name } },
  claim: { fields: { name }, relations: { about: needs.one('item') } },
})

describeOnDrivers('`$remove` in a PATCH', (database) => {
  const service = useApp(database, orders)
  let order: JsonBody
  let path: string
  let tags: JsonBody[]
  let payers: JsonBody[]

  beforeEach(async () => {
    tags = []
    payers = []
    for (const one of ['t', 'u']) tags.push(await service.add('/api/tag', { name: one }))
    for (const one of ['p', 'q']) payers.push(await service.add('/api/payer', { name: one }))
    order = await service.add('/api/order', {
      name: 'o',
      items: [{ name: 'a', parts: [{ name: 'x' }, { name: 'y' }] }, { name: 'b' }, { name: 'c' }],
      tags: tags.map(({ id }) => ({ id })),
      payers: payers.map(({ id }) => ({ id })),
      note: { name: 'n' },
    })
    path = `/api/order/${order.id}`
  })

  const invalid = (...pointers: string[]) => ({ code: 'CRUD_ERR_INVALID', pointers }) as const

  test('takes away an owned record with all that it owns', async () => {
    const [a, b, c] = order.items
    const { status, body } = await service.patch(path, { items: [{ id: a.id, $remove: true }] })
    expect(status).toBe(200)
    expect(body).toEqual({ ...order, items: [b, c] })
    expect(await service.read(path)).toEqual(body)
    expect((await service.snapshot(['part'])).part).toEqual([])
  })

  test('one body changes, adds and removes, at any depth', async () => {
    const [a, b, c] = order.items
    const [x, y] = a.parts
    const items = [
      { id: b.id, $remove: true },
      { id: a.id, name: 'A', parts: [{ id: y.id, $remove: true }, { name: 'z' }] },
      { name: 'd' },
    ]
    const { body } = await service.patch(path, { name: 'O', items })
    const changed = { ...a, name: 'A', parts: [x, { id: anyId, name: 'z' }] }
    expect(body).toEqual({ ...order, name: 'O', items: [changed, c, { id: anyId, name: 'd', parts: [] }] })
    expect(await service.read(path)).toEqual(body)
  })

  test('removes links, and leaves the records at their other ends', async () => {
    const [t, u] = tags as [JsonBody, JsonBody]
    const { body } = await service.patch(path, { tags: [{ id: u.id, $remove: true }] })
    expect(body).toEqual({ ...order, tags: [t] })
    expect((await service.read('/api/tag')).rows).toEqual(tags)
  })

  test('the last link that is needed cannot be removed', async () => {
    const gone = payers.map(({ id }) => ({ id, $remove: true }))
    const problem = await service.refuse('PATCH', path, { payers: gone }, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect(problem.status).toBe(409)
  })

  test('what the body adds counts for what is left', async () => {
    const other = await service.add('/api/payer', { name: 'r' })
    const gone = payers.map(({ id }) => ({ id, $remove: true }))
    const { body } = await service.patch(path, { payers: [...gone, { id: other.id }] })
    expect(body.payers).toEqual([other])
  })

  test('a record that others need is 409 with the pointer of its mark', async () => {
    const [a] = order.items
    await service.add('/api/claim', { name: 'c', aboutId: a.id })
    await service.refuse(
      'PATCH',
      path,
      { items: [{ id: a.id, $remove: true }] },
      { code: 'CRUD_ERR_STILL_NEEDED', pointers: ['/items/0/$remove'] },
    )
  })

  test('what is not there is 400 at the mark', async () => {
    const other = await service.add('/api/order', {
      name: 'p',
      items: [{ name: 'z' }],
      payers: [{ id: payers[0]?.id }],
    })
    for (const id of [missingId('item'), other.items[0].id]) {
      await service.refuse(
        'PATCH',
        path,
        { items: [{ id, $remove: true }] },
        { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/items/0/$remove'] },
      )
    }
    const lone = await service.add('/api/tag', { name: 'v' })
    for (const id of [missingId('tag'), lone.id]) {
      await service.refuse(
        'PATCH',
        path,
        { tags: [{ id, $remove: true }] },
        { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/tags/0/$remove'] },
      )
    }
  })

  test('beside anything but the id it is 400', async () => {
    const [a] = order.items
    const bodies = [
      { items: [{ ...a, $remove: true }] },
      // Where the client gives ids, the element would get one.
      ...(clientGivesIds ? [] : [{ items: [{ $remove: true }] }]),
      { items: [{ id: a.id, $remove: false }] },
      { items: [{ id: a.id, $remove: null }] },
    ]
    for (const body of bodies) await service.refuse('PATCH', path, body, invalid('/items/0/$remove'))
    await service.refuse('PATCH', path, { tags: [{ ...tags[0], $remove: true }] }, invalid('/tags/0/$remove'))
    const twice = [{ id: a.id, $remove: true }, { id: a.id }]
    await service.refuse('PATCH', path, { items: twice }, invalid('/items/1/id'))
  })

  test('in POST and PUT it is 400', async () => {
    const [a] = order.items
    const items = [{ id: a.id, $remove: true }]
    await service.refuse('PUT', path, { ...order, items: [{ ...a, $remove: true }] }, invalid('/items/0/$remove'))
    await service.refuse(
      'PUT',
      path,
      { ...order, tags: [{ id: tags[0]?.id, $remove: true }] },
      invalid('/tags/0/$remove'),
    )
    const body = { name: 'n', payers: [{ id: payers[0]?.id }], items: [{ name: 'i', $remove: true }] }
    await service.refuse('POST', '/api/order', body, invalid('/items/0/$remove'))
    await service.refuse(
      'PATCH',
      path,
      { items: [{ name: 'new', parts: [{ name: 'p', $remove: true }] }] },
      invalid('/items/0/parts/0/$remove'),
    )
    expect(items).toHaveLength(1)
  })

  test('where there is no array it is 400', async () => {
    await service.refuse('PATCH', path, { $remove: true }, invalid('/$remove'))
    await service.refuse('PATCH', path, { note: { $remove: true } }, invalid('/note/$remove'))
    const many = [{ id: order.id, $remove: true }]
    await service.refuse('PATCH', '/api/order', many, invalid('/0/$remove'))
  })

  test('in a bulk PATCH it takes away what the records have', async () => {
    const [a, b, c] = order.items
    const other = await service.add('/api/order', {
      name: 'p',
      items: [{ name: 'z' }],
      payers: [{ id: payers[0]?.id }],
    })
    const body = [
      { id: order.id, items: [{ id: b.id, $remove: true }] },
      { id: other.id, items: [{ id: other.items[0].id, $remove: true }], name: 'P' },
    ]
    expect((await service.patch('/api/order', body)).status).toBe(200)
    expect((await service.read(path)).items).toEqual([a, c])
    expect(await service.read(`/api/order/${other.id}`)).toEqual({ ...other, name: 'P', items: [] })
    const last = [{ id: other.id, payers: [{ id: payers[0]?.id, $remove: true }] }]
    await service.refuse('PATCH', '/api/order', last, { code: 'CRUD_ERR_STILL_NEEDED' })
  })

  test('of a partial record, an array that names all of its elements is whole', async () => {
    const [a, b, c] = order.items
    const items = [{ id: a.id }, { id: b.id, $remove: true }, { id: c.id }]
    expect((await service.patch(path, { partial: true, items })).body.items).toEqual([a, c])
  })

  test('nothing is written if one of the elements is wrong', async () => {
    const [a, b] = order.items
    const statements = await service.statements(async () => {
      const items = [
        { id: a.id, $remove: true },
        { id: b.id, name: 1 },
      ]
      expect((await service.patch(path, { items })).status).toBe(400)
    })
    expect(writesIn(statements)).toEqual([])
  })
})
