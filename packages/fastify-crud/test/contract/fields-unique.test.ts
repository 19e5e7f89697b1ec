import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const door = defineResources({
  house: { fields: { name: Type.String() }, relations: { doors: owns.many('door') } },
  door: {
    fields: {
      floor: Type.Integer(),
      code: Type.String({ writeOnly: true }),
      pin: Type.Optional(Type.Integer({ writeOnly: true })),
    },
    relations: { house: ownedBy('house'), leads: knows.one('house') },
    unique: [['code'], ['house', 'pin'], ['floor', 'code']],
  },
})

const TAKEN = 'CRUD_ERR_NOT_UNIQUE'

describeOnBoth('a unique key with a `writeOnly` field', (database) => {
  const service = useApp(database, door)

  async function addHouse() {
    const doors = ['a', 'b', 'c'].map((code, index) => ({ floor: index, code, pin: index }))
    return await service.add('/api/house', { name: 'h', doors })
  }

  const codes = async () => {
    const rows = await service.db.selectFrom('door').select(['code', 'pin']).orderBy('id').execute()
    return rows.map((row) => `${row.code}${row.pin}`)
  }

  test('takes no value that another record has', async () => {
    const house = await addHouse()
    const path = `/api/house/${house.id}/door`
    await service.refuse('POST', path, { floor: 9, code: 'a' }, { code: TAKEN, pointers: ['/code'] })
    await service.refuse('PATCH', `${path}/${house.doors[1].id}`, { code: 'a' }, { code: TAKEN, pointers: ['/code'] })
    const pins = { ...house, doors: [{ ...house.doors[0], pin: 1 }, ...house.doors.slice(1)] }
    await service.refuse('PUT', `/api/house/${house.id}`, pins, { code: TAKEN, pointers: ['/doors/0/pin', '/doors/1'] })
    const twice = {
      name: 'i',
      doors: [
        { floor: 1, code: 'x' },
        { floor: 2, code: 'x' },
      ],
    }
    await service.refuse('POST', '/api/house', twice, { code: TAKEN, pointers: ['/doors/0/code', '/doors/1/code'] })
  })

  test('takes the value that the record has', async () => {
    const { id, doors } = await addHouse()
    const path = `/api/house/${id}/door/${doors[0].id}`
    expect((await service.patch(path, { code: 'a', pin: 0 })).status).toBe(200)
    expect((await service.put(path, { floor: 5, code: 'a', pin: 0 })).status).toBe(200)
    expect(await codes()).toEqual(['a0', 'b1', 'c2'])
  })

  test('lets records of one body swap and rotate their values', async () => {
    const { id, doors } = await addHouse()
    const rotated = ['b', 'c', 'a'].map((code, index) => ({ id: doors[index].id, code }))
    expect((await service.patch(`/api/house/${id}`, { doors: rotated })).status).toBe(200)
    expect(await codes()).toEqual(['b0', 'c1', 'a2'])
    const swapped = { name: 'h', doors: doors.map((one: object, index: number) => ({ ...one, pin: [1, 0, 2][index] })) }
    expect((await service.put(`/api/house/${id}`, swapped)).status).toBe(200)
    expect(await codes()).toEqual(['b1', 'c0', 'a2'])
  })

  test('lets a record take the value of one that goes', async () => {
    const { id, doors } = await addHouse()
    const [first, second] = doors
    const body = { name: 'h', doors: [first, { ...second, code: 'c', pin: 2 }] }
    expect((await service.put(`/api/house/${id}`, body)).status).toBe(200)
    expect(await codes()).toEqual(['a0', 'c2'])
  })
})
