import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { axeProblems, launch, type OpenPage, type OpenShop, openPage, openShop, takePicture } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describeOnBoth('rows that are selected', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    const { store } = shop
    for (const name of ['Ink', 'Nib', 'Pad', 'Pen', 'Wax']) await store.product.create({ name, price: '2.50' })
    for (const name of ['Ada', 'Ben']) await store.customer.create({ name })
    for (const number of ['A1', 'A2', 'A3']) {
      await store.order.create({ number, customerId: 1, lines: [{ quantity: 1, productId: 1 }] })
    }
  })
  afterAll(() => shop.close())
  beforeEach(async () => {
    open = await openPage(browser, shop)
  })
  afterEach(async () => {
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('get a value in one request, after one has seen what that does', async () => {
    const { page } = open
    await open.goto('/product?sort=name')
    await page.getByRole('checkbox', { name: 'Select Nib' }).click()
    await page.getByRole('checkbox', { name: 'Select Pen' }).click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await takePicture(page, 'selected')
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Set a field…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('price')
    await dialog.getByLabel('price').fill('3.10')
    await takePicture(page, 'set-a-field')
    await dialog.getByRole('button', { name: 'See what it does' }).click()
    await dialog.getByText('3 product changed').waitFor()
    await takePicture(page, 'set-preview')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await dialog.getByRole('button', { name: 'Set' }).click()
    expect((await sent).postDataJSON()).toEqual([2, 3, 4].map((id) => ({ id, price: '3.10' })))
    await page.getByText('price of 3 product records is set.').waitFor()
    await expect.poll(() => page.getByRole('cell', { name: '3.10' }).count()).toBe(3)
    expect(await page.getByText('3 selected').count()).toBe(0)
    expect(open.clicks()).toBeLessThanOrEqual(5)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => page.getByRole('cell', { name: '3.10' }).count()).toBe(0)
  })

  test('keep their values where one of them may not have the new one, and it is said why', async () => {
    const { page } = open
    await open.goto('/product?sort=name')
    await page.getByRole('checkbox', { name: 'All rows that are shown' }).click()
    await page.getByRole('button', { name: 'Set a field…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('price')
    await dialog.getByLabel('price').fill('much')
    await dialog.getByRole('button', { name: 'See what it does' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/must match pattern/)
      .waitFor()
    expect(await dialog.getByRole('button', { name: 'Set' }).count()).toBe(0)
  })

  test('get another reference, which is found by its name', async () => {
    const { page } = open
    await open.goto('/order?sort=number')
    await page.getByRole('checkbox', { name: 'Select A1' }).click()
    await page.getByRole('button', { name: 'Set a field…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('customer')
    await dialog.getByRole('combobox', { name: 'customer' }).pressSequentially('be')
    await page.getByRole('option', { name: /Ben/ }).click()
    await dialog.getByRole('button', { name: 'See what it does' }).click()
    await dialog.getByText('customerId 1 → 2').waitFor()
    await dialog.getByRole('button', { name: 'Set' }).click()
    await page.getByText('is set.').waitFor()
    expect(await shop.store.order.find(1)).toMatchObject({ customer: { name: 'Ben' } })
    await shop.store.order.patch(1, { customerId: 1 })
  })

  test('are deleted in one request with all that goes along, and brought back with it', async () => {
    const { page } = open
    await open.goto('/order?sort=number')
    await page.getByRole('checkbox', { name: 'Select A2' }).click()
    await page.getByRole('checkbox', { name: 'Select A3' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 order deleted, 2 line deleted').waitFor()
    await takePicture(page, 'delete-many')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('2 order records deleted.').waitFor()
    await expect.poll(async () => (await shop.store.order.list()).count).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    const lines = async () => (await shop.store.order.list()).rows.map((order) => order.lines.length)
    await expect.poll(lines).toEqual([1, 1, 1])
  })

  test('are not deleted while others need them, and these are a click away', async () => {
    const { page } = open
    await open.goto('/customer')
    await page.getByRole('checkbox', { name: 'All rows that are shown' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('link', { name: '3 order by customer' }).click()
    await page.getByRole('link', { name: 'A1' }).waitFor()
    expect(await page.locator('.grid tbody tr').count()).toBe(3)
  })

  test('are all that match the filter, also those that nobody has read yet', async () => {
    const { page } = open
    const names = Array.from({ length: 150 }, (_, index) => ({ label: `new ${String(index).padStart(3, '0')}` }))
    await shop.store.tag.createMany([...names, { label: 'old' }])
    await open.goto('/tag?filter[label][startsWith]=new&sort=label')
    await page.getByRole('checkbox', { name: 'All rows that are shown' }).click()
    await page.getByText('100 selected').waitFor()
    await page.getByRole('button', { name: 'Select all 150 that match' }).click()
    await page.getByText('All 150 that match are selected').waitFor()
    // Also those that one comes to behind that.
    await page.locator('.grid').focus()
    for (let count = 0; count < 8; count += 1) await page.keyboard.press('PageDown')
    await page.getByText('150 shown').waitFor()
    await page.getByText('All 150 that match are selected').waitFor()
    await takePicture(page, 'all-that-match')
    await page.getByRole('button', { name: 'Set a field…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Field').selectOption('label')
    await dialog.getByLabel('label').fill('newer')
    await dialog.getByRole('button', { name: 'See what it does' }).click()
    await dialog.getByText('150 tag changed').waitFor()
    await dialog.getByText('and 50 more').waitFor()
    const sent = page.waitForRequest((request) => request.headers()['effects-match'] !== undefined)
    await dialog.getByRole('button', { name: 'Set' }).click()
    expect((await sent).postDataJSON()).toEqual({ label: 'newer' })
    await page.getByText('label of all 150 tag records is set.').waitFor()
    expect((await shop.store.tag.list({ filter: { label: 'newer' } })).count).toBe(150)
    await open.goto('/tag?filter[label]=newer')
    await page.getByText('label is newer').waitFor()
    await page.getByRole('checkbox', { name: 'All rows that are shown' }).click()
    await page.getByRole('button', { name: 'Select all 150 that match' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByText('150 tag deleted').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('all 150 tag records deleted.').waitFor()
    expect((await shop.store.tag.list()).count).toBe(1)
  })

  test('that are more than one write may be about say so, and nothing is done', async () => {
    const { page } = open
    for (const start of [0, 600]) {
      const labels = Array.from({ length: 600 }, (_, index) => ({ label: `many ${start + index}` }))
      await shop.store.tag.createMany(labels)
    }
    await open.goto('/tag?filter[label][startsWith]=many')
    await page.getByRole('checkbox', { name: 'All rows that are shown' }).click()
    await page.getByRole('button', { name: /^Select all 1,\d+\+? that match/ }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    const alert = page.getByRole('dialog').getByRole('alert')
    await alert.getByText('more than 1000 records').waitFor()
    await alert.getByText('Choose fewer records').waitFor()
    await takePicture(page, 'too-many')
    expect((await shop.store.tag.list({ count: 'exact' })).count).toBe(1_201)
  })

  test('are chosen by keyboard, too, and forgotten with other conditions', async () => {
    const { page } = open
    await open.goto('/product?sort=name')
    await page.getByRole('link', { name: 'Ink' }).waitFor()
    await page.locator('.grid').focus()
    for (const key of ['ArrowDown', 'ArrowDown', ' ', 'ArrowDown', ' ']) await page.keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Select Nib' }).isChecked()).toBe(true)
    await open.goto('/product?sort=name&filter[name]=Ink')
    await page.getByText('2 selected').waitFor({ state: 'detached' })
  })
})
