import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyInstance } from 'fastify'
import { type AnyKysely, createStore, createTables, crudPlugin, type Model } from 'fastify-crud'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Setup } from '../../../../test/support/databases.ts'
import { explorer } from '../../src/index.ts'
import { actions, makeTables, resources } from './shop.ts'

export const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Where pictures go that somebody looks at. */
export const PICTURES = process.env.PICTURES

export async function takePicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return
  await page.waitForTimeout(300)
  await page.screenshot({ path: `${PICTURES}/${name}.png` })
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe finds wrong with the page, in its words. The policy of the page lets a debugger in, and nobody else. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  const run = "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })"
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(run)
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

export function launch(...more: readonly string[]): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) throw new Error(`there is no ${EXECUTABLE}: the variable CHROMIUM says where it is`)
  return chromium.launch({ executablePath: EXECUTABLE, args: [...ARGS, ...more] })
}

export interface OpenShop {
  readonly app: FastifyInstance
  readonly db: AnyKysely
  readonly store: ReturnType<typeof storeOf>
  readonly origin: string
  close(): Promise<void>
}

const storeOf = (db: AnyKysely) => createStore({ db, resources })

/** The shop with its page, on a database of its own. */
export async function openShop(database: Setup): Promise<OpenShop> {
  const open = await database.open()
  await makeTables(open.db)
  const app = Fastify()
  await app.register(crudPlugin, {
    ...{ db: open.db, resources, actions, authorize: () => true },
    caller: ({ headers }) => ({ id: headers['x-user'] ?? 'ada' }),
    historyOf: ({ id }) => id,
    changes: true,
    limits: { maxItems: 1_000 },
  })
  await app.register(explorer, { title: 'Shop' })
  const origin = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
  return {
    app,
    db: open.db,
    store: storeOf(open.db),
    origin,
    async close() {
      await app.close()
      await open.close()
    },
  }
}

/** The page of any model, on a database of its own. */
export async function openModel(database: Setup, resources: Model): Promise<Pick<OpenShop, 'origin' | 'close'>> {
  const open = await database.open()
  await createTables(open.db, resources)
  const app = Fastify()
  await app.register(crudPlugin, { db: open.db, resources, authorize: () => true })
  await app.register(explorer)
  const origin = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
  const close = async () => {
    await app.close()
    await open.close()
  }
  return { origin, close }
}

/** A request of somebody who does not use the page. */
export async function requestAs(
  { app }: Pick<OpenShop, 'app'>,
  user: string,
  method: 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) {
  const headers = { 'x-user': user }
  const answer = await app.inject({ method, url: `/api${url}`, headers, ...(payload && { payload }) })
  if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`)
  return answer.body === '' ? undefined : answer.json()
}

/** What foreign scripts of the stories say, if one of them ever runs. */
export const ALERT = 'hacked'

export interface OpenPage {
  readonly page: Page
  /** Errors of the page's scripts and of its policy. A story ends with none. */
  readonly errors: readonly string[]
  /** Clicks and entered texts so far. */
  clicks(): number
  goto(address: string): Promise<void>
  close(): Promise<void>
}

export interface PageOptions {
  readonly isPhone?: boolean
  readonly isDark?: boolean
  /** Pixels of a picture for each one of the page. */
  readonly scale?: number
}

export async function openPage(
  browser: Browser,
  { origin }: Pick<OpenShop, 'origin'>,
  options: PageOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    viewport: options.isPhone ? { width: 390, height: 800 } : { width: 1280, height: 800 },
    colorScheme: options.isDark ? 'dark' : 'light',
    deviceScaleFactor: options.scale ?? 1,
  })
  const page = await context.newPage()
  const errors: string[] = []
  let clicks = 0
  page.on('pageerror', ({ message }) => errors.push(message))
  page.on('console', (message) => {
    // The browser's own line for an answer that is no success.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  await page.exposeFunction('notePolicy', (what: string) => void errors.push(`policy: ${what}`))
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => notePolicy(event.violatedDirective + ' ' + event.blockedURI))",
  )
  // No script of the page asks, so a question comes from a script of somebody else, or is the guard of its changes.
  page.on('dialog', (dialog) => dialog.message() === ALERT && errors.push(`a foreign script has run`))
  await page.exposeFunction('countClick', () => {
    clicks += 1
  })
  await page.addInitScript("addEventListener('click', (event) => event.detail > 0 && window.countClick(), true)")
  return {
    page,
    errors,
    clicks: () => clicks,
    async goto(address) {
      await page.goto(`${origin}/explorer/#${address}`)
    },
    async close() {
      await context.close()
    },
  }
}

export const folderOfPage = fileURLToPath(new URL('../../dist/page', import.meta.url))
