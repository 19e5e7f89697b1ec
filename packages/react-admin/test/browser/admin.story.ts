import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch, PICTURES } from '../../../explorer/test/browser/open-page.ts'
import { type BuiltPage, buildPage, errorsOf, type OpenAdmin, openAdmin } from './open-admin.ts'

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

describeOnBoth('react-admin in a browser', (database) => {
  let admin: OpenAdmin
  let page: Page
  let errors: readonly string[]
  beforeAll(async () => {
    admin = await openAdmin(database, built)
  })
  afterAll(() => admin.close())
  beforeEach(async () => {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 1000 } })).newPage()
    page.setDefaultTimeout(15_000)
    errors = errorsOf(page)
  })
  afterEach(async () => {
    await page.context().close()
    expect(errors).toEqual([])
  })

  const goto = (path: string, user = 'ben') => page.goto(`${admin.origin}/admin/?user=${user}#${path}`)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const input = (name: string | RegExp) => page.getByLabel(name)
  const picture = async (name: string) => {
    if (PICTURES === undefined) return
    await page.waitForTimeout(400)
    await page.screenshot({ path: `${PICTURES}/admin-${name}.png`, fullPage: true })
  }
  /** The titles of the list that is shown. */
  const rows = () => page.locator('tbody .column-title').allTextContents()
  const book = async (title: string) => {
    const found = (await admin.shop.book.list({ filter: { title }, limit: 1 })).rows[0]
    if (found === undefined) throw new Error(`there is no ${title}`)
    return await admin.shop.book.find(found.id)
  }
  const titles = async (options: object) =>
    (await admin.shop.book.list({ sort: ['title'], limit: 100, ...options })).rows.map(({ title }) => title)
  const choose = async (label: string, text: string) => {
    await page.getByRole('combobox', { name: label }).fill(text)
    await page.getByRole('option', { name: text }).click()
  }

  test('a list has pages, an order, a search and filters', async () => {
    await goto('/book')
    const all = await titles({})
    await soon(rows).toEqual(all.slice(0, 5))
    await page.getByText(`1-5 of ${all.length}`).waitFor()
    const [first] = (await admin.shop.book.list({ sort: ['title'], limit: 1 })).rows
    await page
      .getByText(first?.authors[0]?.name as string)
      .first()
      .waitFor()
    await picture('list')
    await page.getByRole('button', { name: 'Go to next page' }).click()
    await soon(rows).toEqual(all.slice(5, 10))
    await page.locator('thead').getByText('Publisher').click()
    await soon(rows).toEqual((await titles({ sort: ['publisher.name'] })).slice(0, 5))

    await page.getByPlaceholder('Search').fill('thorne')
    await soon(rows).toEqual((await titles({ search: 'thorne', sort: ['publisher.name'] })).slice(0, 5))
    await page.getByPlaceholder('Search').fill('')
    const { name, id } = (await admin.shop.publisher.list()).rows[1] as { name: string; id: number }
    await choose('Publisher', name)
    await soon(rows).toEqual((await titles({ filter: { publisherId: id }, sort: ['publisher.name'] })).slice(0, 5))
    await button('Add filter').click()
    await page.getByRole('menuitemcheckbox', { name: 'Title has' }).click()
    await input('Title has').fill('THE')
    const both = { publisherId: id, title: { icontains: 'the' } }
    await soon(rows).toEqual((await titles({ filter: both, sort: ['publisher.name'] })).slice(0, 5))
    await picture('filtered')
    // The filters are in the address, and hold when the page is loaded again.
    await page.reload()
    await soon(rows).toEqual((await titles({ filter: both, sort: ['publisher.name'] })).slice(0, 5))
  })

  test('an open list shows what others write, and the names that others change', async () => {
    await goto('/book')
    const [first, ...others] = await titles({})
    await soon(rows).toEqual([first, ...others].slice(0, 5))
    await soon(() => admin.followers()).toBe(1)
    const { id, publisherId } = await book(first as string)
    await admin.shop.book.patch(id, { title: '0 of somebody else' })
    await soon(rows).toEqual(['0 of somebody else', ...others].slice(0, 5))
    await admin.shop.publisher.patch(publisherId, { name: 'Renamed by somebody else' })
    await page.getByText('Renamed by somebody else').first().waitFor()
    await picture('live')
    await goto('/tag')
    await soon(() => admin.followers()).toBe(0)
  })

  test('filters go over relations, and choose by ids', async () => {
    await goto('/book')
    await page.locator('tbody tr').first().waitFor()
    await button('Add filter').click()
    await page.getByRole('menuitemcheckbox', { name: 'Publisher begins with' }).click()
    const [publisher] = (await admin.shop.publisher.list()).rows
    const start = publisher?.name.slice(0, 4) as string
    await input('Publisher begins with').fill(start)
    const filter = { 'publisher.name': { startsWith: start } }
    await soon(rows).toEqual((await titles({ filter })).slice(0, 5))
    await button('Add filter').click()
    await page.getByRole('menuitemcheckbox', { name: 'Tags' }).click()
    const [tag] = (await admin.shop.book.list({ filter, include: ['tags'], limit: 100 })).rows.flatMap(
      ({ tags }) => tags,
    )
    await choose('Tags', tag?.label as string)
    await soon(rows).toEqual((await titles({ filter: { ...filter, 'tags.id': tag?.id } })).slice(0, 5))
  })

  test('an export has all records', async () => {
    await goto('/book')
    await page.locator('tbody tr').first().waitFor()
    const download = page.waitForEvent('download')
    await button('Export').click()
    const csv = await readFile(await (await download).path(), 'utf8')
    for (const title of await titles({})) expect(csv).toContain(title)
  })

  test('a form changes, adds, removes and links, and shows what it has done', async () => {
    const before = await book((await titles({ filter: { chapters: { some: { number: 2 } } } }))[0] as string)
    await goto(`/book/${before.id}`)
    await soon(() => input('Title').first().inputValue()).toBe(before.title)
    await page.locator('.MuiChip-root').first().waitFor()
    await picture('edit')
    await input('Title').first().fill('A new title')
    const [other] = (await admin.shop.author.list({ filter: { id: { nin: before.authors.map(({ id }) => id) } } })).rows
    await choose('Authors', other?.name as string)
    const lines = page.locator('.RaSimpleFormIterator-line')
    await lines.first().hover()
    await lines.first().getByRole('button', { name: 'Remove' }).click()
    await button('Add').click()
    await lines.last().getByLabel('Number').fill('77')
    await lines.last().getByLabel('Title').fill('Of the form')
    await button('Save').click()
    await page.getByText('Element updated').waitFor()
    const after = await admin.shop.book.find(before.id)
    expect(after).toMatchObject({ title: 'A new title', isbn: before.isbn, cover: before.cover })
    expect(after.authors.map(({ id }) => id).sort()).toEqual([...before.authors.map(({ id }) => id), other?.id].sort())
    expect(after.chapters.map(({ title }) => title)).toEqual([
      ...before.chapters.slice(1).map(({ title }) => title),
      'Of the form',
    ])
    expect(after.chapters[0]).toEqual(before.chapters[1])
  })

  test('a form that was open for too long says that somebody was faster, and undoes nothing', async () => {
    const [title] = await titles({ filter: { chapters: { some: { number: 2 } } } })
    const before = await book(title as string)
    await goto(`/book/${before.id}`)
    await soon(() => input('Title').first().inputValue()).toBe(before.title)
    await admin.shop.book.patch(before.id, { chapters: [{ number: 99, title: 'Of somebody else' }] })
    const line = page.locator('.RaSimpleFormIterator-line').first()
    await line.hover()
    await line.getByRole('button', { name: 'Remove' }).click()
    await button('Save').click()
    await page.getByText('Somebody else has changed this record').waitFor()
    await picture('conflict')
    const after = await admin.shop.book.find(before.id)
    expect(after.chapters).toHaveLength(before.chapters.length + 1)
  })

  test('the messages of the service are at the inputs that they are about', async () => {
    const [title] = await titles({ filter: { chapters: { some: { number: 3 } } } })
    const { id } = await book(title as string)
    await goto(`/book/${id}`)
    const lines = page.locator('.RaSimpleFormIterator-line')
    // An element that stays as it is comes first: the body has only the second one.
    await lines.nth(1).getByLabel('Title').fill('')
    await input('Price').fill('cheap')
    await button('Save').click()
    await lines.nth(1).getByText(/must/).waitFor()
    expect(await lines.nth(0).getByText(/must/).count()).toBe(0)
    await page
      .locator('p', { hasText: /pattern/ })
      .first()
      .waitFor()
    await picture('errors')
    await lines.nth(1).getByLabel('Title').fill('Better')
    await input('Price').fill('9.50')
    await button('Save').click()
    await page.getByText('Element updated').waitFor()
  })

  test('a form creates a record with all that belongs to it', async () => {
    await goto('/book/create')
    await input('Title').first().fill('Made in the browser')
    await input('Isbn').fill('9781901029999')
    await page.getByRole('combobox', { name: 'Format' }).click()
    await page.getByRole('option', { name: 'ebook' }).click()
    await input('Price').fill('3.00')
    const [publisher] = (await admin.shop.publisher.list()).rows
    await choose('Publisher', publisher?.name as string)
    const [author] = (await admin.shop.author.list()).rows
    await choose('Authors', author?.name as string)
    await input('Cover').fill('https://covers.example/made.jpg')
    await button('Add').click()
    await input('Number').fill('1')
    await page.locator('.RaSimpleFormIterator-line').getByLabel('Title').fill('One')
    await picture('create')
    await button('Save').click()
    await page.getByText('Element created').waitFor()
    expect(await book('Made in the browser')).toMatchObject({
      publisher: { id: publisher?.id },
      authors: [{ id: author?.id }],
      cover: { image: 'https://covers.example/made.jpg' },
      chapters: [{ number: 1, title: 'One' }],
      languages: ['en'],
    })
  })

  test('a publisher shows its books, and a deletion names what keeps it', async () => {
    const [publisher] = (await admin.shop.publisher.list()).rows
    const id = publisher?.id as number
    await goto(`/publisher/${id}`)
    await soon(rows).toEqual(await titles({ filter: { publisherId: id } }))
    await button('Delete').click()
    await button('Confirm').click()
    await page.getByText(/still needed by \d+ book/).waitFor()
    await picture('blocked')
  })

  test('many records are changed and deleted at once, or none is', async () => {
    const labels = async () => (await admin.shop.tag.list({ limit: 100 })).rows.map(({ label }) => label)
    await admin.shop.tag.createMany([{ label: '0a' }, { label: '0b' }])
    const count = (await labels()).length
    await goto('/tag')
    const check = (index: number) => page.locator('tbody tr').nth(index).getByRole('checkbox').check()
    await check(0)
    await check(1)
    await button('Rename').click()
    await button('Confirm').click()
    // The label is unique.
    await page
      .getByText(/renamed|label/)
      .first()
      .waitFor()
    await soon(labels).toEqual(expect.arrayContaining(['0a', '0b']))
    await page.reload()
    await check(0)
    await check(1)
    await picture('many')
    await button('Delete').click()
    await button('Confirm').click()
    await page.getByText(/^2 elements deleted/).waitFor()
    expect((await labels()).length).toBe(count - 2)
  })

  test('offers nothing that the caller may not do', async () => {
    const [publisher] = (await admin.shop.publisher.list()).rows
    await goto(`/publisher/${publisher?.id}`, 'ada')
    await button('Save').waitFor()
    expect(await button('Delete').count()).toBe(0)
  })
})
