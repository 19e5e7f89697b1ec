import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch, PICTURES } from '../../../explorer/test/browser/open-page.ts'
import {
  type BuiltPage,
  buildPage,
  errorsOf,
  type OpenAdmin,
  openAdmin,
} from '../../../react-admin/test/browser/open-admin.ts'

const soon = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 })

let browser: Browser
let built: BuiltPage
beforeAll(async () => {
  ;[browser, built] = await Promise.all([launch(), buildPage(join(import.meta.dirname, 'page'))])
})
afterAll(async () => {
  await browser.close()
  await built.remove()
})

describeOnBoth('the hooks of Refine in a browser', (database) => {
  let shop: OpenAdmin
  let page: Page
  let errors: readonly string[]
  beforeAll(async () => {
    shop = await openAdmin(database, built)
  })
  afterAll(() => shop.close())
  beforeEach(async () => {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 1000 } })).newPage()
    page.setDefaultTimeout(15_000)
    errors = errorsOf(page)
  })
  afterEach(async () => {
    await page.context().close()
    expect(errors).toEqual([])
  })

  const goto = (path: string, user = 'ben') => page.goto(`${shop.origin}/admin/?user=${user}#${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const input = (label: string) => page.getByLabel(label, { exact: true })
  const status = () => page.getByRole('status').textContent()
  const rows = () => page.locator('tbody .title').allTextContents()
  const picture = async (name: string) => {
    if (PICTURES === undefined) return
    await page.waitForTimeout(300)
    await page.screenshot({ path: `${PICTURES}/refine-${name}.png`, fullPage: true })
  }
  const titles = async (options: object) =>
    (await shop.shop.book.list({ sort: ['title'], limit: 100, ...options })).rows.map(({ title }) => title)
  const bookWithChapters = async (number: number) => {
    const { rows: found } = await shop.shop.book.list({ filter: { chapters: { some: { number } } }, limit: 1 })
    return await shop.shop.book.find(found[0]?.id as number)
  }

  test('useTable has pages, an order, a search and filters; useSelect finds what is chosen', async () => {
    await goto('/')
    const all = await titles({})
    await soon(rows).toEqual(all.slice(0, 5))
    await page.getByText(`${all.length} books, page 1 of ${Math.ceil(all.length / 5)}`).waitFor()
    await picture('table')
    await button('Next').click()
    await soon(rows).toEqual(all.slice(5, 10))
    await button('Title').click()
    await soon(rows).toEqual((await titles({ sort: ['-title'] })).slice(0, 5))
    await input('Search').fill('thorne')
    await soon(rows).toEqual((await titles({ search: 'thorne', sort: ['-title'] })).slice(0, 5))
    await input('Search').fill('')
    await input('Title').fill('THE')
    const filter = { title: { icontains: 'the' } }
    await soon(rows).toEqual((await titles({ filter, sort: ['-title'] })).slice(0, 5))
    const publisher = (await shop.shop.publisher.list()).rows[1] as { name: string; id: number }
    await input('Find a publisher').fill(publisher.name.slice(2, 8).toUpperCase())
    const options = () => input('Publisher').locator('option').allTextContents()
    await soon(options).toEqual(['all publishers', publisher.name])
    await input('Publisher').selectOption(publisher.name)
    const both = { ...filter, publisherId: publisher.id }
    await soon(rows).toEqual((await titles({ filter: both, sort: ['-title'] })).slice(0, 5))
    await picture('filtered')
  })

  test('an open table shows what others write, and the names that others change', async () => {
    await goto('/')
    const [first, ...others] = await titles({})
    await soon(rows).toEqual([first, ...others].slice(0, 5))
    await soon(() => shop.followers()).toBe(1)
    const [book] = (await shop.shop.book.list({ sort: ['title'], limit: 1 })).rows
    await shop.shop.book.patch(book?.id as number, { title: '0 of somebody else' })
    await soon(rows).toEqual(['0 of somebody else', ...others].slice(0, 5))
    await shop.shop.publisher.patch(book?.publisherId as number, { name: 'Renamed by somebody else' })
    await page.locator('td', { hasText: 'Renamed by somebody else' }).first().waitFor()
    await picture('live')
    await goto('/create')
    await soon(() => shop.followers()).toBe(0)
  })

  test('useForm changes, adds, removes and links', async () => {
    const before = await bookWithChapters(2)
    await goto(`/edit/${before.id}`)
    await soon(() => input('Title').inputValue()).toBe(before.title)
    const name = (await shop.shop.author.list({ filter: { id: { nin: before.authors.map(({ id }) => id) } } })).rows[0]
    await page.locator('option', { hasText: name?.name as string }).waitFor({ state: 'attached' })
    await picture('edit')
    await input('Title').fill('A new title')
    await input('Authors').selectOption([...before.authors.map(({ id }) => String(id)), String(name?.id)])
    await page.getByRole('button', { name: 'Remove' }).first().click()
    await button('Add').click()
    await input('Number').last().fill('77')
    await input('Chapter').last().fill('Of the form')
    await button('Save').click()
    await soon(status).toMatch(/Successful/)
    const after = await shop.shop.book.find(before.id)
    expect(after).toMatchObject({ title: 'A new title', cover: before.cover, tags: before.tags })
    expect(after.authors).toHaveLength(before.authors.length + 1)
    const kept = before.chapters.slice(1)
    expect(after.chapters).toEqual([...kept, expect.objectContaining({ number: 77, title: 'Of the form' })])
  })

  test('a form that was open for too long says that somebody was faster, and undoes nothing', async () => {
    const before = await bookWithChapters(2)
    await goto(`/edit/${before.id}`)
    await soon(() => input('Title').inputValue()).toBe(before.title)
    await shop.shop.book.patch(before.id, { chapters: [{ number: 99, title: 'Of somebody else' }] })
    await page.getByRole('button', { name: 'Remove' }).first().click()
    await button('Save').click()
    await soon(status).toMatch(/Somebody else has changed this record/)
    await picture('conflict')
    expect((await shop.shop.book.find(before.id)).chapters).toHaveLength(before.chapters.length + 1)
  })

  test('the messages of the service are at the inputs that they are about', async () => {
    const { id } = await bookWithChapters(3)
    await goto(`/edit/${id}`)
    await input('Chapter').nth(1).fill('')
    await input('Price').fill('cheap')
    await button('Save').click()
    await page.locator('.chapter').nth(1).locator('.error').waitFor()
    expect(await page.locator('.error').count()).toBe(2)
    await picture('errors')
    await input('Chapter').nth(1).fill('Better')
    await input('Price').fill('9.50')
    await button('Save').click()
    await soon(status).toMatch(/Successful/)
  })

  test('useForm creates a record with all that belongs to it', async () => {
    const [publisher] = (await shop.shop.publisher.list()).rows
    const [author] = (await shop.shop.author.list()).rows
    await goto('/create')
    await input('Title').fill('Made with Refine')
    await input('Isbn').fill('9781901028888')
    await input('Price').fill('3.00')
    await input('Cover').fill('https://covers.example/made.jpg')
    await input('Publisher').selectOption(publisher?.name as string)
    await input('Authors').selectOption(author?.name as string)
    await button('Add').click()
    await input('Number').fill('1')
    await input('Chapter').fill('One')
    await button('Save').click()
    await soon(status).toMatch(/Successful/)
    const [made] = (await shop.shop.book.list({ filter: { title: 'Made with Refine' } })).rows
    expect(made).toMatchObject({
      publisherId: publisher?.id,
      authors: [{ id: author?.id }],
      chapters: [{ title: 'One' }],
    })
  })

  test('deletions name what keeps a record, and are offered to those who may', async () => {
    const [sold] = (
      await shop.shop.book.list({ filter: { lines: { some: { quantity: { gt: 0 } } } }, sort: ['title'] })
    ).rows
    await goto('/')
    await input('Title').fill(sold?.title as string)
    await soon(rows).toContain(sold?.title)
    await page
      .locator('tr', { hasText: sold?.title as string })
      .getByRole('button', { name: 'Delete' })
      .click()
    await soon(status).toMatch(/still needed by \d+ line/)
    const count = (await titles({})).length
    await input('Title').fill('Made with Refine')
    await soon(rows).toEqual(['Made with Refine'])
    await page.getByLabel('Choose Made with Refine').check()
    await button('Delete chosen').click()
    await soon(async () => (await titles({})).length).toBe(count - 1)
    await goto('/', 'ada')
    await page.reload()
    await soon(async () => (await rows()).length).toBe(5)
    expect(await button('Delete').count()).toBe(0)
  })
})
