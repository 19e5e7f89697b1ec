import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInShop } from '../../../../examples/bookshop/test/describe-in-shop.ts'
import { openShop } from '../../../../examples/bookshop/test/open-shop.ts'
import { axeProblems, launch, openPage, takePicture } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describeInShop('the groups of the bookshop’s orders', (database) => {
  let shop: Awaited<ReturnType<typeof openShop>>
  let origin: string
  beforeAll(async () => {
    shop = await openShop(database)
    origin = (await shop.app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
  })
  afterAll(() => shop.close())

  test('are counted by status, summed up by month, and lead to their records', async () => {
    const open = await openPage(browser, { origin })
    const { page } = open
    await open.goto('/order')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Groups' }).click()
    const rows = page.locator('.groups tbody tr')
    await page.getByRole('rowheader', { name: 'open' }).waitFor()
    const { rows: stored } = await shop.shop.order.list({ limit: 100 })
    const counts = Map.groupBy(stored, ({ status }) => status)
    const shown = await rows.evaluateAll((all: { cells: ArrayLike<{ textContent: string }> }[]) =>
      all.map(({ cells }) => [cells[0]?.textContent, Number(cells[1]?.textContent)]),
    )
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries([...counts].map(([status, orders]) => [status, orders.length])),
    )
    await page.getByLabel('show').selectOption('sum(total)')
    await page.getByLabel('by', { exact: true }).selectOption('month(placedAt)')
    await page
      .getByRole('rowheader', { name: /^\d{4}-\d{2}$/ })
      .first()
      .waitFor()
    expect(await page.locator('.line-chart .line').getAttribute('d')).toMatch(/^M0\.00 [\d.]+(?:L[\d.]+ [\d.]+)+$/)
    await takePicture(page, 'groups-by-month')
    expect(await axeProblems(page)).toEqual([])
    await page.getByLabel('by', { exact: true }).selectOption('status')
    await page.getByRole('rowheader', { name: 'open' }).getByRole('link').click()
    await page.getByText('status is open').waitFor()
    await page
      .getByText(String(counts.get('open')?.length), { exact: true })
      .first()
      .waitFor()
    expect(open.errors).toEqual([])
    await open.close()
  })
})
