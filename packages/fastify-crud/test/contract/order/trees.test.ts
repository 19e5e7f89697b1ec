import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { withGivenId } from '../../../../../test/support/test-ids.ts'

const name = Type.String()

const shelves = defineResources({
  shelf: {
    fields: { name },
    relations: {
      parent: ownedBy('shelf', { optional: true }),
      shelves: owns.many('shelf', { order: 'position' }),
      homes: owns.many('box', { inverse: 'home', order: 'position' }),
      works: owns.many('box', { inverse: 'work' }),
    },
  },
  box: {
    topLevel: true,
    fields: { name },
    relations: { home: ownedBy('shelf'), work: ownedBy('shelf') },
  },
})

/** The owner is a part of the ids. */
const racks = defineResources({
  volume: {
    id: ['shelf', 'code'],
    topLevel: true,
    fields: { code: name },
    relations: { shelf: ownedBy('rack') },
  },
  rack: { fields: { name }, relations: { volumes: owns.many('volume', { order: 'position' }) } },
})

describeOnBoth('an order', (database) => {
  const service = useApp(database, shelves)
  const names = (of: JsonBody[]): string => of.map(({ name, shelves = [] }) => `${name}${names(shelves)}`).join('')

  test('is kept at any depth of a tree, by the path of the owner and by that of a node', async () => {
    const leaves = [{ name: 'x' }, { name: 'y' }, { name: 'z' }]
    const root = await service.add('/api/shelf', {
      name: 'r',
      shelves: [{ name: 'a', shelves: leaves }, { name: 'b' }],
    })
    const [a, b] = root.shelves
    const [x, y, z] = a.shelves
    await service.patch(`/api/shelf/${root.id}`, {
      shelves: [
        { id: b.id, $before: a.id },
        { id: a.id, shelves: [{ id: z.id, $before: x.id }] },
      ],
    })
    expect(names([await service.read(`/api/shelf/${root.id}`)])).toBe('rbazxy')
    await service.patch(`/api/shelf/${y.id}`, { $before: z.id })
    await service.patch(`/api/shelf/${a.id}/shelf/${x.id}`, { $before: y.id })
    expect(names([await service.read(`/api/shelf/${root.id}`)])).toBe('rbaxyz')
    await service.refuse(
      'PATCH',
      `/api/shelf/${root.id}`,
      { $before: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/$before'] },
    )
  })

  test('is that of one owner’s array, and of none where another relation owns the record', async () => {
    const both = { homes: [{ name: 'a' }, { name: 'b' }], works: [{ name: 'c' }, { name: 'd' }] }
    const { id, homes, works } = await service.add('/api/shelf', { name: 's', ...both })
    await service.patch(`/api/box/${homes[1].id}`, { $before: homes[0].id })
    expect(names((await service.read(`/api/shelf/${id}`)).homes)).toBe('ba')
    await service.patch('/api/box', [{ id: homes[1].id, $before: null }])
    expect(names((await service.read(`/api/shelf/${id}`)).homes)).toBe('ab')
    const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/$before'] } as const
    await service.refuse('PATCH', `/api/box/${works[0].id}`, { $before: null }, invalid)
    const added = await service.add(
      '/api/box',
      withGivenId('box', { name: 'e', homeId: id, workId: null, $before: homes[0].id }),
    )
    expect((await service.read(`/api/shelf/${id}/homes`)).rows[0].id).toBe(added.id)
  })
})

describeOnBoth('an order of records whose ids contain the owner', (database) => {
  const service = useApp(database, racks)

  test('names siblings by their short ids', async () => {
    const { id } = await service.add('/api/rack', { name: 'r', volumes: [{ code: 'a' }, { code: 'b' }] })
    const { body } = await service.patch(`/api/rack/${id}`, {
      volumes: [
        { id: 'b', $before: 'a' },
        { code: 'c', $before: 'a' },
      ],
    })
    expect(body.volumes.map(({ code }: JsonBody) => code)).toEqual(['b', 'c', 'a'])
    await service.patch(`/api/rack/${id}/volume/a`, { $before: 'b' })
    const { volumes } = await service.read(`/api/rack/${id}`)
    expect(volumes.map(({ code }: JsonBody) => code)).toEqual(['a', 'b', 'c'])
  })
  test('at the top, a place is said by the whole id of a sibling, as records show it there', async () => {
    const [{ id }, other] = [
      await service.add('/api/rack', { name: 'r', volumes: [{ code: 'a' }, { code: 'b' }, { code: 'c' }] }),
      await service.add('/api/rack', { name: 's', volumes: [{ code: 'a' }] }),
    ]
    const codes = async () => (await service.read(`/api/rack/${id}`)).volumes.map(({ code }: JsonBody) => code).join('')
    expect((await service.patch(`/api/volume/${id},c`, { $before: `${id},a` })).body).toMatchObject({ id: `${id},c` })
    expect(await codes()).toBe('cab')
    const many = [
      { id: `${id},a`, $before: null },
      { id: `${id},b`, $before: `${id},c` },
    ]
    expect((await service.patch('/api/volume', many)).status).toBe(200)
    expect(await codes()).toBe('bca')
    const added = [
      { rackId: id, code: 'd', $before: `${id},c` },
      { rackId: id, code: 'e', $before: `${id},d` },
    ].map(({ rackId, ...rest }) => ({ shelfId: rackId, ...rest }))
    expect((await service.post('/api/volume', added)).status).toBe(201)
    expect(await codes()).toBe('bedca')
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/$before'] } as const
    for (const $before of [`${other.id},a`, `${id},c`, `${id},x`])
      await service.refuse('PATCH', `/api/volume/${id},c`, { $before }, unknown)
    const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/$before'] } as const
    await service.refuse('PATCH', `/api/volume/${id},c`, { $before: 'a' }, invalid)
    expect(await codes()).toBe('bedca')
  })
})
