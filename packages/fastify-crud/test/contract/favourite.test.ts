import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'

const keeper = defineResources({
  keeper: {
    fields: { name: Type.String() },
    relations: { pets: owns.many('pet'), favourite: knows.one('pet'), liked: knows.many('pet') },
  },
  pet: { fields: { name: Type.String() }, relations: { keeper: ownedBy('keeper'), mother: knows.one('pet') } },
})

describeOnBoth('an owner that also knows records it owns', (database) => {
  const service = useApp(database, keeper)
  let record: JsonBody
  let path: string

  beforeEach(async () => {
    const { id, pets } = await service.add('/api/keeper', { name: 'k', pets: [{ name: 'p' }, { name: 'q' }] })
    path = `/api/keeper/${id}`
    const known = { favouriteId: pets[0].id, liked: [{ id: pets[0].id }, { id: pets[1].id }] }
    record = (await service.patch(path, known)).body
  })

  test('can be read, and PUT as it was read', async () => {
    const [p, q] = record.pets
    const plain = [
      { id: p.id, name: 'p' },
      { id: q.id, name: 'q' },
    ]
    expect(record).toMatchObject({ favouriteId: p.id, favourite: plain[0], liked: plain })
    const statements = await service.statements(async () => {
      expect((await service.put(path, record)).body).toEqual(record)
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('PUT removes that pet and clears the favourite', async () => {
    const [, q] = record.pets
    const { status, body } = await service.put(path, { name: 'k', pets: [q], liked: [{ id: q.id }] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ favouriteId: null, favourite: null, pets: [q], liked: [{ id: q.id, name: 'q' }] })
  })

  test('PUT that removes that pet and still names it as it was: the reference becomes null', async () => {
    const [, q] = record.pets
    const { status, body } = await service.put(path, { ...record, pets: [q], liked: [{ id: q.id }] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ favouriteId: null, favourite: null, pets: [q] })
    expect(await service.read(path)).toEqual(body)
  })

  test('PUT that removes that pet and still lists it among the known: the link goes', async () => {
    const [, q] = record.pets
    const { status, body } = await service.put(path, { ...record, pets: [q] })
    expect(status).toBe(200)
    expect(body.liked).toEqual([{ id: q.id, name: 'q' }])
    expect(await service.read(path)).toEqual(body)
  })

  test('PUT that newly names a pet which it removes is 400', async () => {
    const [p, q] = record.pets
    const pets = [p]
    await service.refuse(
      'PUT',
      path,
      { ...record, pets, liked: [{ id: p.id }], favouriteId: q.id },
      {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/favouriteId'],
      },
    )
  })

  test('DELETE of the pet by its endpoint clears what named it', async () => {
    const [p, q] = record.pets
    expect((await service.delete(`${path}/pet/${p.id}`)).status).toBe(204)
    expect(await service.read(path)).toEqual({
      ...record,
      pets: [q],
      favouriteId: null,
      favourite: null,
      liked: [{ id: q.id, name: 'q' }],
    })
  })

  test('DELETE of the owner takes all along', async () => {
    await service.patch(path, { pets: [{ id: record.pets[0].id, motherId: record.pets[1].id }] })
    expect((await service.delete(path)).status).toBe(204)
    expect(Object.values(await service.snapshot()).flat()).toEqual([])
  })

  test('one pet goes that another pet knows: the other stays', async () => {
    const [p, q] = record.pets
    await service.patch(path, { favouriteId: null, pets: [{ id: q.id, motherId: p.id }] })
    const { status, body } = await service.put(path, { name: 'k', pets: [{ id: q.id, name: 'q' }] })
    expect(status).toBe(200)
    expect(body.pets).toEqual([{ ...q, motherId: null, mother: null }])
  })
})
