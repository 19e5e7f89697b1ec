import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch, type OpenPage, type OpenShop, openPage, openShop } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

/** As much of a browser's element as the stories read. The tests have no types of a browser. */
interface Shown {
  readonly tagName: string
  getBoundingClientRect(): { readonly top: number }
}

describeOnBoth('the pages', (database) => {
  let shop: OpenShop
  beforeAll(async () => {
    shop = await openShop(database)
    for (const name of ['Ink', 'Paper', 'Pen']) await shop.store.product.create({ name, price: '2.50' })
  })
  afterAll(() => shop.close())

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
