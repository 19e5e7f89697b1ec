import type { Browser, FileChooser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { axeProblems, launch, type OpenPage, type OpenShop, openPage, openShop } from './open-page.ts'

/** So often somebody presses a key until they are where they want to be. */
const MOST_KEYS = 80

/** What a screen reader says of the element that has the focus: `button "Delete"`. */
async function focused(page: Page): Promise<string> {
  const found = page.locator('*:focus')
  if ((await found.count()) === 0) return 'nothing'
  const [line = ''] = (await found.last().ariaSnapshot()).split('\n')
  return line.replace(/^- /, '').replace(/^'|'(?=[ :]|$)/g, '')
}

/** Presses the key until that has the focus, by what a screen reader says of it. */
async function keyTo(page: Page, words: RegExp, key = 'Tab'): Promise<void> {
  const heard: string[] = []
  for (let count = 0; count < MOST_KEYS; count += 1) {
    const now = await focused(page)
    if (words.test(now)) return
    heard.push(now)
    await page.keyboard.press(key)
  }
  throw new Error(`${MOST_KEYS} times ${key}, and no ${words}, but ${heard.join(' | ')}`)
}

const keys = async (page: Page, ...all: readonly string[]): Promise<void> => {
  for (const key of all) await page.keyboard.press(key)
}

/** The dialog as a screen reader has it, when it says that. */
async function dialogThatSays(page: Page, words: RegExp | string): Promise<string> {
  const dialog = page.getByRole('dialog')
  await dialog.getByText(words).first().waitFor()
  return await dialog.ariaSnapshot()
}

/** What was announced: the texts of live regions. */
const announced = (page: Page): Promise<string[]> =>
  page.locator('[role=status], [role=alert], [aria-live]').allTextContents()

/** What becomes so at some time, however slow the machine is. */
const until = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { timeout: 20_000 })

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describeOnBoth('what people do every day, by keyboard and by what a screen reader says', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    const { store } = shop
    for (const name of ['Ink', 'Paper', 'Pen', 'Blotter']) await store.product.create({ name, price: '2.50' })
    for (const name of ['Ada', 'Ben']) await store.customer.create({ name, email: `${name}@shop.example` })
    const lines = [1, 2, 3].map((productId) => ({ quantity: 1, productId }))
    for (const number of ['A1', 'A2', 'A3']) {
      await store.order.create({ number, status: number === 'A2' ? 'open' : 'paid', customerId: 1, lines })
    }
  })
  afterAll(() => shop.close())
  beforeEach(async () => {
    open = await openPage(browser, shop)
  })
  afterEach(async () => {
    expect(await axeProblems(open.page)).toEqual([])
    expect(open.clicks()).toBe(0)
    expect(open.errors).toEqual([])
    await open.close()
  })
  const productsOf = async (id: number) => (await shop.store.order.find(id)).lines.map(({ productId }) => productId)
  const isSaved = async () => {
    await open.page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  }

  test('the one order of a customer that is not paid', async () => {
    const { page } = open
    await open.goto('/')
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    await keys(page, 'Control+k')
    await keyTo(page, /^combobox "Find a resource or a record"/)
    await page.keyboard.type('customer')
    await page.getByRole('option', { name: 'customer list' }).waitFor()
    await keys(page, 'Enter')
    await page.getByRole('link', { name: 'Ada', exact: true }).waitFor()
    await keyTo(page, /^region "customer records"/)
    await keys(page, 'ArrowDown')
    await keyTo(page, /^link "Ada"/, 'ArrowDown')
    await keys(page, 'Enter')
    await page.getByRole('heading', { name: 'Used by' }).waitFor()
    await keyTo(page, /^link "order"/)
    await keys(page, 'Enter')
    await page.getByRole('link', { name: 'A1' }).waitFor()
    await keyTo(page, /^button "Filter"/)
    await keys(page, 'Enter')
    await keyTo(page, /^textbox "Filter by"/)
    await page.keyboard.type('status')
    await keys(page, 'Enter')
    await keyTo(page, /^combobox "How"/)
    await keyTo(page, /^combobox "Value"/)
    await keyTo(page, /^button "Apply"/)
    await keys(page, 'Enter')
    await page.getByRole('link', { name: 'A1' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'status is open', exact: true }).waitFor()
    await until(() => announced(page)).toContain('1')
    // Where the filter was added, the next one can be.
    await until(() => focused(page)).toMatch(/^button "Filter"/)
  })

  test('the quantity of a line', async () => {
    const { page } = open
    await open.goto('/order/2')
    await page.getByRole('heading', { name: 'A2' }).waitFor()
    await keyTo(page, /^textbox "quantity"/)
    await keys(page, 'Control+a')
    await page.keyboard.type('7')
    await until(() => announced(page)).toContain('1 change')
    await keys(page, 'Control+s')
    await isSaved()
    expect((await shop.store.order.find(2)).lines[0]).toMatchObject({ quantity: 7 })
    await until(() => focused(page)).toMatch(/^textbox "quantity": "7"/)
  })

  test('a line with a product that is found by its name, and what is wrong with it first', async () => {
    const { page } = open
    await open.goto('/order/2')
    await page.getByRole('heading', { name: 'A2' }).waitFor()
    await keyTo(page, /^button "Add to lines"/)
    await keys(page, 'Enter')
    // The focus is in the new line.
    await until(() => focused(page)).not.toMatch(/Add to lines/)
    await keyTo(page, /^textbox "quantity/)
    await page.keyboard.type('500')
    await keys(page, 'Control+s')
    await page
      .getByRole('alert')
      .getByText(/values are not right/)
      .waitFor()
    await until(() => focused(page)).toMatch(/^textbox "quantity" \[invalid\]: "500"/)
    expect(await page.locator('*:focus').getAttribute('aria-invalid')).toBe('true')
    const says = await page.locator('*:focus').getAttribute('aria-describedby')
    expect(await page.locator(`[id="${says}"]`).textContent()).toMatch(/<= 99/)
    await keys(page, 'Control+a')
    await page.keyboard.type('3')
    await keyTo(page, /^combobox "product"/)
    await page.keyboard.type('blot')
    await page.getByRole('option', { name: /Blotter/ }).waitFor()
    await keys(page, 'ArrowDown', 'Enter')
    await keys(page, 'Control+s')
    await isSaved()
    expect((await shop.store.order.find(2)).lines.at(-1)).toMatchObject({ quantity: 3, product: { name: 'Blotter' } })
  })

  test('a line moves to another order', async () => {
    const { page } = open
    await open.goto('/order/3')
    await page.getByRole('heading', { name: 'A3' }).waitFor()
    await keyTo(page, /^button "Move line \d+ to another order"/)
    await keys(page, 'Enter')
    expect(await dialogThatSays(page, /^Move line/)).toMatch(/combobox "order"/)
    await keyTo(page, /^combobox "order"/)
    await page.keyboard.type('A1')
    await page.getByRole('option', { name: /A1/ }).waitFor()
    await keys(page, 'ArrowDown', 'Enter')
    await keyTo(page, /^button "Move"/)
    await keys(page, 'Enter')
    await until(async () => (await announced(page)).join()).toMatch(/is in A1 now/)
    await until(async () => (await shop.store.order.find(3)).lines.length).toBe(2)
    await until(() => focused(page)).not.toBe('nothing')
  })

  test('the lines of an order in another order', async () => {
    const { page } = open
    await open.goto('/order/2')
    await page.getByRole('heading', { name: 'A2' }).waitFor()
    const before = await productsOf(2)
    await keyTo(page, /^button "Down: /)
    await keys(page, 'Enter', 'Enter')
    await until(() => focused(page)).toMatch(/^button "Down: /)
    await keys(page, 'Control+s')
    await isSaved()
    expect(await productsOf(2)).toEqual([before[1], before[2], before[0], ...before.slice(3)])
  })

  test('a customer whom orders need: what is in the way, and the way there', async () => {
    const { page } = open
    await open.goto('/customer/1')
    await page.getByRole('heading', { name: 'Ada' }).waitFor()
    await keyTo(page, /^button "Delete"/)
    await keys(page, 'Enter')
    expect(await dialogThatSays(page, '3 order by customer')).toMatch(
      /dialog "Delete Ada\?"[\s\S]*alert[\s\S]*link "3 order by customer"/,
    )
    await keys(page, 'Escape')
    // The focus is where it was.
    await until(() => focused(page)).toMatch(/^button "Delete"/)
    await keys(page, 'Enter')
    await keyTo(page, /^link "3 order by customer"/)
    await keys(page, 'Enter')
    await page.getByRole('link', { name: 'A1' }).waitFor()
    // The focus is at the beginning of the list.
    await until(() => focused(page)).toMatch(/^main/)
  })

  test('an order is deleted with what goes along, and brought back', async () => {
    const { page } = open
    await open.goto('/order/1')
    await page.getByRole('heading', { name: 'A1' }).waitFor()
    await keyTo(page, /^button "Delete"/)
    await keys(page, 'Enter')
    expect(await dialogThatSays(page, /1 order deleted/)).toMatch(
      /dialog "Delete A1\?"[\s\S]*status: 1 order deleted, \d line deleted[\s\S]*listitem: order 1 “A1” deleted/,
    )
    await keyTo(page, /^button "Delete"/)
    await keys(page, 'Enter')
    await until(async () => (await announced(page)).join()).toMatch(/A1 is deleted\./)
    await until(() => focused(page)).toMatch(/^main/)
    await keyTo(page, /^button "Bring it back"/, 'Shift+Tab')
    await keys(page, 'Enter')
    await page.getByRole('heading', { name: 'A1' }).waitFor()
    expect((await shop.store.order.find(1)).number).toBe('A1')
  })

  test('two thousand customers of a file, and the ten lines that are wrong', async () => {
    const { page } = open
    const lines = Array.from({ length: 2_000 }, (_, index) => {
      const name = index % 200 === 7 ? '' : `"Customer, ${index}"`
      return `${name},${index === 1_999 ? 'ada@shop.example' : `c${index}@shop.example`}`
    })
    // Somebody has to wait for it before the page asks for a file: the browser is told so some time later.
    const chooser = new Promise<FileChooser>((resolve) => page.once('filechooser', resolve))
    await open.goto('/customer')
    await page.getByRole('link', { name: 'Ada', exact: true }).waitFor()
    await keyTo(page, /^button "More"/)
    await keys(page, 'Enter')
    await keyTo(page, /^menuitem "Import a file/, 'ArrowDown')
    await keys(page, 'Enter')
    await page.getByRole('heading', { name: 'Import customer' }).waitFor()
    await keyTo(page, /^button "A file of CSV/)
    await keys(page, 'Enter')
    const buffer = Buffer.from(['Name,E-mail', ...lines].join('\r\n'))
    await (await chooser).setFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer })
    await page.getByLabel('What E-mail becomes').waitFor()
    await keyTo(page, /^button "Import"/)
    await keys(page, 'Enter')
    await page.getByText('1,990 of 2,000 are stored, 10 lines are refused.').waitFor({ timeout: 150_000 })
    await until(async () => (await announced(page)).join()).toMatch(/1,990 of 2,000 are stored, 10 lines are refused/)
    expect(await page.getByRole('main').ariaSnapshot()).toMatch(/listitem: "line 9: name: is required"/)
    await keyTo(page, /^button "Save the refused lines"/)
  }, 180_000)

  test('who changed the price, and its undo', async () => {
    const { page } = open
    const ask = (payload: object) => shop.app.inject({ method: 'PATCH', url: '/api/product/2', payload })
    await ask({ price: '9.90' })
    await open.goto('/product/2')
    await page.getByRole('heading', { name: 'Paper' }).waitFor()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.locator('.history > li').first().waitFor()
    expect(await page.locator('.history').ariaSnapshot()).toMatch(
      /ada changed this product[\s\S]*price[\s\S]*deletion: "2\.50"[\s\S]*insertion: "9\.90"/,
    )
    await keyTo(page, /^button "Undo: /)
    await keys(page, 'Enter')
    expect(await dialogThatSays(page, '1 product changed')).toMatch(
      /dialog "Undo what ada did on .*"[\s\S]*price[\s\S]*deletion: "9\.90"[\s\S]*insertion: "2\.50"/,
    )
    await keyTo(page, /^button "Undo"/)
    await keys(page, 'Enter')
    await until(async () => (await announced(page)).join()).toMatch(/It is undone\./)
    expect(await shop.store.product.find(2)).toMatchObject({ price: '2.50' })
  })

  test('a conflict with somebody who has saved first', async () => {
    const { page } = open
    await open.goto('/product/1')
    await page.getByRole('heading', { name: 'Ink' }).waitFor()
    await keyTo(page, /^textbox "price"/)
    await keys(page, 'Control+a')
    await page.keyboard.type('3.00')
    await shop.store.product.patch(1, { price: '4.00', name: 'Black ink' })
    await keys(page, 'Control+s')
    const heard = await dialogThatSays(page, 'Choose for each value what stays.')
    expect(heard).toMatch(/radio "price, theirs: 4\.00"[\s\S]*radio "price, yours: 3\.00" \[checked\]/)
    await keyTo(page, /^radio "price, yours: 3\.00"/)
    await keys(page, 'ArrowLeft')
    await until(() => focused(page)).toMatch(/^radio "price, theirs: 4\.00" \[checked\]/)
    await keys(page, 'ArrowRight')
    await keyTo(page, /^button "Save this"/)
    await keys(page, 'Enter')
    await page.getByRole('heading', { name: 'Black ink' }).waitFor()
    expect(await shop.store.product.find(1)).toMatchObject({ name: 'Black ink', price: '3.00' })
    await until(() => focused(page)).not.toBe('nothing')
  })

  test('a value in its cell of the list, and the rows that are selected', async () => {
    const { page } = open
    await open.goto('/product?sort=name')
    await page.getByRole('link', { name: 'Blotter' }).waitFor()
    await keyTo(page, /^region "product records"/)
    await keys(page, 'ArrowDown')
    await keyTo(page, /^link "Blotter"/, 'ArrowDown')
    await keyTo(page, /^cell "2\.50"/, 'ArrowRight')
    await keys(page, 'Enter')
    await keyTo(page, /^textbox "price"/)
    await keys(page, 'Control+a')
    await page.keyboard.type('2.75')
    await keys(page, 'Enter')
    await until(() => focused(page)).toMatch(/^cell "2\.75"/)
    await keys(page, 'F2', 'Escape')
    await until(() => focused(page)).toMatch(/^cell "2\.75"/)
    await keys(page, 'Space', 'ArrowDown', 'Space')
    await page.getByText('2 selected').first().waitFor()
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
  })
})
