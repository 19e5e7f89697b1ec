import { describe, expect, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { databases, setups } from '../../../../test/support/databases.ts'
import { asCaller, caller } from '../policies/support/as-caller.ts'
import { comparesDecimals } from '../reading/support/database-can.ts'
import { warehouse } from './support/warehouse.ts'

const crate = { label: 'a', price: '1.50', weight: 2.5, pieces: 1, spare: null }

describe.each(setups.filter(comparesDecimals))('what is computed over related records ($title)', (database) => {
  const service = useApp(database, warehouse, { plugin: { caller } })
  const depotWith = async (crates: readonly object[], others: object = {}) =>
    await service.add('/api/depot', { name: 'd', crates, ...others })

  test('is 0 where there are none, and null for the least and the greatest', async () => {
    expect(await depotWith([])).toMatchObject({
      value: '0',
      weight: 0,
      pieces: 0,
      spare: 0,
      crateCount: 0,
      oldest: null,
      lastLabel: null,
      cheapest: null,
      heavy: 0,
    })
  })

  test('is exact for decimals, however long they are', async () => {
    const prices = ['0.1', '0.2', '-0.05', '12345678901234567890.00000000000000000001']
    const { value, cheapest } = await depotWith(prices.map((price) => ({ ...crate, price })))
    expect(value).toBe('12345678901234567890.25000000000000000001')
    expect(cheapest).toBe('-0.05')
    expect((await depotWith([crate, { ...crate, price: '-1.50' }])).value).toBe('0.00')
    expect((await depotWith([crate, { ...crate, price: '2' }])).value).toBe('3.50')
  })

  test('adds what has a value', async () => {
    const depot = await depotWith([crate, { ...crate, label: 'ä', spare: 4, weight: 11 }, { ...crate, label: 'Z' }])
    expect(depot).toMatchObject({ weight: 16, pieces: 3, spare: 4, crateCount: 3, lastLabel: 'ä', heavy: 1 })
  })

  test('does not fail for numbers whose sum is too large to be exact', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const { id } = await depotWith(Array.from({ length: 1_100 }, () => ({ ...crate, pieces: most })))
    expect((await service.read(`/api/depot/${id}`)).pieces).toBeGreaterThan(most)
  })

  test('reaches through links from both ends, and through references', async () => {
    const tags = [
      await service.add('/api/tag', { word: 'x', score: 2 }),
      await service.add('/api/tag', { word: 'y', score: 3 }),
    ]
    const depot = await depotWith([], { tags: tags.map(({ id }) => ({ id })) })
    expect(depot).toMatchObject({ tagCount: 2, tagScore: 5, tags: [{ depotCount: 1 }, { depotCount: 1 }] })
    for (const born of ['1990-02-01', '1985-12-31']) {
      await service.add('/api/driver', { name: 'n', born, pay: 3, depotId: depot.id })
    }
    const found = await service.read(`/api/depot/${depot.id}`)
    expect(found).toMatchObject({ driverCount: 2, oldest: '1985-12-31' })
    expect((await service.read('/api/tag?sort=-depotCount')).count).toBe(2)
  })

  test('is in every record of a tree', async () => {
    const folders = [{ title: 'a', folders: [{ title: 'b', folders: [{ title: 'c' }, { title: 'd' }] }] }]
    const depot = await depotWith([], { folders })
    expect(depot.folders).toMatchObject([{ below: 1, folders: [{ below: 2, folders: [{ below: 0 }, { below: 0 }] }] }])
  })

  test('is compared and sorted as what it is', async () => {
    for (const price of ['9.5', '10.25', '-3']) await depotWith([{ ...crate, price }])
    const values = async (query: string) =>
      (await service.read(`/api/depot?${query}`)).rows.map(({ value }: { value: string }) => value)
    expect(await values('sort=-value')).toEqual(['10.25', '9.5', '-3'])
    expect(await values('filter[value][gt]=9.50&sort=value')).toEqual(['10.25'])
    expect(await values('filter[value]=9.500')).toEqual(['9.5'])
    expect(await values('filter[cheapest][lt]=0')).toEqual(['-3'])
    expect(await values('filter[oldest][null]=true&filter[crateCount][in]=1&sort=lastLabel,value')).toEqual([
      '-3',
      '9.5',
      '10.25',
    ])
    expect(await values('filter[shout]=D&filter[shout][startsWith]=D&filter[others][gte]=2&sort=id')).toHaveLength(3)
  })

  test('can be a truth value, or JSON, into which a path leads', async () => {
    const depot = await depotWith([
      { ...crate, size: { width: 3 } },
      { ...crate, weight: 11 },
    ])
    expect(depot.crates).toMatchObject([
      { outside: { width: 3 }, isHeavy: false },
      { outside: null, isHeavy: true },
    ])
    const path = `/api/depot/${depot.id}/crate`
    for (const filter of ['filter[outside.width]=3', 'filter[isHeavy]=false', 'filter[outside][null]=false']) {
      expect((await service.read(`${path}?${filter}`)).rows).toMatchObject([{ id: depot.crates[0].id }])
    }
    const { rows } = await service.read(`${path}?sort=-isHeavy,outside.width`)
    expect(rows).toMatchObject([{ isHeavy: true }, { isHeavy: false }])
  })

  test('is what a cursor goes on behind', async () => {
    for (const price of ['9.5', '10.25', '-3', '9.50']) await depotWith([{ ...crate, price, label: price }])
    await depotWith([])
    for (const sort of ['value', '-value', 'lastLabel', '-lastLabel', 'mine,-weight', 'shout,-crateCount,cheapest']) {
      const all = (await service.read(`/api/depot?sort=${sort}`)).rows
      const pages = []
      let after = ''
      for (;;) {
        const page = await service.read(`/api/depot?sort=${sort}&limit=1${after}`)
        pages.push(...page.rows)
        if (page.next === undefined) break
        after = `&after=${page.next}`
      }
      expect(pages, sort).toEqual(all)
    }
  })

  test('can be chosen, and filtered by, in nested arrays', async () => {
    const tag = await service.add('/api/tag', { word: 'x', score: 2 })
    await depotWith([crate], { name: 'one', tags: [{ id: tag.id }] })
    await depotWith([], { name: 'two', tags: [{ id: tag.id }] })
    const filter = encodeURIComponent(JSON.stringify({ crateCount: { gt: 0 } }))
    const query = `include=depots&nested[depots][sort]=-value&nested[depots][filter]=${filter}&fields=word,depots.value`
    const { rows } = await service.read(`/api/tag?${query}`)
    expect(rows).toMatchObject([{ word: 'x', depots: [{ value: '1.50' }] }])
    expect(rows[0].depots).toHaveLength(1)
    expect(rows[0].depots[0]).not.toHaveProperty('weight')
  })

  test('depends on who asks where the expression says so', async () => {
    const { id } = await depotWith([])
    const mine = async (org: number | undefined) =>
      (await asCaller(service, org === undefined ? {} : { org }).read(`/api/depot/${id}`)).mine
    expect(await mine(id)).toBe(true)
    expect(await mine(id + 1)).toBe(false)
    expect(await mine(undefined)).toBe(null)
  })

  test('is seen by those who see the field that it is made of', async () => {
    const { id } = await depotWith([])
    const staff = asCaller(service, { roles: ['staff'] })
    expect(await staff.read(`/api/depot/${id}`)).not.toHaveProperty('pay')
    expect((await staff.get('/api/depot?sort=pay')).status).toBe(400)
    expect((await staff.patch(`/api/depot/${id}`, { pay: 1 })).body.errors[0].message).toMatch(/no property/)
    const hr = asCaller(service, { roles: ['hr'] })
    expect(await hr.read(`/api/depot/${id}`)).toMatchObject({ pay: 0 })
    expect((await hr.get('/api/depot?sort=pay')).status).toBe(200)
  })
})

test('A SQLite connection that cannot compute with decimals is refused at start, with the names of the fields', async () => {
  const [sqlite] = databases
  const starting = sqlite && buildApp(sqlite, warehouse)
  await expect(starting).rejects.toThrow(
    /depot\.computed\.value: .*openSqlite[\s\S]*depot\.computed\.cheapest: .*openSqlite/,
  )
})
