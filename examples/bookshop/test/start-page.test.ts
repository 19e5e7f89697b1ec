import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../../../test/support/describe-on-databases.ts'
import { commandsFor } from '../src/start-page/commands.ts'
import { toCurl } from '../src/start-page/curl.ts'
import { html } from '../src/start-page/html.ts'
import { findSamples } from '../src/start-page/samples.ts'
import { type OpenShop, openShop, requestAs } from './open-shop.ts'

describeOnDatabases('the start page of the bookshop', (database) => {
  let open: OpenShop
  beforeAll(async () => {
    open = await openShop(database)
  })
  afterAll(() => open.close())

  test('every link answers 200', async () => {
    const page = await open.app.inject('/')
    expect(page.statusCode).toBe(200)
    const links = new Set([...page.body.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path as string))
    expect(links.size).toBeGreaterThan(15)
    for (const link of links) {
      let answer = await open.app.inject(link)
      const { location } = answer.headers
      if (answer.statusCode === 301 && typeof location === 'string') answer = await open.app.inject(location)
      expect([link, answer.statusCode]).toEqual([link, 200])
    }
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
