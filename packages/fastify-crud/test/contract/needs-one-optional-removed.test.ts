import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { garage } from './models/needs-one-optional.ts'

const needed = (...pointers: string[]) => ({ code: 'CRUD_ERR_STILL_NEEDED', pointers }) as const

describeOnBoth('records of one owner that need each other, optionally', (database) => {
  const service = useApp(database, garage)
  let record: JsonBody
  let path: string

  beforeEach(async () => {
    const named = (names: string) => Array.from(names, (name) => ({ name }))
    const { id, cars, drivers } = await service.add('/api/garage', {
      name: 'g',
      cars: named('abc'),
      drivers: named('xyz'),
    })
    path = `/api/garage/${id}`
    const [a, b, c] = cars
    const [x, y] = drivers
    const answer = await service.patch(path, {
      bestId: a.id,
      cars: [
        { id: a.id, driverId: x.id, spareId: b.id },
        { id: b.id, driverId: y.id, spareId: a.id },
        { id: c.id, spareId: c.id },
      ],
      drivers: [
        { id: x.id, carId: a.id, homeId: id },
        { id: y.id, carId: b.id },
      ],
    })
    expect(answer.status).toBe(200)
    record = answer.body
  })

  async function putSucceeds(body: JsonBody): Promise<JsonBody> {
    const answer = await service.put(path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(await service.read(path)).toEqual(answer.body)
    return answer.body
  }

  test('DELETE of the owner takes all along', async () => {
    await service.add('/api/garage', { name: 'other' })
    expect((await service.delete(path)).status).toBe(204)
    expect(Object.values(await service.snapshot(['car', 'driver'])).flat()).toEqual([])
    expect((await service.read('/api/garage')).count).toBe(1)
  })

  test('DELETE of the owner is 409 while a record outside needs one of its own', async () => {
    const [a] = record.cars
    const other = await service.add('/api/garage', { name: 'o', bestId: a.id, drivers: [{ name: 'd', carId: a.id }] })
    const refused = await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect(refused.detail).toBe(
      `car ${a.id} is still needed by 1 garage record; car ${a.id} is still needed by 1 driver record`,
    )
    await service.patch(`/api/garage/${other.id}`, {
      bestId: null,
      drivers: [{ id: other.drivers[0].id, carId: null }],
    })
    expect((await service.delete(path)).status).toBe(204)
  })

  test('PUT removes records that need each other', async () => {
    const { name } = record
    expect(await putSucceeds({ name })).toEqual({
      id: record.id,
      name,
      cars: [],
      drivers: [],
      bestId: null,
      best: null,
    })
  })

  test('PUT that removes a record and still names it is 409, with the place that removes it', async () => {
    const [, b, c] = record.cars
    await service.refuse('PUT', path, { ...record, cars: [b, c] }, needed('/cars'))
    await service.refuse('PUT', path, { ...record, drivers: [] }, needed('/drivers'))
  })

  test('PUT removes what only itself needs', async () => {
    const [a, b] = record.cars
    expect((await putSucceeds({ ...record, cars: [a, b] })).cars).toEqual([a, b])
  })

  test('PUT removes a record, and those who need it are cleared, move, or go', async () => {
    const [a, b, c] = record.cars
    const [x, y, z] = record.drivers
    const body = await putSucceeds({
      ...record,
      bestId: b.id,
      cars: [{ ...b, spareId: null }, c],
      drivers: [{ ...x, carId: c.id }, y, z],
    })
    expect(body.best).toEqual({ id: b.id, name: 'b' })
    expect(body.cars).toMatchObject([{ id: b.id, spareId: null }, { id: c.id }])
    expect(body.drivers[0]).toMatchObject({ carId: c.id, car: { id: c.id, name: 'c' } })
    expect(JSON.stringify(body)).not.toContain(`"carId":${a.id},`)
  })

  test('PUT removes a driver, and the cars move up to the next ones, each to its own', async () => {
    const [a, b, c] = record.cars
    const [, y, z] = record.drivers
    const body = await putSucceeds({
      ...record,
      cars: [{ ...a, driverId: y.id }, { ...b, driverId: z.id }, c],
      drivers: [y, z],
    })
    expect(body.cars.map((car: JsonBody) => car.driverId)).toEqual([y.id, z.id, null])
  })

  test('PUT removes a car, and another one takes its driver and gives up its own, which goes', async () => {
    const [a, b, c] = record.cars
    const [x, y, z] = record.drivers
    const body = await putSucceeds({
      ...record,
      cars: [{ ...a, driverId: y.id, spareId: null }, c],
      drivers: [{ ...y, carId: null }, z],
    })
    expect(body.cars).toMatchObject([{ id: a.id, driverId: y.id }, { id: c.id }])
    expect(body.drivers.map(({ id }: JsonBody) => id)).not.toContain(x.id)
    expect(body.cars.map(({ id }: JsonBody) => id)).not.toContain(b.id)
  })

  test('a record that is newly named and removed by the same body is 400', async () => {
    const [a, b, c] = record.cars
    await service.refuse(
      'PUT',
      path,
      { ...record, bestId: c.id, cars: [a, b] },
      { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/bestId'] },
    )
  })

  test('DELETE by its own endpoint is 409 while a sibling needs it; one that needs only itself goes', async () => {
    const [a, , c] = record.cars
    await service.refuse('DELETE', `${path}/car/${a.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    expect((await service.delete(`${path}/car/${c.id}`)).status).toBe(204)
  })
})
