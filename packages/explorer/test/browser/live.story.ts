import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import {
  axeProblems,
  launch,
  type OpenPage,
  type OpenShop,
  openPage,
  openShop,
  requestAs,
  takePicture,
} from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describeOnBoth('what others write while one looks', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    for (const name of ['Ink', 'Nib', 'Pad', 'Pen', 'Wax']) await shop.store.product.create({ name, price: '2.50' })
    await shop.store.customer.create({ name: 'Ada' })
    for (const number of ['A1', 'A2'])
      await shop.store.order.create({ number, customerId: 1, lines: [{ quantity: 1, productId: 1 }] })
  })
  afterAll(() => shop.close())
  beforeEach(async () => {
    open = await openPage(browser, shop)
  })
  afterEach(async () => {
    expect(open.errors).toEqual([])
    await open.close()
  })
  const ben = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    requestAs(shop, 'ben', method, url, payload)
  /** Opens a page, and waits until the service tells it of changes. */
  const follow = async (address: string) => {
    const stream = open.page.waitForResponse((response) => response.url().endsWith('/api/$changes'))
    await open.goto(address)
    expect((await stream).status()).toBe(200)
  }

  test('is in the list at once: new values, new rows, and rows that are gone stay where they were', async () => {
    const { page } = open
    await follow('/product?sort=name')
    const row = (name: string) => page.locator('.grid tbody tr', { hasText: name })
    await row('Wax').waitFor()
    await ben('PATCH', '/product/2', { price: '7.70' })
    await row('Nib').getByText('7.70').waitFor()
    expect(await row('Nib').getAttribute('data-live')).toBe('changed')
    expect(await row('Nib').getAttribute('title')).toBe('changed by ben: price')
    await ben('POST', '/product', { name: 'Oil', price: '1.00' })
    await row('Oil').waitFor()
    await ben('DELETE', '/product/4')
    await expect.poll(() => row('Pen').getAttribute('data-live')).toBe('gone')
    expect(await page.locator('.grid tbody tr').allTextContents()).toEqual(
      ['Ink', 'Nib', 'Oil', 'Pad', 'Pen', 'Wax'].map((name) => expect.stringContaining(name)),
    )
    await page.getByText('by others: 1 changed, 1 added, 1 gone').waitFor()
    await takePicture(page, 'live-records')
    expect(await axeProblems(page)).toEqual([])
    await open.goto('/customer')
    await page.getByRole('link', { name: 'Ada' }).waitFor()
    await open.goto('/product?sort=name')
    await row('Wax').waitFor()
    expect(await page.locator('[data-live]').count()).toBe(0)
  })

  test('takes a row out of a filter, and what one writes oneself is not marked', async () => {
    const { page } = open
    await follow('/order?filter[status]=open&sort=number')
    const row = (name: string) => page.locator('.grid tbody tr', { hasText: name })
    await row('A1').waitFor()
    await ben('PATCH', '/order/1', { status: 'paid' })
    await expect.poll(() => row('A1').getAttribute('data-live')).toBe('gone')
    expect(await page.getByRole('checkbox', { name: 'Select A1' }).isDisabled()).toBe(true)
    await row('A2').getByRole('link', { name: 'A2' }).waitFor()
    await open.goto('/product?sort=name')
    await row('Ink').getByRole('cell', { name: '2.50' }).dblclick()
    await page.getByLabel('price').fill('2.75')
    await page.keyboard.press('Enter')
    await row('Ink').getByRole('cell', { name: '2.75' }).waitFor()
    // Behind what the service tells of it.
    await ben('PATCH', '/product/3', { price: '3.33' })
    await row('Pad').getByText('3.33').waitFor()
    expect(await row('Ink').getAttribute('data-live')).toBeNull()
  })

  test('is in the record that is shown, with who did it, and the place that one is at stays', async () => {
    const { page } = open
    await follow('/order/2')
    const quantity = page.getByLabel('quantity')
    await quantity.focus()
    await ben('PATCH', '/order/2', { lines: [{ id: 2, quantity: 5 }] })
    await expect.poll(() => quantity.inputValue()).toBe('5')
    await page.getByText('ben has just changed it: line').waitFor()
    expect(await page.evaluate('document.activeElement.value')).toBe('5')
    await takePicture(page, 'live-record')
  })

  test('never overwrites what one is typing: one looks at it, or goes on with one’s own', async () => {
    const { page } = open
    await follow('/product/1')
    await page.getByLabel('price').fill('9.00')
    await ben('PATCH', '/product/1', { price: '8.00', name: 'Black ink' })
    const note = page.getByRole('status').filter({ hasText: 'ben has changed this record meanwhile' })
    await note.waitFor()
    expect(await page.getByLabel('price').inputValue()).toBe('9.00')
    expect(await page.getByLabel('name').inputValue()).toBe('Ink')
    await takePicture(page, 'live-typing')
    const size = page.viewportSize()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await takePicture(page, 'live-typing-phone-dark')
    await page.setViewportSize(size ?? { width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.locator('.compare').textContent()).toMatch(/8\.00[\s\S]*9\.00/)
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await note.waitFor({ state: 'detached' })
    expect(await page.getByLabel('name').inputValue()).toBe('Black ink')
    expect(await page.getByLabel('price').inputValue()).toBe('9.00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await shop.store.product.find(1)).toMatchObject({ name: 'Black ink', price: '9.00' })
  })

  test('is not missed if it was written between the first look and the stream', async () => {
    const { page } = open
    let letGo = () => {}
    const held = new Promise<void>((done) => {
      letGo = done
    })
    await page.route('**/api/$changes', async (route) => {
      await held
      await route.continue()
    })
    await open.goto('/product?sort=name')
    await page.getByRole('link', { name: 'Wax' }).waitFor()
    await ben('PATCH', '/product/5', { price: '5.55' })
    letGo()
    await page.getByRole('cell', { name: '5.55' }).waitFor()
  })

  test('says of a record that was deleted that it is gone, and keeps it in sight', async () => {
    const { page } = open
    const { id } = await ben('POST', '/product', { name: 'Quill', price: '1.00' })
    await follow(`/product/${id}`)
    await page.getByLabel('name').waitFor()
    await ben('DELETE', `/product/${id}`)
    await page.getByText('This record is gone by now').waitFor()
    await page.getByRole('heading', { name: 'Quill' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    expect(await page.getByLabel('name').count()).toBe(0)
    await takePicture(page, 'live-gone')
  })
})
