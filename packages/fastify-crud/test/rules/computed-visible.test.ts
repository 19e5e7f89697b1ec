import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { asCaller, caller, type Policies } from '../policies/support/as-caller.ts'
import { useCatalog } from './support/use-catalog.ts'

/** Users see no zebras, and user 2 sees no lines at all. */
const policies: Policies = {
  client: true,
  bill: true,
  shelf: true,
  item: ({ eb, my }) => eb.and([eb('text', 'not like', 'zebra%'), eb(my('id', 'integer'), '!=', 2)]),
}

describeOnBoth('a computed field of hidden rows', (database) => {
  const filled = useCatalog(database, { plugin: { caller, policies } })
  const { service } = filled
  const ada = asCaller(service, { user: 1 })
  const path = () => `/api/bill/${filled.rows.five.id}`

  test('sees all of them, unless it is written with `visible`', async () => {
    expect(await ada.read(path())).toMatchObject({ total: 5, shown: 2, lines: [{ text: 'a' }] })
    const { rows } = await ada.read('/api/bill')
    expect(rows).toMatchObject([
      { total: 5, shown: 2 },
      { total: 7, shown: 7 },
    ])
  })

  test('with `visible` shows each caller their own', async () => {
    expect(await ada.read(path())).toMatchObject({ shown: 2 })
    const bo = await asCaller(service, { user: 2 }).read(path())
    expect(bo).toMatchObject({ total: 5, lines: [] })
    expect(bo.shown ?? 0).toBe(0)
    expect(await ada.read(path())).toMatchObject({ shown: 2 })
  })

  test('with `visible` is so in summaries, filters and sorts', async () => {
    const { bills } = await ada.read(`/api/shelf/${filled.rows.shelf.id}`)
    expect(bills).toMatchObject([{ shown: 2 }, { shown: 7 }])
    expect((await ada.read('/api/bill?filter[shown]=2')).rows).toMatchObject([{ number: 'b1' }])
    expect((await ada.read('/api/bill?filter[shown]=5')).rows).toEqual([])
    expect((await ada.read('/api/bill?sort=-shown')).rows).toMatchObject([{ number: 'b2' }, { number: 'b1' }])
  })

  test('with `visible` is so in the answer of a write', async () => {
    expect((await ada.patch(path(), { number: 'b9' })).body).toMatchObject({ total: 5, shown: 2 })
  })
})
