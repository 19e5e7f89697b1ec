// Takes the pictures of README.md and of docs/explorer.md from the bookshop: `.ci/pictures`. Tests never do.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createStore, createTables } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import type { Page } from 'playwright-core'
import { buildApp } from '../../../../examples/bookshop/src/app.ts'
import { resources } from '../../../../examples/bookshop/src/resources.ts'
import { seed } from '../../../../examples/bookshop/src/seed.ts'
import { launch, openPage } from './open-page.ts'

const folder = fileURLToPath(new URL('../../../../docs/pictures', import.meta.url))

/** In bytes. */
const LARGEST = 150_000

/** A picture of what the browser shows, as WebP, which playwright has not. */
async function save(page: Page, name: string): Promise<void> {
  // Whatever moves while it appears stands still by then.
  await page.waitForTimeout(1_500)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const picture = Buffer.from(data, 'base64')
  if (picture.length > LARGEST) throw new Error(`${name} has ${picture.length} bytes, more than ${LARGEST}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/${name}.webp`, picture)
  process.stdout.write(`docs/pictures/${name}.webp: ${Math.round(picture.length / 1000)} kB\n`)
}

const db = openSqlite(':memory:', { resources })
await createTables(db, resources)
await seed(createStore({ db, resources }))
const app = await buildApp({ db })
const origin = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
// Something has been done lately, by somebody.
const change = { method: 'PATCH', headers: { 'x-user': 'ben' }, url: '/api/order/1' } as const
await app.inject({ ...change, payload: { giftNote: 'For the long evenings.' } })
const browser = await launch('--hide-scrollbars')
try {
  const { page, goto } = await openPage(browser, { origin }, { scale: 1.5 })
  await page.setViewportSize({ width: 1180, height: 700 })
  await goto('/$map')
  await page.locator('.map-box .soft', { hasText: /\d/ }).nth(5).waitFor()
  await save(page, 'map')
  await page.setViewportSize({ width: 1180, height: 820 })
  await goto('/order/1')
  await page.locator('.record .history > li, .record .used li').first().waitFor()
  await save(page, 'record')
} finally {
  await browser.close()
  await app.close()
  await db.destroy()
}
