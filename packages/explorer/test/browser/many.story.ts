import { Type } from '@sinclair/typebox'
import { defineResources, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openedSetups, type Setup } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch, type OpenPage, type OpenShop, openModel, openPage, openShop, takePicture } from './open-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

/** As much of a browser's element as the stories read. The tests have no types of a browser. */
interface Shown {
  getBoundingClientRect(): Box
  scrollBy(x: number, y: number): void
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

describeOnBoth('a list of 100,000 records', (database) => {
  let shop: OpenShop
  let open: OpenPage
  beforeAll(async () => {
    shop = await openShop(database)
    for (let start = 0; start < 100_000; start += 1_000) {
      const values = Array.from({ length: 1_000 }, (_, index) => ({
        label: `tag ${String(start + index).padStart(6, '0')}`,
      }))
      await shop.db
        .insertInto('tag' as never)
        .values(values as never)
        .execute()
    }
    open = await openPage(browser, shop)
  })
  afterAll(async () => {
    await open.close()
    await shop.close()
  })

  test('shows its first rows at once, draws only those in sight, and reads on as one scrolls', async () => {
    const { page } = open
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/tag')) asked.push(new URL(request.url()).search)
    })
    await open.goto('/tag')
    await page.getByRole('link', { name: 'tag 000000' }).waitFor()
    expect(asked[0]).toBe('?fields=label&limit=100&count=1000')
    await page.getByText('1,000+').waitFor()
    const shown = page.getByText(/shown, more below/)
    const scrolled = async () => {
      await page.locator('.grid').evaluate((node: Shown) => node.scrollBy(0, 6_000))
      return Number.parseInt(String(await shown.textContent()), 10)
    }
    await expect.poll(scrolled, { timeout: 20_000 }).toBeGreaterThan(900)
    expect(await page.locator('.grid tbody tr').count()).toBeLessThan(70)
    expect(open.errors).toEqual([])
  })
})

/** A hundred resources as an application of some size has them: twenty owners with three parts each, and what they need. */
function manyResources(): Model {
  const fields = { name: Type.String({ maxLength: 50 }) }
  const all = Array.from({ length: 20 }, (_, index): [string, object][] => {
    const owner = `thing${index}`
    const parts = ['Part', 'Note', 'File'].map((part) => `${owner}${part}`)
    const kind = `${owner}Kind`
    const others = {
      ...(index > 0 && { before: knows.one(`thing${Math.floor(index / 3)}`) }),
      kind: needs.one(kind),
    }
    const owned = Object.fromEntries(parts.map((part) => [`${part}s`, owns.many(part)]))
    return [
      [owner, { fields, relations: { ...others, ...owned } }],
      ...parts.map((part): [string, object] => [part, { fields, relations: { [owner]: ownedBy(owner) } }]),
      [kind, { fields }],
    ]
  })
  return defineResources(Object.fromEntries(all.flat()) as never) as unknown as Model
}

// What a map looks like does not depend on the database.
describe('a map of 100 resources', () => {
  let service: Awaited<ReturnType<typeof openModel>>
  beforeAll(async () => {
    service = await openModel(openedSetups[0] as Setup, manyResources())
  })
  afterAll(() => service.close())

  test('has each of them in a place of its own, and brings the one that is looked for near', async () => {
    const open = await openPage(browser, service)
    const { page } = open
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await open.goto('/$map')
    await page.locator('.map-box').first().waitFor()
    await expect.poll(() => page.locator('.map-box').count()).toBe(100)
    await takePicture(page, 'map-100')
    const boxes = await page.locator('.map-box').evaluateAll((nodes: Shown[]) =>
      nodes.map((node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect()
        return { left, right, top, bottom }
      }),
    )
    const overlaps = boxes.filter((one, index) =>
      boxes.some(
        (other, at) =>
          at < index &&
          one.left < other.right &&
          other.left < one.right &&
          one.top < other.bottom &&
          other.top < one.bottom,
      ),
    )
    expect(overlaps).toEqual([])
    await page.getByLabel('Find a resource').fill('thing7')
    await page.keyboard.press('Enter')
    const named = (name: string) =>
      page.locator('.map-box').filter({ has: page.locator('.name', { hasText: new RegExp(`^${name}$`) }) })
    const found = named('thing7')
    const width = async () => {
      const box = await found.boundingBox()
      return box?.width ?? 0
    }
    await expect.poll(width).toBeGreaterThan(100)
    await takePicture(page, 'map-100-found')
    // Only what is in sight is drawn, and counted.
    await expect.poll(() => page.locator('.map-box').count()).toBeLessThan(60)
    await found.getByRole('button', { name: 'Focus on thing7' }).click()
    await takePicture(page, 'map-100-focus')
    await expect.poll(() => named('thing7Part').getAttribute('class')).not.toContain('dim')
    await expect.poll(() => named('thing7Kind').getAttribute('class')).not.toContain('dim')
    // A service that tells of no changes is not asked for them.
    expect(asked.filter((url) => url.includes('$changes'))).toEqual([])
    expect(open.errors).toEqual([])
    await open.close()
  })
})
