import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openedSetups, type Setup } from '../../../../test/support/databases.ts'
import {
  axeProblems,
  launch,
  type OpenPage,
  type OpenShop,
  openPage,
  openShop,
  type PageOptions,
  takePicture,
} from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

interface Picture extends PageOptions {
  readonly name: string
  readonly address: string
  readonly shows: string
  readonly act?: (page: Page) => Promise<void>
}

const PAGES: readonly Picture[] = [
  { name: 'home', address: '/', shows: 'Somebody who buys.' },
  { name: 'map', address: '/$map', shows: 'owns: a part of it' },
  { name: 'map-dark', address: '/$map', shows: 'owns: a part of it', isDark: true },
  {
    name: 'map-focus',
    address: '/$map',
    shows: 'owns: a part of it',
    act: (page) => page.getByRole('button', { name: 'Focus on order' }).click(),
  },
  { name: 'records', address: '/product', shows: 'Ink' },
  { name: 'records-filtered', address: '/product?filter[price][gte]=2&sort=-name', shows: 'Ink' },
  { name: 'records-dark', address: '/product', shows: 'Ink', isDark: true },
  { name: 'records-phone', address: '/product', shows: 'Ink', isPhone: true },
  {
    name: 'selected-phone',
    address: '/product',
    shows: 'Ink',
    isPhone: true,
    act: (page) => page.getByRole('checkbox', { name: 'Select Ink' }).click(),
  },
  {
    name: 'selected-dark',
    address: '/product',
    shows: 'Ink',
    isDark: true,
    act: (page) => page.getByRole('checkbox', { name: 'All rows that are shown' }).click(),
  },
  { name: 'groups', address: '/order/$group', shows: 'Groups of order' },
  { name: 'groups-dark', address: '/order/$group?by=customer.name', shows: 'Groups of order', isDark: true },
  { name: 'groups-phone', address: '/order/$group?by=month(placedAt)', shows: '2026-03', isPhone: true },
  { name: 'trash', address: '/order/$deleted', shows: 'The trash is empty' },
  { name: 'import', address: '/order/$import', shows: 'A file of CSV' },
  { name: 'empty', address: '/tag', shows: 'There is no tag yet' },
  { name: 'no-match', address: '/product?filter[name]=Soap', shows: 'No product matches' },
  { name: 'wrong-query', address: '/product?filter[colour]=red', shows: 'The service answers 400' },
  { name: 'gone', address: '/product/99', shows: 'product 99 is not here' },
  { name: 'no-page', address: '/soap', shows: 'There is no such page' },
  { name: 'record', address: '/order/1', shows: 'A1' },
  { name: 'record-dark', address: '/order/1', shows: 'A1', isDark: true },
  { name: 'record-phone', address: '/order/1', shows: 'A1', isPhone: true },
  { name: 'history', address: '/order/1/$history', shows: 'History of order 1' },
  { name: 'history-dark', address: '/order/1/$history', shows: 'History of order 1', isDark: true },
  { name: 'history-phone', address: '/order/1/$history', shows: 'History of order 1', isPhone: true },
  { name: 'no-history', address: '/order/99/$history', shows: 'The history of order 99 is not here' },
  { name: 'new', address: '/order/$new', shows: 'New order' },
  {
    name: 'requests',
    address: '/order/1',
    shows: 'A1',
    act: (page) => page.getByRole('button', { name: 'Requests' }).click(),
  },
  { name: 'palette', address: '/order', shows: 'A1', act: (page) => page.keyboard.press('Control+k') },
  {
    name: 'filter',
    address: '/order',
    shows: 'A1',
    act: (page) => page.getByRole('button', { name: 'Filter' }).click(),
  },
  {
    name: 'delete',
    address: '/order/1',
    shows: 'A1',
    act: (page) => page.getByRole('button', { name: 'Delete' }).click(),
  },
]

const LOOKS: readonly ({ readonly name: string } & PageOptions)[] = [
  { name: 'light' },
  { name: 'dark', isDark: true },
  { name: 'on a phone', isPhone: true },
]

// What a page looks like does not depend on the database.
describe('each page', () => {
  let shop: OpenShop
  beforeAll(async () => {
    shop = await openShop(openedSetups[0] as Setup)
    const { store } = shop
    for (const name of ['Ink', 'Paper', 'Pen'])
      await store.product.create({ name, price: '2.50', size: { width: 3, height: 5 } })
    await store.customer.create({ name: 'Ada', email: 'ada@shop.example' })
    const lines = [1, 2].map((productId) => ({ quantity: 1, productId }))
    await store.order.create({ number: 'A1', placedAt: '2026-03-14T09:26:53Z', customerId: 1, lines })
    for (const payload of [
      { status: 'paid' },
      {
        lines: [
          { id: 1, $remove: true },
          { id: 2, quantity: 3 },
        ],
      },
    ])
      await shop.app.inject({ method: 'PATCH', url: '/api/order/1', payload })
  })
  afterAll(() => shop.close())

  describe.each(LOOKS)('$name', ({ name: _, ...look }) => {
    const pages = PAGES.filter(({ isDark, isPhone }) => isDark === look.isDark && isPhone === look.isPhone)
    let open: OpenPage
    beforeAll(async () => {
      open = await openPage(browser, shop, look)
    })
    afterAll(() => open.close())

    test.each(pages)('$name: axe finds nothing, and no script and no style is refused', async (shown) => {
      const { page } = open
      await open.goto(shown.address)
      // What the page before has opened is closed.
      await page.reload()
      await page.getByText(shown.shows).first().waitFor()
      await shown.act?.(page)
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
      await takePicture(page, shown.name)
      expect(await axeProblems(page)).toEqual([])
      expect(open.errors).toEqual([])
    })
  })
})
