import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { createTablesWithDefaults, defaults } from './support/defaults.ts'
import { storeWith } from './support/store-with.ts'

describeOnBoth('a field with `default: dbDefault`', (database) => {
  const service = useApp(database, defaults, { tables: createTablesWithDefaults })
  const time = '2026-03-14T09:26:53.000Z'

  test('has what the database gives it, in the answer and in the table', async () => {
    const parcel = await service.add('/api/parcel', { name: 'p' })
    expect(parcel).toMatchObject({ state: 'fresh', madeAt: expect.any(String), number: expect.any(Number) })
    expect(parcel.number).toBeGreaterThanOrEqual(1000)
    expect(Number.isNaN(Date.parse(parcel.madeAt))).toBe(false)
    expect(await service.read(`/api/parcel/${parcel.id}`)).toEqual(parcel)
  })

  test('has the value of the body, if there is one', async () => {
    const parcel = await service.add('/api/parcel', { name: 'p', state: 'old', number: 5, madeAt: time })
    expect(parcel).toMatchObject({ state: 'old', number: 5 })
    expect(Date.parse(parcel.madeAt)).toBe(Date.parse(time))
  })

  test('has it in each of several new rows, though only some have a value', async () => {
    const body = {
      name: 'p',
      parts: [
        { name: 'a', weight: 1 },
        { name: 'b', weight: 2, madeAt: time },
        { name: 'c', weight: 3 },
      ],
    }
    const { parts } = await service.add('/api/parcel', body)
    expect(parts).toMatchObject([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const times = parts.map(({ madeAt }: { madeAt: string }) => Date.parse(madeAt))
    expect(times[1]).toBe(Date.parse(time))
    expect(times[0]).not.toBe(Date.parse(time))
    expect(times[2]).not.toBe(Date.parse(time))
  })

  test('may be a generated column, which follows what it is generated from', async () => {
    const { id, parts } = await service.add('/api/parcel', { name: 'p', parts: [{ name: 'a', weight: 4 }] })
    expect(parts).toMatchObject([{ double: 8 }])
    const changed = await service.patch(`/api/parcel/${id}/part/${parts[0].id}`, { weight: 5 })
    expect(changed).toMatchObject({ status: 200, body: { double: 10 } })
  })

  test('is there in a row that is added below an owner, and in one with an id of the client’s choice', async () => {
    expect(await service.add('/api/parcel/4711', { name: 'p' })).toMatchObject({ id: 4711, state: 'fresh' })
    const part = await service.add('/api/parcel/4711/part', { name: 'a', weight: 2 })
    expect(part).toMatchObject({ double: 4, madeAt: expect.any(String) })
    const { body } = await service.patch('/api/parcel/4711', { parts: [{ name: 'b', weight: 3 }] })
    expect(body.parts).toMatchObject([{ double: 4 }, { double: 6, madeAt: expect.any(String) }])
  })

  test('leaves an optional field beside it as it was: null, whatever its column’s default is', async () => {
    expect(await service.add('/api/parcel', { name: 'p' })).toMatchObject({ note: null })
  })

  test('has a PUT with the body that GET returned change nothing', async () => {
    const parcel = await service.add('/api/parcel', { name: 'p', parts: [{ name: 'a', weight: 1 }] })
    const statements = await service.statements(async () => {
      expect(await service.put(`/api/parcel/${parcel.id}`, parcel)).toMatchObject({ status: 200, body: parcel })
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('is so in the store, too', async () => {
    const store = storeWith(service.db, defaults, {})
    const parcel = await store.resource('parcel').create({ name: 'p', parts: [{ name: 'a', weight: 2 }] })
    expect(parcel).toMatchObject({ state: 'fresh', parts: [{ double: 4 }] })
  })
})
