import { defineResources } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { launch } from '../../../explorer/test/browser/open-page.ts'
import { useService } from '../use-service.ts'
import { bundleClient, ServedPage } from './serve-page.ts'

const resources = defineResources({ note: { fields: { text: Type.String() }, history: true } })

const soon = <T>(read: () => T) => expect.poll(read, { timeout: 30_000, interval: 20 })

let browser: Browser
let script: string
beforeAll(async () => {
  ;[browser, script] = await Promise.all([launch(), bundleClient(['source'])])
})
afterAll(() => browser.close())

/** Follows in a page: `got` are the texts of what it was told, `error` what has ended it. */
const follow = (page: Page, client = '{}', options = '{}') =>
  page.evaluate(`{
    globalThis.token ??= 'a'
    globalThis.api = client.createClient({ url: '/api', headers: () => ({ authorization: token }), ...${client} })
    globalThis.got = []
    globalThis.ends = new AbortController()
    const loop = async () => {
      for await (const { changes } of client.changes(api, { signal: ends.signal, ...${options} })) {
        for (const { after } of changes) got.push(after.text)
        await globalThis.isReady
      }
    }
    void loop().catch(({ status, message }) => Object.assign(globalThis, { error: status ?? message }))
  }`)
const got = (page: Page) => page.evaluate('got') as Promise<string[]>
const errorOf = (page: Page) => page.evaluate('globalThis.error') as Promise<unknown>
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`)

describeOnBoth('the tabs of a browser', (database) => {
  let served: ServedPage
  let mayFollow = true
  const service = useService(
    database,
    resources,
    {
      changes: { poll: 50, askAgain: 0, heartbeat: 1_000 },
      authorize: (_, { operation }) => mayFollow || operation !== 'changes',
    },
    (app) => {
      served = new ServedPage(script)
      served.addTo(app)
    },
  )
  let context: BrowserContext
  const errors: string[] = []
  const openTab = async () => {
    const page = await context.newPage()
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(service.url.replace('/api', '/'))
    return page
  }
  const write = async (...texts: readonly string[]) => {
    for (const text of texts) {
      await service.fastify.inject({ method: 'POST', url: '/api/note', payload: { text } })
    }
  }
  /** A tab that is told of what happens from now on. */
  const openFollower = async (client?: string, options?: string) => {
    const { opened } = served
    const page = await openTab()
    await follow(page, client, options)
    await soon(() => served.opened).toBeGreaterThan(opened)
    return page
  }
  beforeEach(async () => {
    context = await browser.newContext()
    served.opened = 0
    mayFollow = true
  })
  afterEach(async () => {
    await context.close()
    expect(errors).toEqual([])
    await soon(() => served.streams).toBe(0)
  })

  test('share one stream, and each is told each change once, in order', async () => {
    const tabs = [await openFollower(), await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    await write(...numbers(1, 30))
    for (const tab of tabs) await soon(() => got(tab)).toEqual(numbers(1, 30))
    // The first stream, and one of each of the others, by which it has learnt where the service is.
    expect([served.opened, served.streams]).toEqual([3, 1])
  })

  test('go on where they were when the one that reads is closed, or loses its connection', async () => {
    const tabs = [await openFollower(), await openFollower(), await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    const writing = (async () => {
      for (const text of numbers(1, 120)) await write(text)
    })()
    const [first, second, third, fourth] = tabs as [Page, Page, Page, Page]
    await soon(async () => (await got(second)).length).toBeGreaterThan(10)
    await first.close()
    await soon(async () => (await got(third)).length).toBeGreaterThan(40)
    served.breakAll()
    await soon(async () => (await got(third)).length).toBeGreaterThan(60)
    await second.close()
    await writing
    for (const tab of [third, fourth]) await soon(() => got(tab)).toEqual(numbers(1, 120))
    await soon(() => served.streams).toBe(1)
  })

  test('that come later get what was before, if they ask for it, and share then', async () => {
    await write('1', '2', '3')
    const first = await openFollower('{}', '{ after: 0 }')
    await soon(() => got(first)).toEqual(['1', '2', '3'])
    const second = await openFollower('{}', '{ after: 0 }')
    await soon(() => got(second)).toEqual(['1', '2', '3'])
    await soon(() => served.streams).toBe(1)
    await write('4')
    for (const tab of [first, second]) await soon(() => got(tab)).toEqual(['1', '2', '3', '4'])
  })

  test('do not share with others who ask, or who cannot be told apart, or who do not want to', async () => {
    const tabs = [
      await openFollower(),
      await openFollower("{ headers: { authorization: 'b' } }"),
      await openFollower('{ headers: () => ({ request: String(Math.random()) }) }'),
      await openFollower('{ fetch: (...request) => fetch(...request) }'),
      await openFollower('{}', '{ shared: false }'),
      await openFollower('{}', "{ resource: 'note' }"),
    ]
    await write('1')
    for (const tab of tabs) await soon(() => got(tab)).toEqual(['1'])
    expect([served.opened, served.streams]).toEqual([6, 6])
    const names = `navigator.locks.query().then(({ held }) => held.map(({ name }) => name).sort())`
    const held = (await (tabs[0] as Page).evaluate(names)) as string[]
    expect(held).toHaveLength(3)
    for (const name of held) expect(name).toMatch(/^fastify-crud [0-9a-f]{64}$/)
  })

  test('part when one of them asks as somebody else', async () => {
    const [first, second] = [await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    await first.evaluate("token = 'b'")
    served.breakAll()
    await soon(() => served.streams).toBe(2)
    await write('1')
    for (const tab of [first, second]) await soon(() => got(tab)).toEqual(['1'])
  })

  test('are each told that the service refuses it', async () => {
    const late = await openTab()
    await follow(late, '{}', '{ after: 1_000_000_000 }')
    await soon(() => errorOf(late)).toBe(410)
    const tabs = [await openFollower(), await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    mayFollow = false
    await write('1')
    for (const tab of tabs) await soon(() => errorOf(tab)).toBe(403)
  })

  test('do not wait for one that the browser has put to sleep', async () => {
    const [first, second] = [await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    // No script of it runs, as on a phone in the background, and it keeps its lock and its connection.
    const sleeping = await context.newCDPSession(first)
    await sleeping.send('Debugger.enable')
    await sleeping.send('Debugger.pause')
    await write('1', '2')
    await soon(() => got(second)).toEqual(['1', '2'])
    await sleeping.send('Debugger.disable')
    await write('3')
    for (const tab of [first, second]) await soon(() => got(tab)).toEqual(['1', '2', '3'])
    await soon(() => served.streams).toBe(1)
  })

  test('get all in the end when they are slower than what is written, whoever reads', async () => {
    const [first, second, third] = [await openFollower(), await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    const slow = [first, second]
    for (const tab of slow)
      await tab.evaluate('{ globalThis.isReady = new Promise((ready) => { globalThis.go = ready }); 0 }')
    await write('0')
    await Promise.all(Array.from({ length: 10 }, (_, ten) => write(...numbers(ten * 105 + 1, ten * 105 + 105))))
    await soon(() => got(third)).toHaveLength(1_051)
    const all = await got(third)
    expect(all.map(Number).sort((one, other) => one - other)).toEqual(numbers(0, 1_050).map(Number))
    for (const tab of slow) {
      expect(await got(tab)).toEqual(['0'])
      await tab.evaluate('go()')
    }
    for (const tab of slow) await soon(() => got(tab)).toEqual(all)
    await soon(() => served.streams).toBe(1)
  })

  test('leave the stream to the others when a loop ends', async () => {
    const [first, second] = [await openFollower(), await openFollower()]
    await soon(() => served.streams).toBe(1)
    await first.evaluate('ends.abort()')
    await soon(() => served.opened).toBe(3)
    await write('1')
    await soon(() => got(second)).toEqual(['1'])
    expect(await got(first)).toEqual([])
  })
})
