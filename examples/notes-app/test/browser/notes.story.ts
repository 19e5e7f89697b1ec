import { join } from 'node:path'
import { type AnyKysely, createStore, createTables } from 'fastify-crud'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { axeProblems, launch, PICTURES } from '../../../../packages/explorer/test/browser/open-page.ts'
import { type BuiltPage, buildPage, errorsOf } from '../../../../packages/react-admin/test/browser/open-admin.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { buildApp } from '../../server/app.ts'
import { resources } from '../../server/model.ts'
import { seed } from '../../server/seed.ts'

const soon = <T>(read: () => T) => expect.poll(read, { timeout: 15_000, interval: 50 })
const storeOf = (db: AnyKysely) => createStore({ db, resources })
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

let browser: Browser
let built: BuiltPage
beforeAll(async () => {
  ;[browser, built] = await Promise.all([launch(), buildPage(join(import.meta.dirname, '../../page'))])
})
afterAll(async () => {
  await browser.close()
  await built.remove()
})

describeOnBoth('the notes', (database) => {
  let opened: OpenDatabase
  let store: ReturnType<typeof storeOf>
  let app: Awaited<ReturnType<typeof buildApp>>
  let origin: string
  let context: BrowserContext
  let errors: (readonly string[])[]
  beforeAll(async () => {
    opened = await database.open({ tablesOf: resources })
    if (opened.hasTables !== true) await createTables(opened.db, resources)
    store = storeOf(opened.db)
    app = await buildApp(opened.db, { poll: 50 })
    app.get('/notes/*', async (request, reply) => {
      const name = (request.params as { readonly '*': string })['*'] || 'index.html'
      const type = TYPES[name.split('.').at(-1) as keyof typeof TYPES]
      return await reply.type(`${type}; charset=utf-8`).send(await built.file(name))
    })
    origin = await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(async () => {
    await app.close()
    await opened.close()
  })
  beforeEach(async () => {
    await opened.empty()
    await seed(opened.db)
    errors = []
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  })
  afterEach(async () => {
    await context.close()
    expect(errors.flat()).toEqual([])
  })

  const openPage = async (address = '', within = context) => {
    const page = await within.newPage()
    page.setDefaultTimeout(15_000)
    errors.push(errorsOf(page))
    const followed = page.waitForResponse((response) => response.url().endsWith('/$changes'))
    await page.goto(`${origin}/notes/#${address}`)
    await page.getByRole('region', { name: 'Notes' }).getByRole('listitem').first().waitFor()
    await followed
    return page
  }
  const titles = (page: Page) => page.locator('.list strong').allTextContents()
  const noteNamed = async (title: string) => {
    const note = (await store.note.list({ filter: { title } })).rows[0]
    if (note === undefined) throw new Error(`there is no note ${title}`)
    return note
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })
  const title = (page: Page) => page.getByLabel('Title', { exact: true })
  const text = (page: Page) => page.getByLabel('Text', { exact: true })
  const take = async (page: Page, name: string) => {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/notes-${name}.png` })
  }
  /** Holds the writes of a page back, until what it resolves to is called. */
  const holdWrites = async (page: Page) => {
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/note/*', async (route) => {
      if (route.request().method() === 'PATCH') await released
      await route.continue()
    })
    return release
  }

  test('are written: a new one, with a text, in another notebook and with a new tag', async () => {
    const page = await openPage()
    await page.getByRole('link', { name: /^Garden/ }).click()
    await page.getByRole('button', { name: 'New note' }).click()
    await soon(() => title(page).inputValue()).toBe('Untitled')
    await title(page).fill('Compost')
    await text(page).fill('Turn it in March.')
    await page.getByRole('combobox', { name: 'Notebook' }).selectOption('Reading')
    await page.getByLabel('Add a tag').fill('spring')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the tag spring' }).waitFor()
    await page.keyboard.press('Control+s')
    await page.getByText(/^Saved/).waitFor()
    const [reading] = (await store.notebook.list({ filter: { name: 'Reading' } })).rows
    expect(await noteNamed('Compost')).toMatchObject({
      text: 'Turn it in March.',
      notebookId: reading?.id,
      tags: [{ name: 'spring' }],
    })
    await page.getByRole('link', { name: /^Reading\s*3$/ }).waitFor()
    await page.getByRole('link', { name: '# spring' }).click()
    await soon(() => titles(page)).toEqual(['Compost'])
  })

  test('show an edit before the service has answered', async () => {
    const { id } = await noteNamed('Lentil soup')
    const page = await openPage(`note=${id}`)
    const release = await holdWrites(page)
    await title(page).fill('Lentil stew')
    await save(page).click()
    await soon(() => titles(page)).toContain('Lentil stew')
    await page.getByText('Saving…').waitFor()
    expect((await store.note.find(id)).title).toBe('Lentil soup')
    release()
    await page.getByText(/^Saved/).waitFor()
    expect((await store.note.find(id)).title).toBe('Lentil stew')
  })

  test('take an edit back that the service refuses, and say why', async () => {
    const { id, notebookId } = await noteNamed('Lentil soup')
    for (const one of ['1', '2', '3', '4']) {
      await store.notebook.owned(notebookId, 'notes').create({ title: `Pinned ${one}`, pinned: true })
    }
    const page = await openPage(`notebook=${notebookId}&note=${id}`)
    const release = await holdWrites(page)
    const pin = page.getByRole('button', { name: 'Pin Lentil soup' })
    await pin.click()
    await soon(() => pin.getAttribute('aria-pressed')).toBe('true')
    release()
    await soon(() => pin.getAttribute('aria-pressed')).toBe('false')
    await page.getByText('A notebook has at most 5 pinned notes.').waitFor()
    await take(page, 'refused')

    await title(page).fill('')
    await save(page).click()
    await page.getByText(/^The title must/).waitFor()
    await soon(() => titles(page)).toContain('Lentil soup')
    await take(page, 'invalid')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await title(page).inputValue()).toBe('Lentil soup')
  })

  test('ask which of two edits stays, and only where both have changed the same', async () => {
    const { id } = await noteNamed('Rye bread')
    const one = await openPage(`note=${id}`)
    const other = await openPage(`note=${id}`, await browser.newContext())
    await title(one).fill('Rye bread of mine')
    await text(one).fill('Less salt.')
    await title(other).fill('Rye bread of theirs')
    await other.getByLabel('Add a tag').fill('bread')
    await other.keyboard.press('Enter')
    await other.getByRole('button', { name: 'Remove the tag bread' }).waitFor()
    await save(other).click()
    await other.getByText(/^Saved/).waitFor()

    await save(one).click()
    const dialog = one.getByRole('dialog', { name: 'Somebody else has changed this note' })
    await dialog.getByText('Rye bread of theirs').waitFor()
    await dialog.getByText('It was: Rye bread').waitFor()
    expect(await dialog.getByRole('group').count()).toBe(1)
    await take(one, 'conflict')
    expect(await axeProblems(one)).toEqual([])
    await dialog.getByLabel('Theirs').check()
    await dialog.getByRole('button', { name: 'Save this' }).click()
    await dialog.waitFor({ state: 'detached' })
    await one.getByText(/^Saved/).waitFor()
    const { tags, ...after } = await store.note.find(id)
    expect(after).toMatchObject({ title: 'Rye bread of theirs', text: 'Less salt.' })
    expect(tags.map(({ name }) => name).sort()).toEqual(['bread', 'recipe'])

    // Of different fields, both stay, and nobody is asked.
    await title(one).fill('Bread')
    await text(other).fill('More salt.')
    await save(other).click()
    await other.getByText(/^Saved/).waitFor()
    await save(one).click()
    await one.getByText(/^Saved/).waitFor()
    expect(await store.note.find(id)).toMatchObject({ title: 'Bread', text: 'More salt.' })
    await other.context().close()
  })

  test('of a notebook with 500 are read as one scrolls, and found by their words', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `Page ${index + 1}`)
    const { id } = await store.notebook.create({ name: 'Long' })
    await store.notebook.owned(id, 'notes').createMany(names.map((name) => ({ title: name, tags: [] })))
    const page = await openPage(`notebook=${id}`)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('after=') && asked.push(request.url()))
    const shown = await titles(page)
    expect(shown.length).toBeLessThan(200)
    await soon(async () => {
      await page
        .locator('.list')
        .evaluate((list) =>
          (list as unknown as { scrollTo(options: { top: number }): void }).scrollTo({ top: 1_000_000 }),
        )
      return (await titles(page)).length
    }).toBe(500)
    expect((await titles(page)).sort()).toEqual([...names].sort())
    expect(asked.length).toBeGreaterThan(8)
    await page.getByLabel('Search').fill('page 377')
    await soon(() => titles(page)).toEqual(['Page 377'])
    expect(page.url()).toContain('search=page+377')
  })

  test('of one page appear in another, as they are written', async () => {
    const { id } = await noteNamed('Lentil soup')
    const [one, other, third] = [await openPage(`note=${id}`), await openPage(`note=${id}`), await openPage()]
    await title(one).fill('Pea soup')
    await save(one).click()
    await soon(() => title(other).inputValue()).toBe('Pea soup')
    await soon(() => titles(third)).toContain('Pea soup')
    await third.getByRole('button', { name: 'Pin Pea soup' }).click()
    const pin = one.getByRole('button', { name: 'Pin Pea soup' })
    await soon(() => pin.getAttribute('aria-pressed')).toBe('true')
    await store.note.delete(id)
    await one.getByText('This note is not there any more.').waitFor()
    await soon(() => titles(other)).not.toContain('Pea soup')
  })

  test('say what goes with a notebook before it goes', async () => {
    const page = await openPage()
    await page.getByRole('link', { name: /^Kitchen/ }).click()
    await page.getByRole('button', { name: 'Delete the notebook Kitchen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^3 notes go:/).waitFor()
    await take(page, 'delete')
    // Somebody adds a note before it is confirmed.
    const [kitchen] = (await store.notebook.list({ filter: { name: 'Kitchen' } })).rows
    await store.notebook.owned(kitchen?.id as number, 'notes').create({ title: 'Late', tags: [] })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText(/^4 notes go:/).waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: /^Kitchen/ }).waitFor({ state: 'detached' })
    expect((await store.note.list()).count).toBe(4)
  })

  test('are reached by the keyboard, on a phone and in the dark', async () => {
    const page = await openPage()
    await page.getByLabel('Search').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await soon(() => title(page).inputValue()).toBe((await titles(page))[1] as string)
    await take(page, 'light')
    expect(await axeProblems(page)).toEqual([])
    const dark = await browser.newContext({ colorScheme: 'dark', viewport: { width: 1280, height: 800 } })
    const inTheDark = await openPage(`note=${(await noteNamed('Rye bread')).id}`, dark)
    await soon(() => title(inTheDark).inputValue()).toBe('Rye bread')
    await take(inTheDark, 'dark')
    expect(await axeProblems(inTheDark)).toEqual([])
    await dark.close()
    const phone = await browser.newContext({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true })
    const small = await openPage('', phone)
    await take(small, 'phone-list')
    expect(await axeProblems(small)).toEqual([])
    await small.getByText('Rye bread').tap()
    await soon(() => title(small).inputValue()).toBe('Rye bread')
    await take(small, 'phone')
    await small.getByRole('link', { name: 'Notes' }).tap()
    await small.getByText('Lentil soup').waitFor()
    await phone.close()
  })
})
