import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandsFor } from '../src/start-page/commands.ts'
import { toCurl } from '../src/start-page/curl.ts'
import { html } from '../src/start-page/html.ts'
import { questions } from '../src/start-page/questions.ts'
import { findSamples } from '../src/start-page/samples.ts'
import { describeInShop } from './describe-in-shop.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeInShop('the start page of the bookshop', (database) => {
  let open: OpenShop
  beforeAll(async () => {
    open = await openShop(database)
  })
  afterAll(() => open.close())

  test('every link but the questions answers 200', async () => {
    const page = await open.app.inject('/')
    expect(page.statusCode).toBe(200)
    const links = new Set([...page.body.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path as string))
    for (const { path } of questions) expect(links.delete(html`${path}`.text)).toBe(true)
    expect(links.size).toBeGreaterThan(15)
    for (const link of links) {
      let answer = await open.app.inject(link)
      const { location } = answer.headers
      if (answer.statusCode === 301 && typeof location === 'string') answer = await open.app.inject(location)
      expect([link, answer.statusCode]).toEqual([link, 200])
    }
  })

  test('is the switch of who the reader is', async () => {
    const [, email = ''] = /href="\/\?as=([^"]+@[^"]+)"/.exec((await open.app.inject('/')).body) ?? []
    const orders = async (name: string) => {
      const chosen = await open.app.inject(`/?as=${name}`)
      const cookie = String(chosen.headers['set-cookie']).split(';')[0]
      const page = await open.app.inject({ url: '/', headers: { cookie } })
      expect(page.body).toBe(chosen.body)
      const { statusCode, body } = await open.app.inject({ url: '/api/order', headers: { cookie } })
      const [, shown] = /\/api\/order<\/code>(?:<\/a>)?<span class="count">(\d+)</.exec(page.body) ?? []
      return { status: statusCode, count: JSON.parse(body).count, shown: Number(shown) }
    }
    const mine = await open.db
      .selectFrom('shop_orders')
      .innerJoin('customer', 'customer.id', 'shop_orders.customer_id')
      .where('customer.email', '=', email)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    const count = Number(mine.count)
    expect(count).toBeGreaterThan(0)
    expect(await orders('')).toEqual({ status: 403, count: undefined, shown: 0 })
    expect(await orders(email)).toEqual({ status: 200, count, shown: count })
    expect(await orders('ada')).toEqual({ status: 200, count: 75, shown: 75 })
  })

  test('shows what a visitor sees to a name that nobody has', async () => {
    const page = await open.app.inject('/?as=mallory')
    expect(page.headers).not.toHaveProperty('set-cookie')
    expect(page.body).toBe((await open.app.inject('/')).body)
    expect((await open.app.inject({ url: '/', headers: { cookie: 'user=%E0%A4%A' } })).body).toBe(page.body)
  })

  test('nothing on the pages comes from elsewhere', async () => {
    for (const path of ['/', '/reference/']) {
      const { headers, body } = await open.app.inject(path)
      expect(headers['content-security-policy']).toMatch(/^default-src '(none|self)'/)
      expect(body).not.toMatch(/(src|href)="https?:/)
    }
  })

  test('every command answers as the page says', async () => {
    const commands = commandsFor(await findSamples(open.shop))
    const page = (await open.app.inject({ url: '/', headers: { host: 'shop.example' } })).body
    expect(commands.length).toBeGreaterThan(9)
    for (const command of commands) {
      const { user, method, path, body, status } = command
      expect(page).toContain(html`${toCurl(command, 'http://shop.example')}`.text)
      const answer = await open.app.inject(requestAs(user, method, path, body))
      expect([method, path, answer.statusCode]).toEqual([method, path, status])
    }
  })

  test('the command with several problems has them in fields that there are', async () => {
    const refused = commandsFor(await findSamples(open.shop)).find(({ status }) => status === 400)
    const { user, method, path, body } = refused ?? expect.unreachable()
    const { errors } = (await open.app.inject(requestAs(user, method, path, body))).json()
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/name', '/bornOn'])
  })

  test('still works when everything has been deleted', async () => {
    for (const key of ['order', 'customer', 'boxSet', 'contract', 'book', 'author', 'publisher', 'category'] as const) {
      const { rows } = await open.shop.resource(key).list({ limit: 100 })
      for (const { id } of rows) await open.shop.resource(key).delete(id)
    }
    expect((await open.app.inject('/')).statusCode).toBe(200)
  })
})
