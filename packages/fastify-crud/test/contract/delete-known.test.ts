import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { knowsMany, knowsOne } from './models/knows.ts'

describeOnBoth('DELETE of a record that others know', (database) => {
  const service = useApp(database, knowsOne)

  test('deleted; their foreign key becomes null, the knowing records stay', async () => {
    const b = await service.add('/api/b', { name: 'b' })
    const c = await service.add('/api/b', { name: 'c' })
    const knower = await service.add('/api/a', { name: 'a', note: 'n', bId: b.id })
    const other = await service.add('/api/a', { name: 'o', bId: c.id })
    expect((await service.delete(`/api/b/${b.id}`)).status).toBe(204)
    expect(await service.read('/api/a')).toEqual({ rows: [{ ...knower, bId: null, b: null }, other], count: 2 })
  })

  test('deleting the record that knows leaves the other', async () => {
    const b = await service.add('/api/b', { name: 'b' })
    const { id } = await service.add('/api/a', { name: 'a', bId: b.id })
    expect((await service.delete(`/api/a/${id}`)).status).toBe(204)
    expect(await service.read(`/api/b/${b.id}`)).toEqual(b)
  })
})

describeOnBoth('DELETE of a record that others know among many', (database) => {
  const service = useApp(database, knowsMany)

  test('deleted; the link goes, the knowing records stay', async () => {
    const b = await service.add('/api/b', { name: 'b' })
    const c = await service.add('/api/b', { name: 'c' })
    const knower = await service.add('/api/a', { name: 'a', bs: [{ id: b.id }, { id: c.id }] })
    expect((await service.delete(`/api/b/${b.id}`)).status).toBe(204)
    expect(await service.read(`/api/a/${knower.id}`)).toEqual({ ...knower, bs: [c] })
  })

  test('deleting the record that knows: links go, the others stay', async () => {
    const b = await service.add('/api/b', { name: 'b' })
    const { id } = await service.add('/api/a', { name: 'a', bs: [{ id: b.id }] })
    expect((await service.delete(`/api/a/${id}`)).status).toBe(204)
    expect((await service.snapshot()).a_bs).toEqual([])
    expect(await service.read(`/api/b/${b.id}`)).toEqual(b)
  })
})

const knownChild = defineResources({
  owner: { fields: { name: Type.String() }, relations: { children: owns.many('child') } },
  child: { fields: { name: Type.String() }, relations: { owner: ownedBy('owner') } },
  fan: { fields: { name: Type.String() }, relations: { child: knows.one('child'), children: knows.many('child') } },
})

describeOnBoth('an owned child that is known by others', (database) => {
  const service = useApp(database, knownChild)
  let owner: JsonBody
  let fan: JsonBody
  let path: string

  beforeEach(async () => {
    owner = await service.add('/api/owner', { name: 'o', children: [{ name: '1' }, { name: '2' }] })
    const [first, second] = owner.children
    fan = await service.add('/api/fan', {
      name: 'f',
      childId: first.id,
      children: [{ id: first.id }, { id: second.id }],
    })
    path = `/api/owner/${owner.id}`
  })

  test('deleted with its owner, knowers stay', async () => {
    expect((await service.delete(path)).status).toBe(204)
    expect(await service.read(`/api/fan/${fan.id}`)).toEqual({ ...fan, childId: null, child: null, children: [] })
  })

  test('removed by PUT, knowers stay', async () => {
    const [first, second] = owner.children
    expect((await service.put(path, { name: 'o', children: [second] })).status).toBe(200)
    expect(await service.read(`/api/fan/${fan.id}`)).toEqual({ ...fan, childId: null, child: null, children: [second] })
    await service.refuse('GET', `${path}/child/${first.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('deleted by its own endpoint, knowers stay', async () => {
    const [first, second] = owner.children
    expect((await service.delete(`${path}/child/${first.id}`)).status).toBe(204)
    expect(await service.read(`/api/fan/${fan.id}`)).toEqual({ ...fan, childId: null, child: null, children: [second] })
  })
})
