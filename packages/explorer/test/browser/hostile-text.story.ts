import { readFile } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  createStore,
  createTables,
  crudPlugin,
  defineActions,
  defineResources,
  knows,
  ownedBy,
  owns,
} from 'fastify-crud'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { explorer } from '../../src/index.ts'
import { ALERT, launch, type OpenPage, openPage, takePicture } from './open-page.ts'

/** Texts that are scripts wherever a page takes a text for HTML, for an address or for a part of a script. */
const SCRIPT = `"'><img src=x onerror="alert('${ALERT}')"><script>alert('${ALERT}')</script>\${alert('${ALERT}')}`
const ADDRESSES = [
  `javascript:alert('${ALERT}')`,
  `JaVaScRiPt:alert('${ALERT}')//https://shop.example`,
  ` javascript:alert('${ALERT}')`,
  `java\tscript:alert('${ALERT}')`,
  `data:text/html,<script>alert('${ALERT}')</script>`,
  `vbscript:alert('${ALERT}')`,
  `https:javascript:alert('${ALERT}')`,
  `https://shop.example/" onmouseover="alert('${ALERT}')`,
]

/** As hostile as an id can be. */
const MARK = `..%2f"><svg onload=alert('${ALERT}')>`

const resources = defineResources({
  note: {
    description: SCRIPT,
    history: true,
    groups: true,
    softDelete: { column: 'deletedAt', trash: true },
    fields: {
      title: Type.String({ title: SCRIPT, description: SCRIPT }),
      link: Type.Optional(Type.String({ maxLength: 200, examples: [SCRIPT] })),
      kind: Type.Optional(Type.Unsafe<string>({ type: ['string', 'null'], enum: [SCRIPT, 'plain', null] })),
      data: Type.Optional(Type.Unknown({ description: SCRIPT })),
    },
    relations: { parts: owns.many('part'), marks: knows.many('mark') },
    search: { fields: ['title'] },
  },
  part: { softDelete: 'deletedAt', fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
  mark: { id: 'text', fields: { name: Type.String() } },
})

const actions = defineActions(resources, {
  note: {
    say: {
      asks: 'Edit',
      body: Type.Object({ word: Type.String({ description: SCRIPT }) }),
      answer: Type.Object({ said: Type.String() }),
      run: ({ body: { word } }) => ({ said: word }),
    },
  },
})

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

/** Elements and attributes that no text of the service may become, and links that lead to a script. */
const FOUND = `[...document.querySelectorAll('body img, body iframe, body script:not([src^="./assets"]), body object, body embed, body style, body base, body form[action]')]
  .map(({ outerHTML }) => outerHTML.slice(0, 200))
  .concat([...document.querySelectorAll('body *')].flatMap((element) => [...element.attributes])
    .filter(({ name, value }) => name.startsWith('on') || (/^(?:href|src|action|formaction|xlink:href)$/.test(name) && !/^(?:#|https?:\\/\\/|mailto:)/.test(value)))
    .map(({ name, value }) => name + '=' + value))`

describeOnBoth('a page that shows foreign text', (database) => {
  let app: FastifyInstance
  let close: () => Promise<void>
  let origin: string
  let open: OpenPage
  beforeAll(async () => {
    const opened = await database.open()
    await createTables(opened.db, resources)
    app = Fastify()
    await app.register(crudPlugin, {
      ...{ db: opened.db, resources, actions, authorize: () => true },
      caller: () => ({ id: SCRIPT }),
      historyOf: ({ id }) => id,
    })
    await app.register(explorer, { title: SCRIPT, callers: { [SCRIPT]: { headers: {} } } })
    origin = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
    const { mark } = createStore({ db: opened.db, resources })
    await mark.create({ id: MARK, name: SCRIPT })
    for (const link of [SCRIPT, ...ADDRESSES]) {
      const payload = { title: SCRIPT, link, kind: SCRIPT, data: { [SCRIPT]: SCRIPT }, parts: [{ text: SCRIPT }] }
      const { statusCode } = await app.inject({ method: 'POST', url: '/api/note', payload })
      expect(statusCode).toBe(201)
    }
    const marks = [{ id: MARK }]
    await app.inject({ method: 'PATCH', url: '/api/note/1', payload: { title: `${SCRIPT} 2`, marks } })
    await app.inject({ method: 'DELETE', url: '/api/note/2' })
    close = async () => {
      await app.close()
      await opened.close()
    }
  })
  afterAll(() => close())
  beforeEach(async () => {
    open = await openPage(browser, { origin })
  })
  afterEach(async () => {
    expect(await open.page.evaluate(FOUND)).toEqual([])
    expect(open.errors).toEqual([])
    await open.close()
  })

  test.each<[string, string, (page: Page) => Promise<unknown>]>([
    [
      'the start',
      '/',
      (page) =>
        page
          .getByText(/onerror/)
          .nth(1)
          .waitFor(),
    ],
    ['the map', '/$map', (page) => page.locator('.map-box').nth(2).waitFor()],
    ['a list', '/note?fields=title,link,kind,data', (page) => page.getByRole('cell').nth(20).waitFor()],
    ['a filter', `/note?filter[title]=${encodeURIComponent(SCRIPT)}`, (page) => page.getByText(/^title is/).waitFor()],
    ['a record', '/note/1', (page) => page.getByLabel('title').waitFor()],
    ['a record by a hostile id', `/mark/${encodeURIComponent(MARK)}`, (page) => page.getByLabel('name').waitFor()],
    [
      'groups',
      '/note/$group?by=kind',
      (page) =>
        page
          .getByText(/onerror/)
          .first()
          .waitFor(),
    ],
    ['a history', '/note/1/$history', (page) => page.getByRole('button', { name: /^Undo/ }).first().waitFor()],
    [
      'the trash',
      '/note/$deleted',
      (page) =>
        page
          .getByText(/onerror/)
          .first()
          .waitFor(),
    ],
    [
      'an address that is none',
      `/${encodeURI(SCRIPT)}/%zz`,
      (page) => page.getByText('There is no such page').waitFor(),
    ],
    ['an id that is none', '/note/%zz', (page) => page.getByText(/is not here|answers 400/).waitFor()],
    [
      'an error about a hostile name',
      `/note?sort=${encodeURIComponent(SCRIPT)}`,
      (page) => page.getByText('The service answers 400').waitFor(),
    ],
  ])('%s is only text', async (_, address, shown) => {
    await open.goto(address)
    await shown(open.page)
  })

  test('only addresses of the web become links', async () => {
    await open.goto('/note?fields=title,link')
    await open.page
      .getByRole('link', { name: /^https/ })
      .first()
      .waitFor()
    const links: string[] = await open.page.evaluate(
      "[...document.querySelectorAll('.grid a')].map((link) => link.href).filter((href) => !href.includes('#/note/'))",
    )
    expect(links.map((href) => new URL(href).protocol)).toEqual(['https:'])
    expect(links.every((href) => !href.includes('"'))).toBe(true)
  })

  test('what a write would do, its refusals and answers of actions are only text', async () => {
    const { page } = open
    await open.goto('/note/1')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('dialog')
      .getByText(/part deleted/)
      .waitFor()
    expect(await page.evaluate(FOUND)).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'say' }).click()
    await page.getByRole('dialog').getByLabel('word').fill(SCRIPT)
    await page.getByRole('button', { name: 'See what it does' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'say' }).click()
    await page.locator('pre', { hasText: 'said' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('title').fill('')
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('tab', { name: 'JavaScript' }).click()
    await takePicture(page, 'hostile-text')
  })

  test('the palette, the menus and the peek of a record are only text', async () => {
    const { page } = open
    await open.goto('/note/1')
    await page.getByLabel('title').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find a resource or a record' }).fill(`note ${SCRIPT}`)
    await page.getByRole('option').first().waitFor()
    expect(await page.evaluate(FOUND)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^You are/ }).click()
    await page.getByRole('menuitem', { name: /onerror/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('kind').selectOption(SCRIPT)
    await page.getByRole('combobox', { name: 'Add to marks' }).pressSequentially('onerror')
    await page
      .getByText(/No mark has this name|onerror/)
      .last()
      .waitFor()
  })

  test('a file with hostile names, headings and values is only text', async () => {
    const { page } = open
    await open.goto('/note/$import')
    const json = JSON.stringify([{ [SCRIPT]: SCRIPT, title: SCRIPT, __proto__: 1, kind: 'none of them' }])
    const buffer = Buffer.from(json.replace('"kind"', '"__proto__":{"isHacked":true},"kind"'))
    const name = `<img src=x onerror=alert('${ALERT}')>.json`
    await page.getByLabel(/A file of CSV/).setInputFiles({ name, mimeType: 'application/json', buffer })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText(/1 lines? (?:is|are) refused/).waitFor()
    expect(await page.evaluate('({}).isHacked')).toBeUndefined()
  })

  test('the saved map has no script and no style of its own', async () => {
    const { page } = open
    await open.goto('/$map')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'SVG' }).click()
    const svg = await readFile(await (await download).path(), 'utf8')
    expect(svg).not.toMatch(/<script|<style|style=|\bon\w+=|href|<foreignObject/i)
    expect(
      await page.evaluate((text) => {
        // biome-ignore lint/suspicious/noExplicitAny: the tests have no types of a browser
        const { documentElement } = new (globalThis as any).DOMParser().parseFromString(text, 'image/svg+xml')
        return documentElement.nodeName
      }, svg),
    ).toBe('svg')
  })
})
