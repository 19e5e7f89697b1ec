import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeInShop } from '../../../../examples/bookshop/test/describe-in-shop.ts'
import { openShop as openBookshop, requestAs } from '../../../../examples/bookshop/test/open-shop.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { axeProblems, launch, type OpenPage, type OpenShop, openPage, openShop, takePicture } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describeOnBoth('the history of a record', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
  })
  afterAll(() => shop.close())
  beforeEach(async () => {
    open = await openPage(browser, shop)
  })
  afterEach(async () => {
    expect(open.errors).toEqual([])
    await open.close()
  })
  const request = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const answer = await shop.app.inject({ method, url: `/api${url}`, ...(payload && { payload }) })
    expect(answer.statusCode).toBeLessThan(300)
    return answer.body === '' ? undefined : answer.json()
  }

  test('stands beside it, with who changed what, and an undo does what its preview has shown', async () => {
    const { page } = open
    const { id } = await request('POST', '/product', { name: 'Ink', price: '2.50' })
    await request('PATCH', `/product/${id}`, { price: '9.90' })
    await open.goto(`/product/${id}`)
    const entries = page.locator('.history > li')
    await entries.first().getByText('ada changed this product').waitFor()
    expect(await entries.first().locator('.changes li').allTextContents()).toEqual(['price 2.50 → 9.90'])
    expect(await entries.last().textContent()).toContain('ada created this product')
    await entries.first().getByRole('button', { name: /^Undo/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 product changed').waitFor()
    expect(await dialog.locator('.effects li').textContent()).toMatch(/price 9.90 → 2.50/)
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('It is undone.').waitFor()
    await entries.first().getByText('ada undid a change of this product').waitFor()
    expect(await page.getByLabel('price').inputValue()).toBe('2.50')
    expect(open.clicks()).toBe(2)
  })

  test('of an undo that later writes are in the way of says which, and leads there', async () => {
    const { page } = open
    const { id } = await request('POST', '/product', { name: 'Pen', price: '2.50' })
    await request('PATCH', `/product/${id}`, { price: '3.00' })
    await request('PATCH', `/product/${id}`, { price: '4.00' })
    await open.goto(`/product/${id}/$history`)
    await page.locator('.history > li').nth(1).getByRole('button', { name: /^Undo/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Undo these first.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await takePicture(page, 'undo-refused')
    await dialog.getByRole('link', { name: `product ${id} changed: price 3.00 → 4.00` }).click()
    await page.getByRole('heading', { name: 'Pen' }).waitFor()
  })

  test('says at the confirmation if the undo would do something else by now', async () => {
    const { page } = open
    const { id } = await request('POST', '/customer', { name: 'Ada' })
    const order = await request('POST', '/order', { number: 'H1', customerId: id })
    const { id: productId } = await request('POST', '/product', { name: 'Nib', price: '2.50' })
    await request('PATCH', `/order/${order.id}`, { number: 'H2', lines: [{ quantity: 1, productId }] })
    await open.goto(`/order/${order.id}/$history`)
    await page.locator('.history > li').first().getByRole('button', { name: /^Undo/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 order changed, 1 line deleted').waitFor()
    await request('PATCH', `/order/${order.id}`, { number: 'H3' })
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('link', { name: `order ${order.id} changed: number H2 → H3` }).waitFor()
    expect((await shop.store.order.find(order.id)).lines).toHaveLength(1)
  })

  test('reads on by pages, and shows only some days or one caller', async () => {
    const { page } = open
    const { id } = await request('POST', '/product', { name: 'Cap', price: '1.00' })
    for (let count = 0; count < 24; count += 1) {
      await request('PATCH', `/product/${id}`, { price: `${10 + count}.00` })
    }
    await open.goto(`/product/${id}/$history`)
    const entries = page.locator('.history > li')
    await expect.poll(() => entries.count()).toBe(20)
    await page.getByRole('button', { name: 'Earlier changes' }).click()
    await expect.poll(() => entries.count()).toBe(25)
    await page.getByLabel('until').fill('2020-01-01')
    await page.getByText('No change matches').waitFor()
    expect(decodeURIComponent(page.url())).toContain('filter[at][lt]=2020-01-0')
    await page.getByLabel('until').fill('')
    await entries.first().getByRole('button', { name: 'ada', exact: true }).click()
    await page.getByText('by ada').waitFor()
    await expect.poll(() => entries.count()).toBe(20)
    await page.getByRole('button', { name: 'By anybody' }).click()
    await page.getByText('by ada').waitFor({ state: 'detached' })
  })

  test('brings a deleted record back where there is no trash: at once, or later from where it was', async () => {
    const { page } = open
    const { id } = await request('POST', '/product', { name: 'Quill', price: '1.00' })
    await open.goto(`/product/${id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByRole('heading', { name: 'Quill' }).waitFor()
    expect(open.clicks()).toBe(3)
    await request('DELETE', `/product/${id}`)
    await page.reload()
    await page.getByText(`product ${id} is not here`).waitFor()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText('ada deleted this product').first().waitFor()
    await page.getByRole('button', { name: /^Undo/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('It is undone.').waitFor()
    expect(await shop.store.product.find(id)).toMatchObject({ name: 'Quill' })
  })

  test('leads to the record as it was on a day, which can only be read, and has an address of its own', async () => {
    const { page } = open
    const { id: customerId } = await request('POST', '/customer', { name: 'Ann' })
    const { id: productId } = await request('POST', '/product', { name: 'Tin', price: '2.50' })
    const lines = [{ quantity: 2, productId }]
    const order = await request('POST', '/order', { number: 'T1', customerId, lines })
    await request('PATCH', `/order/${order.id}`, { status: 'paid', lines: [{ id: order.lines[0].id, $remove: true }] })
    await open.goto(`/order/${order.id}`)
    await page.locator('.history > li').last().locator('time a').click()
    await page.getByText(/^as it was on/).waitFor()
    await page.getByRole('heading', { name: 'Since then' }).waitFor()
    await page.getByText('status open → paid').waitFor()
    await page.getByText(`line ${order.lines[0].id} went`).waitFor()
    await page.locator('.child').getByText('Tin').waitFor()
    expect(await page.locator('.past input').count()).toBe(0)
    await takePicture(page, 'as-it-was')
    expect(await axeProblems(page)).toEqual([])
    await page.reload()
    await page.locator('.child').getByText('Tin').waitFor()
    await page.getByLabel('on', { exact: true }).fill('2020-01-01')
    await page.getByText(`order ${order.id} of that moment is not here`).waitFor()
    await page.getByRole('link', { name: 'As it is now' }).first().click()
    await page.getByLabel('As it was on').fill('2060-01-01')
    await page.getByText('Nothing has changed.').waitFor()
  })

  test('goes with a record that an undo takes away', async () => {
    const { page } = open
    const { id } = await request('POST', '/product', { name: 'Wax', price: '1.00' })
    await open.goto(`/product/${id}`)
    await page.getByRole('button', { name: /^Undo/ }).click()
    await page.getByRole('dialog').getByText(`product ${id} “Wax” deleted`).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('this product is gone').waitFor()
    await page.getByRole('heading', { name: `History of product ${id}` }).waitFor()
  })
})

describeInShop('the bookshop', (database) => {
  let shop: Awaited<ReturnType<typeof openBookshop>>
  let origin: string
  beforeAll(async () => {
    shop = await openBookshop(database)
    origin = (await shop.app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
  })
  afterAll(() => shop.close())

  test('shows who changed a price last week, and takes it back', async () => {
    const [book] = (await shop.shop.book.list({ limit: 1, sort: ['title'] })).rows
    const path = `/api/book/${book?.id}`
    for (const [user, price] of [
      ['ada', '0.50'],
      ['ben', undefined],
    ] as const) {
      const body = price === undefined ? { subtitle: 'As it was meant' } : { price }
      expect((await shop.app.inject(requestAs(user, 'PATCH', path, body))).statusCode).toBe(200)
    }
    const open = await openPage(browser, { origin })
    const { page } = open
    await open.goto('/book')
    await page.getByPlaceholder('Search').fill(String(book?.title))
    // The list is another one then, and a click on the one before leads nowhere.
    await expect.poll(() => page.locator('.grid a[href^="#/book/"]').count()).toBe(1)
    await page.getByRole('link', { name: String(book?.title), exact: true }).click()
    const entry = page.locator('.history > li', { hasText: `price ${book?.price} → 0.50` })
    await entry.getByText('ada changed this book').waitFor()
    await takePicture(page, 'bookshop-record')
    await entry.getByRole('button', { name: /^Undo/ }).click()
    await page.getByRole('dialog').getByText('1 book changed').waitFor()
    await takePicture(page, 'undo')
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('It is undone.').waitFor()
    expect(await shop.shop.book.find(Number(book?.id))).toMatchObject({
      price: book?.price,
      subtitle: 'As it was meant',
    })
    expect(open.clicks()).toBe(3)
    expect(open.errors).toEqual([])
    await open.close()
  })
})
