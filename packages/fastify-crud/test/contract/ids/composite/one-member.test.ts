import { Type } from '@sinclair/typebox'
import { defineResources, knows, type Model, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

// What is refused at the start where an id has several parts, a record can do whose id is one member.

const code = Type.String({ maxLength: 20 })
const name = Type.Optional(Type.String())

const model = defineResources({
  left: { id: ['code'], fields: { code, name }, relations: { right: knows.one('right') } },
  right: { id: ['code'], fields: { code, name }, relations: { left: knows.one('left'), lefts: knows.many('left') } },
  owner: {
    id: ['code'],
    fields: { code, name },
    relations: { pets: owns.many('pet'), favourite: knows.one('pet') },
  },
  pet: { id: ['code'], fields: { code, name }, relations: { owner: ownedBy('owner') } },
  node: {
    id: ['code'],
    fields: { code, name },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
}) as Model

describeOnBoth('records whose id is one of their members', (database) => {
  const service = useApp(database, model)

  test('know each other: they are read, written and removed', async () => {
    await service.add('/api/left', { code: 'l' })
    await service.add('/api/right', { code: 'r', leftId: 'l', lefts: [{ id: 'l' }] })
    await service.patch('/api/left/l', { rightId: 'r' })
    const left = await service.read('/api/left/l')
    expect(left).toEqual({
      id: 'l',
      code: 'l',
      name: null,
      rightId: 'r',
      right: { id: 'r', code: 'r', name: null },
    })
    expect(await service.put('/api/left/l', { ...left, name: 'n' })).toMatchObject({
      status: 200,
      body: { rightId: 'r' },
    })
    const right = await service.read('/api/right/r')
    expect(await service.put('/api/right/r', right)).toMatchObject({ status: 200, body: right })
    expect((await service.delete('/api/left/l')).status).toBe(204)
    expect(await service.read('/api/right/r')).toMatchObject({ leftId: null, left: null, lefts: [] })
    expect((await service.delete('/api/right/r')).status).toBe(204)
  })

  test('are a favourite of their owner: a PUT without it forgets it', async () => {
    const pets = [{ code: 'a' }, { code: 'b' }]
    const owner = await service.add('/api/owner', { code: 'o', pets })
    await service.patch('/api/owner/o', { favouriteId: 'a' })
    const { favourite: _, favouriteId: __, ...others } = owner
    const put = await service.put('/api/owner/o', { ...others, pets: [{ code: 'b' }], favouriteId: null })
    expect(put).toMatchObject({ status: 200, body: { pets: [{ id: 'b' }], favouriteId: null, favourite: null } })
    await service.patch('/api/owner/o', { favouriteId: 'b' })
    const exchanged = await service.put('/api/owner/o', { ...others, pets: [{ code: 'c' }], favouriteId: 'b' })
    expect(exchanged).toMatchObject({ status: 200, body: { pets: [{ id: 'c' }], favouriteId: null } })
    await service.patch('/api/owner/o', { favouriteId: 'c' })
    expect((await service.delete('/api/owner/o/pet/c')).status).toBe(204)
    expect(await service.read('/api/owner/o')).toMatchObject({ pets: [], favouriteId: null })
    expect((await service.delete('/api/owner/o')).status).toBe(204)
  })

  test('form a tree of 1,000 levels, of which the root is removed with all of them', async () => {
    const before = await service.snapshot()
    const nodes: JsonBody[] = Array.from({ length: 1_000 }, (_, level) => {
      return { code: `n${level}`, name: `${level}`, parentId: level === 0 ? null : `n${level - 1}` }
    })
    for (const node of nodes) await service.db.insertInto('node').values(node).execute()
    const last = await service.read('/api/node/n999')
    expect(last).toEqual({ id: 'n999', code: 'n999', name: '999', nodes: [] })
    const changed = await service.patch('/api/node/n500', { name: 'middle' })
    expect(changed.body).toMatchObject({ id: 'n500', name: 'middle', nodes: [{ id: 'n501' }] })
    expect((await service.delete('/api/node/n0')).status).toBe(204)
    expect(await service.snapshot()).toEqual(before)
  })
})
