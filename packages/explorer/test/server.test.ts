import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import fp from 'fastify-plugin'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveExplorer } from '../src/explorer.ts'
import { appWith, ask, linesOfLog, makePage } from './app-with.ts'

let folder: string
beforeAll(() => {
  folder = makePage()
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the server half of the explorer', () => {
  test('serves the page with its policy, and what it loads', async () => {
    const app = await appWith(folder)
    const page = await ask(app, '/explorer/')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    )
    expect(page.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
    const script = await ask(app, '/explorer/assets/a.js')
    expect(script.body).toBe('go()')
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  test('leads to the page by an address that holds behind any proxy', async () => {
    for (const [options, prefix, path, service] of [
      [{}, '', '/explorer', '../api'],
      [{ prefix: '/tools/records' }, '/v1', '/v1/tools/records', '../../api'],
    ] as const) {
      const app = await appWith(folder, options, {}, prefix)
      const { statusCode, headers } = await ask(app, path)
      expect([statusCode, headers.location]).toEqual([302, `${path.split('/').at(-1)}/`])
      expect((await ask(app, `${path}/`)).body).toContain(`&quot;service&quot;:&quot;${service}&quot;`)
    }
  })

  test('works where Fastify takes a path with and without a slash for the same one', async () => {
    const app = await appWith(folder, {}, { routerOptions: { ignoreTrailingSlash: true } })
    expect((await ask(app, '/explorer')).statusCode).toBe(302)
    expect((await ask(app, '/explorer/')).statusCode).toBe(200)
  })

  test('answers 404 for all that is no file of the page', async () => {
    const app = await appWith(folder)
    for (const path of [
      'assets/b.js',
      'assets/../index.html',
      'assets/..%2findex.html',
      'assets/',
      '%2e%2e/package.json',
    ]) {
      expect((await ask(app, `/explorer/${path}`)).statusCode, path).toBe(404)
    }
  })

  test('writes what it is told as an attribute that nothing leaves', async () => {
    const app = await appWith(folder, { title: '"><script>alert(1)</script>&' })
    const { body } = await ask(app, '/explorer/')
    expect(body).not.toContain('<script>alert')
    expect(body).toContain('&quot;title&quot;:&quot;\\&quot;>&lt;script>alert(1)&lt;/script>&amp;&quot;')
  })
})

test('says at start where it is, and that there is no service where it looks for one', async () => {
  const { lines, logger } = linesOfLog()
  const app = await appWith(folder, { service: '/v2' }, { logger })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  await app.close()
  expect(lines).toContain(`explorer: http://localhost:${new URL(origin).port}/explorer`)
  expect(lines.find((line) => line.includes('/v2/$model'))).toMatch(/^explorer: there is no/)
})

test('a page that is not built is a warning and no route, so that an application starts in a clone', async () => {
  const { lines, logger } = linesOfLog()
  const app = Fastify({ logger })
  await app.register(fp(async (scope) => serveExplorer(scope, {}, join(folder, 'none'))))
  expect(app.hasRoute({ method: 'GET', url: '/explorer' })).toBe(false)
  expect(lines).toEqual([expect.stringMatching(/^explorer: its page is not built/)])
})

test('a service of another origin is in the policy', async () => {
  const app = await appWith(folder, { service: 'https://shop.example/api' })
  const { headers, body } = await ask(app, '/explorer/')
  expect(headers['content-security-policy']).toContain("connect-src 'self' https://shop.example;")
  expect(body).toContain('https://shop.example/api')
})
