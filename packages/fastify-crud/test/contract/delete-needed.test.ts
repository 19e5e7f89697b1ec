import { Type } from '@sinclair/typebox'
import { defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { needsMany } from './models/needs-many.ts'
import { needsOne } from './models/needs-one.ts'

const needed = 'CRUD_ERR_STILL_NEEDED'

describeOnDrivers('DELETE of a record that another one needs', (database) => {
  const service = useApp(database, needsOne)

  test('refused, 409, with how many; nothing is changed', async () => {
    const parent = await service.add('/api/parent', { name: 'p' })
    for (const name of ['c', 'd']) await service.add('/api/child', { name, parentId: parent.id })
    const problem = await service.refuse('DELETE', `/api/parent/${parent.id}`, undefined, {
      code: needed,
      detail: /\b2\b.*child/,
    })
    expect(problem).toMatchObject({ type: 'urn:fastify-crud:still-needed', title: 'Conflict', status: 409 })
  })

  test('204 as soon as nobody needs it', async () => {
    const parent = await service.add('/api/parent', { name: 'p' })
    const other = await service.add('/api/parent', { name: 'q' })
    const child = await service.add('/api/child', { name: 'c', parentId: parent.id })
    await service.patch(`/api/child/${child.id}`, { parentId: other.id })
    expect((await service.delete(`/api/parent/${parent.id}`)).status).toBe(204)
  })

  test('deleting the record that needs leaves the other', async () => {
    const parent = await service.add('/api/parent', { name: 'p' })
    const child = await service.add('/api/child', { name: 'c', parentId: parent.id })
    expect((await service.delete(`/api/child/${child.id}`)).status).toBe(204)
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(parent)
  })
})

describeOnDrivers('DELETE of a record that another one needs among many', (database) => {
  const service = useApp(database, needsMany)

  test('refused, 409, also where it needs others beside it', async () => {
    const p = await service.add('/api/parent', { name: 'p' })
    const q = await service.add('/api/parent', { name: 'q' })
    for (const name of ['c', 'd', 'e']) await service.add('/api/child', { name, parents: [{ id: p.id }, { id: q.id }] })
    await service.refuse('DELETE', `/api/parent/${p.id}`, undefined, { code: needed, detail: /\b3\b.*child/ })
  })

  test('deleting the record that needs: links go, the others stay', async () => {
    const p = await service.add('/api/parent', { name: 'p' })
    const child = await service.add('/api/child', { name: 'c', parents: [{ id: p.id }] })
    expect((await service.delete(`/api/child/${child.id}`)).status).toBe(204)
    const { child: children, child_parents } = await service.snapshot()
    expect([children, child_parents]).toEqual([[], []])
    expect(await service.read(`/api/parent/${p.id}`)).toEqual(p)
    expect((await service.delete(`/api/parent/${p.id}`)).status).toBe(204)
  })
})

const outside = defineResources({
  owner: {
    fields: { name: Type.String() },
    relations: { only: owns.one('only'), children: owns.many('child'), users: owns.many('user') },
  },
  only: { fields: { name: Type.String() }, relations: { owner: ownedBy('owner') } },
  child: {
    fields: { name: Type.String() },
    relations: { owner: ownedBy('owner'), grandchildren: owns.many('grandchild') },
  },
  grandchild: { fields: { name: Type.String() }, relations: { child: ownedBy('child') } },
  user: {
    fields: { name: Type.String() },
    relations: { owner: ownedBy('owner'), child: needs.one('child'), all: needs.many('grandchild') },
  },
  review: { fields: { name: Type.String() }, relations: { child: needs.one('child') } },
  report: { fields: { name: Type.String() }, relations: { grandchildren: needs.many('grandchild') } },
  fan: { fields: { name: Type.String() }, relations: { only: needs.one('only') } },
})

describeOnDrivers('an owned child that is needed by an outside record', (database) => {
  const service = useApp(database, outside)
  let owner: JsonBody
  let path: string

  beforeEach(async () => {
    owner = await service.add('/api/owner', {
      name: 'o',
      only: { name: 'y' },
      children: [{ name: 'c1', grandchildren: [{ name: 'g' }] }, { name: 'c2' }],
    })
    path = `/api/owner/${owner.id}`
  })

  test("DELETE of the owner, and PUT without that child, is 409; the owner's own fields are unchanged too", async () => {
    const [c1, c2] = owner.children
    const review = await service.add('/api/review', { name: 'r', childId: c1.id })
    const refused = { code: needed, detail: /\b1\b.*review/ } as const
    await service.refuse('DELETE', path, undefined, refused)
    await service.refuse('PUT', path, { ...owner, name: 'new', children: [{ ...c2, name: 'new' }] }, refused)
    await service.refuse('PUT', path, { name: 'new' }, refused)
    await service.refuse('DELETE', `${path}/child/${c1.id}`, undefined, refused)
    await service.delete(`/api/review/${review.id}`)
    expect((await service.put(path, { name: 'new', children: [c2] })).status).toBe(200)
  })

  test('the same for a grandchild, at every removal above it', async () => {
    const [c1] = owner.children
    const [g] = c1.grandchildren
    await service.add('/api/report', { name: 'r', grandchildren: [{ id: g.id }] })
    const refused = { code: needed, detail: /report/ } as const
    await service.refuse('DELETE', path, undefined, refused)
    await service.refuse('DELETE', `${path}/child/${c1.id}`, undefined, refused)
    await service.refuse('DELETE', `${path}/child/${c1.id}/grandchild/${g.id}`, undefined, refused)
    await service.refuse('PUT', `${path}/child/${c1.id}`, { name: 'new' }, refused)
    await service.refuse('PUT', path, { name: 'new', children: [{ id: c1.id, name: 'new' }] }, refused)
  })

  test('removal by PATCH follows the same rules', async () => {
    await service.add('/api/fan', { name: 'f', onlyId: owner.only.id })
    const refused = { code: needed, detail: /fan/ } as const
    await service.refuse('PATCH', path, { name: 'new', only: null }, refused)
    await service.refuse('PUT', path, { ...owner, only: null }, refused)
    expect((await service.patch(path, { name: 'new' })).body).toEqual({ ...owner, name: 'new' })
  })

  test('needed only by a record that goes in the same delete: 204', async () => {
    const [c1] = owner.children
    const user = { name: 'u', childId: c1.id, all: [{ id: c1.grandchildren[0].id }] }
    expect((await service.patch(path, { users: [user] })).status).toBe(200)
    expect((await service.delete(path)).status).toBe(204)
    expect(Object.values(await service.snapshot()).flat()).toEqual([])
  })

  test('needed only by a record that the same PUT removes: 200', async () => {
    const [c1, c2] = owner.children
    const user = { name: 'u', childId: c1.id, all: [{ id: c1.grandchildren[0].id }] }
    const { body: full } = await service.patch(path, { users: [user] })
    await service.refuse('PUT', path, { ...full, children: [c2] }, { code: needed, pointers: ['/children'] })
    const { status, body } = await service.put(path, { ...full, children: [c2], users: [] })
    expect(status).toBe(200)
    expect(body).toEqual({ ...owner, children: [c2] })
  })

  test('needed by a record that the same PUT moves elsewhere: 200', async () => {
    const [c1, c2] = owner.children
    const [g] = c1.grandchildren
    const { body: full } = await service.patch(path, { children: [{ id: c2.id, grandchildren: [{ name: 'h' }] }] })
    const [h] = full.children[1].grandchildren
    const { body: used } = await service.patch(path, { users: [{ name: 'u', childId: c1.id, all: [{ id: g.id }] }] })
    const users = [{ ...used.users[0], childId: c2.id, all: [{ id: h.id }] }]
    const { status, body } = await service.put(path, { ...used, children: [full.children[1]], users })
    expect(status).toBe(200)
    expect(body.children).toEqual([full.children[1]])
    expect(body.users).toEqual([
      { ...used.users[0], childId: c2.id, child: { id: c2.id, name: 'c2' }, all: [{ id: h.id, name: 'h' }] },
    ])
    expect(await service.read(path)).toEqual(body)
  })
})
