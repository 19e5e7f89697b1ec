import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
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

/** As much of a browser's element as the stories read. The tests have no types of a browser. */
interface Shown {
  readonly tagName: string
  getBoundingClientRect(): { readonly top: number }
  scrollBy(x: number, y: number): void
}

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

describeOnBoth('each page', (database) => {
  let shop: OpenShop
  beforeAll(async () => {
    shop = await openShop(database)
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

  test.each(PAGES)(
    '$name: axe finds nothing, and no script and no style is refused',
    async ({ name, address, shows, act, ...options }) => {
      const open = await openPage(browser, shop, options)
      await open.goto(address)
      await open.page.getByText(shows, { exact: false }).first().waitFor()
      await act?.(open.page)
      await open.page.waitForTimeout(300)
      await takePicture(open.page, name)
      expect(await axeProblems(open.page)).toEqual([])
      expect(open.errors).toEqual([])
      await open.close()
    },
  )

  test('the map leads to the records, and is saved as a picture and for Mermaid', async () => {
    const open = await openPage(browser, shop)
    await open.goto('/$map')
    for (const [name, start] of [
      ['SVG', '<svg'],
      ['Mermaid', 'classDiagram'],
    ] as const) {
      const download = open.page.waitForEvent('download')
      await open.page.getByRole('button', { name }).click()
      const { readFile } = await import('node:fs/promises')
      expect(await readFile(await (await download).path(), 'utf8')).toMatch(new RegExp(`^${start}`))
    }
    await open.page.locator('.map-box').getByRole('link', { name: 'product' }).click()
    await open.page.getByRole('link', { name: 'Ink' }).waitFor()
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('nobody sees a page of the list that is not for him, and he is asked who he is', async () => {
    const open = await openPage(browser, shop)
    await open.page.route('**/api/product?**', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: '{"status":403,"detail":"you may not list product records"}',
      }),
    )
    await open.goto('/product')
    await open.page.getByText('product is not for you').waitFor()
    await open.page.getByRole('button', { name: 'Sign in…' }).click()
    await open.page.getByLabel(/Token/).fill('secret')
    const sent = open.page.waitForRequest((request) => request.headers().authorization === 'Bearer secret')
    await open.page.getByRole('button', { name: 'Use it' }).click()
    await sent
    expect(
      await open.page.evaluate<string>(
        'JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie])',
      ),
    ).not.toContain('secret')
    await open.close()
  })

  test('while the service starts again, the page waits, and goes on', async () => {
    const open = await openPage(browser, shop)
    let isDown = true
    await open.page.route('**/api/**', (route) => (isDown ? route.abort('connectionrefused') : route.continue()))
    await open.goto('/product')
    await open.page.waitForTimeout(1500)
    isDown = false
    await open.page.getByRole('link', { name: 'Ink' }).waitFor()
    await open.close()
  })

  test('a slow list shows its shape before its rows, and nothing jumps', async () => {
    const open = await openPage(browser, shop)
    await open.page.route('**/api/product?**', async (route) => {
      await new Promise((done) => setTimeout(done, 800))
      await route.continue()
    })
    await open.goto('/product')
    await open.page.locator('.bone').first().waitFor()
    const place = () => open.page.locator('.grid thead').evaluate((node: Shown) => node.getBoundingClientRect().top)
    const before = await place()
    await open.page.getByRole('link', { name: 'Ink' }).waitFor()
    expect(await place()).toBe(before)
    await open.close()
  })
})

describeOnBoth('text of strangers', (database) => {
  const SCRIPT = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>'
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    const { store } = shop
    await store.customer.create({ name: SCRIPT.slice(0, 100), website: 'javascript:window.wasRun=1', note: SCRIPT })
    await store.customer.create({ name: 'Eve', website: 'https://eve.example/' })
    open = await openPage(browser, shop)
  })
  afterAll(async () => {
    await open.close()
    await shop.close()
  })

  test.each(['/customer?fields=name,website,note', '/customer/1'])(
    '%s shows it as text, and runs nothing',
    async (address) => {
      await open.goto(address)
      await open.page
        .getByText(/onerror/)
        .first()
        .waitFor()
      await open.page.waitForTimeout(200)
      expect(await open.page.evaluate('window.wasRun')).toBeUndefined()
      expect(await open.page.locator('a[href^="javascript" i]').count()).toBe(0)
      expect(open.errors).toEqual([])
    },
  )

  test('only addresses of the web and of mail become links', async () => {
    await open.goto('/customer?fields=name,website')
    const link = open.page.getByRole('link', { name: 'https://eve.example/' })
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    expect(await open.page.getByText('javascript:window.wasRun=1').evaluate((node: Shown) => node.tagName)).toBe('SPAN')
  })
})

describeOnBoth('a list of 100,000 records', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    for (let start = 0; start < 100_000; start += 1_000) {
      const values = Array.from({ length: 1_000 }, (_, index) => ({
        label: `tag ${String(start + index).padStart(6, '0')}`,
      }))
      await shop.db
        .insertInto('tag' as never)
        .values(values as never)
        .execute()
    }
    open = await openPage(browser, shop)
  })
  afterAll(async () => {
    await open.close()
    await shop.close()
  })

  test('shows its first rows at once, draws only those in sight, and reads on as one scrolls', async () => {
    const { page } = open
    const begun = Date.now()
    await open.goto('/tag')
    await page.getByRole('link', { name: 'tag 000000' }).waitFor()
    expect(Date.now() - begun).toBeLessThan(3_000)
    await page.getByText('1,000+').waitFor()
    const shown = page.getByText(/shown, more below/)
    const scrolled = async () => {
      await page.locator('.grid').evaluate((node: Shown) => node.scrollBy(0, 6_000))
      return Number.parseInt(String(await shown.textContent()), 10)
    }
    await expect.poll(scrolled, { timeout: 20_000 }).toBeGreaterThan(900)
    expect(await page.locator('.grid tbody tr').count()).toBeLessThan(70)
    expect(open.errors).toEqual([])
  })
})
