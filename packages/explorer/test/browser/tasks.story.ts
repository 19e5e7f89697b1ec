import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch, type OpenPage, type OpenShop, openPage, openShop, takePicture } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describeOnBoth('what people do every day', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    const { store } = shop
    for (const name of ['Ink', 'Paper', 'Pen', 'Blotter']) await store.product.create({ name, price: '2.50' })
    for (const name of ['Ada', 'Ben', 'Cid']) await store.customer.create({ name, email: `${name}@shop.example` })
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
    expect(open.errors).toEqual([])
    await open.close()
  })

  test('the one order of a customer that is not paid is found from the customer', async () => {
    const { page } = open
    await open.goto('/customer')
    await page.getByPlaceholder('Search').fill('ada')
    await page.getByRole('link', { name: 'Ada', exact: true }).click()
    await page.getByRole('link', { name: 'order', exact: true }).last().click()
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('button', { name: 'status enum', exact: true }).click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => page.locator('.grid tbody tr').count()).toBe(1)
    await page.getByRole('link', { name: 'A2' }).waitFor()
    expect(page.url()).toContain('filter%5Bstatus%5D=open')
    expect(open.clicks()).toBe(5)
  })

  test('the quantity of a line is changed, and nothing else is sent', async () => {
    const { page } = open
    await open.goto('/order/2')
    await page.getByLabel('quantity').first().fill('7')
    const sent = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    const request = await sent
    expect(request.postDataJSON()).toEqual({ lines: [{ id: 4, quantity: 7 }] })
    expect(request.headers()['if-match']).toMatch(/^"/)
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect((await shop.store.order.find(2)).lines[0]).toMatchObject({ quantity: 7 })
    expect(open.clicks()).toBe(1)
  })

  test('a line is added with a product that is found by its name', async () => {
    const { page } = open
    await open.goto('/order/2')
    await page.getByRole('button', { name: 'Add to lines' }).click()
    const fresh = page.locator('.child.fresh')
    await fresh.getByLabel('quantity').fill('3')
    await fresh.getByRole('combobox', { name: 'product' }).pressSequentially('blot')
    await page.getByRole('option', { name: /Blotter/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const { lines } = await shop.store.order.find(2)
    expect(lines.at(-1)).toMatchObject({ quantity: 3, product: { name: 'Blotter' } })
    expect(open.clicks()).toBe(3)
  })

  const productsOf = async (id: number) => (await shop.store.order.find(id)).lines.map(({ productId }) => productId)

  test('lines are put in order by drag', async () => {
    const { page } = open
    await open.goto('/order/3')
    const lines = page.locator('.child')
    const grip = (index: number) => lines.nth(index).locator('.grip')
    await grip(2).dragTo(lines.nth(0))
    await grip(1).dragTo(lines.nth(2))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await productsOf(3)).toEqual([3, 2, 1])
    expect(open.clicks()).toBe(1)
  })

  test('and by keyboard, on whose buttons one stays while the line moves', async () => {
    const { page } = open
    await open.goto('/order/3')
    await page
      .getByRole('button', { name: /^Down:/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    // It is at the end.
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+s')
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await productsOf(3)).toEqual([2, 1, 3])
    expect(open.clicks()).toBe(0)
  })

  test('so are the tags of a customer, as links that keep their order', async () => {
    const { page } = open
    for (const label of ['kind', 'quick', 'rich']) await shop.store.tag.create({ label })
    const tags = [1, 2, 3].map((id) => ({ id }))
    const { id } = await shop.store.customer.create({ name: 'Dora', tags })
    const idsOf = async () => (await shop.store.customer.find(id)).tags.map((tag) => tag.id)
    await open.goto(`/customer/${id}`)
    await page.getByRole('button', { name: 'Earlier: rich' }).click()
    await takePicture(page, 'ordered-links')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await idsOf()).toEqual([1, 3, 2])
    await page.locator('.chip', { hasText: 'kind' }).dragTo(page.locator('.chip', { hasText: 'quick' }))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(await idsOf()).toEqual([3, 2, 1])
    await shop.store.customer.delete(id)
  })

  test('a customer whom orders need is not deleted, and the orders are a click away', async () => {
    const { page } = open
    await open.goto('/customer/1')
    await page.getByRole('button', { name: 'Delete' }).click()
    const blockers = page.getByRole('dialog').getByRole('link', { name: '3 order by customer' })
    await blockers.click()
    await page.getByRole('link', { name: 'A1' }).waitFor()
    expect(await page.locator('.grid tbody tr').count()).toBe(3)
    expect(open.clicks()).toBe(2)
  })

  test('an order is deleted after one has seen what goes along, and brought back', async () => {
    const { page } = open
    await open.goto('/order/1')
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 order deleted, 3 line deleted').waitFor()
    expect(await dialog.locator('.effects li').allTextContents()).toEqual(
      expect.arrayContaining(['order 1 “A1” deleted', 'line 1 deleted · goes with its owner']),
    )
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('A1 is deleted.').waitFor()
    await expect(shop.store.order.find(1)).rejects.toThrow()
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await page.getByRole('heading', { name: 'A1' }).waitFor()
    expect((await shop.store.order.find(1)).lines).toHaveLength(3)
    expect(open.clicks()).toBe(3)
  })

  test('what would do something else by now is shown again before it is done', async () => {
    const { page } = open
    const order = await shop.store.order.create({ number: 'C1', customerId: 1, lines: [{ quantity: 1, productId: 1 }] })
    await open.goto(`/order/${order.id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 order deleted, 1 line deleted').waitFor()
    await shop.store.order.patch(order.id, { lines: [{ quantity: 2, productId: 2 }] })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/nothing was done/)
      .waitFor()
    await dialog.getByText('1 order deleted, 2 line deleted').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('C1 is deleted.').waitFor()
  })

  test('the trash has what was deleted, to bring back and to remove for good', async () => {
    const { page } = open
    const order = await shop.store.order.create({ number: 'D1', customerId: 1 })
    await shop.store.order.delete(order.id)
    await open.goto('/order')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Trash' }).click()
    await page.getByText('D1').waitFor()
    await page.getByRole('button', { name: 'Bring back' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Bring back' }).click()
    await page.getByRole('heading', { name: 'D1' }).waitFor()
    await shop.store.order.delete(order.id)
    await open.goto('/order/$deleted')
    await page.getByRole('button', { name: 'Remove for good' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove for good' }).click()
    await page.getByText('D1', { exact: true }).waitFor({ state: 'detached' })
    await expect(shop.store.order.restore(order.id)).rejects.toThrow()
  })

  test('two thousand customers are imported from a CSV file, but for the ten lines that are wrong', async () => {
    const { page } = open
    const lines = Array.from({ length: 2_000 }, (_, index) => {
      const name = index % 200 === 7 ? '' : `"Customer, ${index}"`
      return `${name},${index === 1_999 ? 'ada@shop.example' : `c${index}@shop.example`}`
    })
    await open.goto('/customer')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Import a file…' }).click()
    const buffer = Buffer.from(['Name,E-mail', ...lines].join('\r\n'))
    await page.getByLabel(/A file of CSV/).setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer })
    await page.getByLabel('What E-mail becomes').waitFor()
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('1,990 of 2,000 are stored, 10 lines are refused.').waitFor({ timeout: 60_000 })
    expect((await page.locator('.effects li').allTextContents()).slice(0, 1)).toEqual(['line 9: name: is required'])
    const { count } = await shop.store.customer.list({ filter: { name: { startsWith: 'Customer, ' } }, count: 'exact' })
    expect(count).toBe(1_990)
    expect(open.clicks()).toBe(3)
  })

  test('an import that was broken goes on after a reload, and no line is stored twice', async () => {
    const { page } = open
    const lines = Array.from({ length: 1_000 }, (_, index) => (index === 3 ? ',' : `Buyer ${index},`))
    const buffer = Buffer.from(['Name,E-mail', ...lines].join('\r\n'))
    const choose = () =>
      page.getByLabel(/A file of CSV/).setInputFiles({ name: 'buyers.csv', mimeType: 'text/csv', buffer })
    let posts = 0
    // The third portion is stored, and its answer is lost.
    await page.route('**/api/customer', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      posts += 1
      if (posts < 4) return await route.continue()
      await route.fetch()
      await route.abort('connectionreset')
    })
    await open.goto('/customer/$import')
    await choose()
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('What was sent before is stored.').waitFor()
    await page.unroute('**/api/customer')
    await page.reload()
    await choose()
    await page.getByText('399 of its 1,000 records are stored already.').waitFor()
    await takePicture(page, 'import-again')
    await page.getByRole('button', { name: 'Go on with it' }).click()
    await page.getByText('999 of 1,000 are stored, 1 lines are refused.').waitFor()
    const { count } = await shop.store.customer.list({ filter: { name: { startsWith: 'Buyer ' } }, count: 'exact' })
    expect(count).toBe(999)
    expect(await page.evaluate('localStorage.length')).toBe(0)
  })

  test('a list is saved as CSV as it is shown, and no text becomes a formula', async () => {
    const { page } = open
    await shop.store.product.create({ name: '=1+1', price: '1.00' })
    await open.goto('/product?fields=name,price&sort=name')
    await page.getByRole('button', { name: 'More' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Save as CSV' }).click()
    const { readFile } = await import('node:fs/promises')
    const text = await readFile(await (await download).path(), 'utf8')
    expect(text).toMatch(/^\uFEFFid,name,price\r\n\d+,'=1\+1,1.00\r\n/)
  })

  test('a line is moved to another order that is found by its number', async () => {
    const { page } = open
    await open.goto('/order/3')
    await page.getByRole('button', { name: /^Move/ }).first().click()
    await page.getByRole('dialog').getByRole('combobox').pressSequentially('A2')
    await page.getByRole('option', { name: /A2/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
    await page.getByText(/is in A2 now/).waitFor()
    await expect.poll(async () => (await shop.store.order.find(3)).lines.length).toBe(2)
    expect(open.clicks()).toBe(3)
  })

  test('a box is dragged to another slot of its shelf, to its place there, and to an empty one', async () => {
    const { page } = open
    const boxes = (...labels: string[]) => labels.map((label) => ({ label }))
    const shelf = await shop.store.shelf.create({
      name: 'North',
      slots: [
        { name: 'top', boxes: boxes('a', 'b') },
        { name: 'middle', boxes: boxes('c', 'd') },
        { name: 'low', boxes: [] },
      ],
    })
    const labels = async () =>
      (await shop.store.shelf.find(shelf.id)).slots.map((slot) => slot.boxes.map(({ label }) => label).join(''))
    await open.goto(`/shelf/${shelf.id}`)
    const box = (label: string) =>
      page.locator('.child .child').filter({ has: page.locator(`input[value="${label}"]`) })
    await box('a').locator('.grip').dragTo(box('d'))
    await page.getByText('a is in middle now.').waitFor()
    await page.locator('.part', { hasText: /^boxes 3/ }).waitFor()
    await expect.poll(labels).toEqual(['b', 'cad', ''])
    const empty = page.locator('.part', { hasText: /^boxes 0/ })
    // A page that scrolls while one takes hold of a box has another one there.
    await empty.scrollIntoViewIfNeeded()
    await box('b').locator('.grip').dragTo(empty)
    await page.getByText('b is in low now.').waitFor()
    await expect.poll(labels).toEqual(['', 'cad', 'b'])
    expect(open.clicks()).toBe(0)
  })

  test('an action of the application is a button with a form, and shows what it does before it is done', async () => {
    const { page } = open
    await open.goto('/product/4')
    await page.getByRole('button', { name: 'reprice' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('price').fill('much')
    await dialog.getByRole('button', { name: 'See what it does' }).click()
    await dialog.locator('.problem').waitFor()
    await dialog.getByLabel('price').fill('9.90')
    await dialog.getByRole('button', { name: 'See what it does' }).click()
    await dialog.getByText('1 product changed').waitFor()
    await takePicture(page, 'action-preview')
    expect(await shop.store.product.find(4)).toMatchObject({ price: '2.50' })
    const sent = page.waitForRequest((request) => request.headers()['effects-match'] !== undefined)
    await dialog.getByRole('button', { name: 'reprice' }).click()
    expect((await sent).postDataJSON()).toEqual({ price: '9.90' })
    await page.getByText('reprice: done.').waitFor()
    expect(await shop.store.product.find(4)).toMatchObject({ price: '9.90' })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expect.poll(async () => (await shop.store.product.find(4)).price).toBe('2.50')
  })

  test('an action without a form shows at once what it does, also of a whole list', async () => {
    const { page } = open
    await shop.store.product.create({ name: 'Clip, large', price: '0.70' })
    await open.goto('/product')
    await page.getByRole('button', { name: 'roundUp' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 product changed').waitFor()
    await shop.store.product.create({ name: 'Clip, small', price: '0.10' })
    await dialog.getByRole('button', { name: 'roundUp' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/nothing was done/)
      .waitFor()
    await dialog.getByText('price 0.10 → 1.00').waitFor()
    await dialog.getByRole('button', { name: 'roundUp' }).click()
    await dialog.getByText('"rounded"').waitFor()
    const { rows } = await shop.store.product.list({ filter: { name: { startsWith: 'Clip' } } })
    expect(rows.map(({ price }) => price)).toEqual(['1.00', '1.00'])
  })

  test('a save that takes a line away shows first what goes along, and what others did meanwhile', async () => {
    const { page } = open
    const lines = [1, 2].map((productId) => ({ quantity: 1, productId }))
    const { id } = await shop.store.order.create({ number: 'R1', customerId: 1, lines })
    await open.goto(`/order/${id}`)
    await page
      .getByRole('button', { name: /^Remove line/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('1 line deleted').waitFor()
    await takePicture(page, 'save-that-removes')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await shop.store.order.patch(id, { number: 'R2' })
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Somebody else saved first').waitFor()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await dialog.getByText('1 line deleted').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await shop.store.order.find(id)).toMatchObject({ number: 'R2', lines: [{ productId: 2 }] })
    await shop.store.order.delete(id)
  })

  test('who saves second chooses for each value what stays', async () => {
    const { page } = open
    await open.goto('/product/1')
    await page.getByLabel('price').fill('3.00')
    await shop.store.product.patch(1, { price: '4.00', name: 'Black ink' })
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Somebody else saved first').waitFor()
    expect(await dialog.locator('.compare').textContent()).toMatch(/Ink[\s\S]*Black ink/)
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Black ink' }).waitFor()
    expect(await shop.store.product.find(1)).toMatchObject({ name: 'Black ink', price: '3.00' })
    expect(open.clicks()).toBe(2)
  })

  test('what is wrong stands at its input, at any depth', async () => {
    const { page } = open
    await open.goto('/order/3')
    await page.getByRole('button', { name: 'Add to lines' }).click()
    await page.locator('.child.fresh').getByLabel('quantity').fill('500')
    await page.getByLabel('quantity').first().fill('0')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('3 values are not right.').waitFor()
    expect(await page.locator('.child').first().locator('.problem').allTextContents()).toEqual([
      expect.stringMatching(/>= 1/),
    ])
    expect(await page.locator('.child.fresh .problem').allTextContents()).toEqual([
      expect.stringMatching(/<= 99/),
      'is required',
    ])
  })

  test('a page with changes is not left without a question', async () => {
    const { page } = open
    await open.goto('/product/2')
    await page.getByLabel('name').fill('Paper, white')
    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.getByRole('link', { name: 'customer', exact: true }).click()
    await expect.poll(() => page.url()).toContain('/product/2')
    expect(await page.getByLabel('name').inputValue()).toBe('Paper, white')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('link', { name: 'customer', exact: true }).click()
    await page.getByRole('heading', { name: 'customer' }).waitFor()
  })

  test('a new record is made with all that belongs to it', async () => {
    const { page } = open
    await open.goto('/order')
    await page.getByRole('link', { name: 'New order' }).click()
    await page.getByLabel('number').fill('B1')
    await page.getByRole('combobox', { name: 'customer' }).pressSequentially('be')
    await page.getByRole('option', { name: /Ben/ }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'B1' }).waitFor()
    const { rows } = await shop.store.order.list({ filter: { number: 'B1' } })
    expect(rows[0]).toMatchObject({ status: 'open', customer: { name: 'Ben' } })
  })

  test('a value is changed in its cell of the list', async () => {
    const { page } = open
    await open.goto('/product?sort=name')
    await page.getByRole('cell', { name: '2.50' }).first().dblclick()
    await page.getByLabel('price').fill('2.75')
    await page.keyboard.press('Enter')
    await page.getByLabel('price').waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: '2.75' }).dblclick()
    await page.getByLabel('price').fill('much')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .getByText(/must match/)
      .waitFor()
    await page.keyboard.press('Escape')
  })

  test('the drawer has each request, as HTTP, as a command and as code of the client', async () => {
    const { page } = open
    await open.goto('/product/3')
    await page.getByRole('heading', { name: 'Pen' }).waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page
      .locator('.drawer .list button', { hasText: /product\/3(?!\/)/ })
      .first()
      .click()
    expect(await page.locator('.drawer pre').first().textContent()).toMatch(/^GET \/api\/product\/3\nhost: localhost/)
    await page.getByRole('tab', { name: 'curl' }).click()
    expect(await page.locator('.drawer pre').first().textContent()).toMatch(/^curl -g 'http/)
    await page.getByRole('tab', { name: 'JavaScript' }).click()
    expect(await page.locator('.drawer pre').first().textContent()).toContain(
      'const record = await api.product.find(3)',
    )
    await takePicture(page, 'requests-as-code')
    await page.locator('.drawer .list button', { hasText: '/$changes' }).first().click()
    expect(await page.locator('.drawer pre').first().textContent()).toContain(
      'for await (const change of changes(api))',
    )
  })
})
