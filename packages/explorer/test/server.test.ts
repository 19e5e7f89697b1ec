import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import fp from 'fastify-plugin'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { serveExplorer } from '../src/explorer.ts'
import type { ExplorerOptions } from '../src/options.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'explorer-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<html><div id="root"></div><script src="./assets/a.js"></script></html>')
  writeFileSync(join(folder, 'assets/a.js'), 'go()')
})
afterAll(() => rmSync(folder, { recursive: true }))

async function appWith(
  options: ExplorerOptions = {},
  ofApp: FastifyServerOptions = {},
  prefix = '',
): Promise<FastifyInstance> {
  const app = Fastify(ofApp)
  const plugin = fp(async (scope) => serveExplorer(scope, options, folder))
  await app.register(async (scope) => void (await scope.register(plugin)), { prefix })
  return app
}

const ask = (app: FastifyInstance, url: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  app.inject({ url, headers: { host: 'localhost:3000', ...headers }, remoteAddress })

describe('the server half of the explorer', () => {
  test('serves the page with its policy, and what it loads', async () => {
    const app = await appWith()
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
      const app = await appWith(options, {}, prefix)
      const { statusCode, headers } = await ask(app, path)
      expect([statusCode, headers.location]).toEqual([302, `${path.split('/').at(-1)}/`])
      expect((await ask(app, `${path}/`)).body).toContain(`&quot;service&quot;:&quot;${service}&quot;`)
    }
  })

  test('works where Fastify takes a path with and without a slash for the same one', async () => {
    const app = await appWith({}, { routerOptions: { ignoreTrailingSlash: true } })
    expect((await ask(app, '/explorer')).statusCode).toBe(302)
    expect((await ask(app, '/explorer/')).statusCode).toBe(200)
  })

  test('answers 404 for all that is no file of the page', async () => {
    const app = await appWith()
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
    const app = await appWith({ title: '"><script>alert(1)</script>&' })
    const { body } = await ask(app, '/explorer/')
    expect(body).not.toContain('<script>alert')
    expect(body).toContain('&quot;title&quot;:&quot;\\&quot;>&lt;script>alert(1)&lt;/script>&amp;&quot;')
  })
})

describe('closed unless it is surely a developer’s machine', () => {
  const STRANGERS: [string, Record<string, string>, string?][] = [
    ['from elsewhere', {}, '10.0.0.7'],
    ['from elsewhere by IPv6', {}, '2001:db8::1'],
    ['a page of a stranger whose name points here', { host: 'evil.example:3000' }],
    ['a name that begins like ours', { host: 'localhost.evil.example' }],
    ['a proxy', { 'x-forwarded-for': '10.0.0.7' }],
    ['another proxy', { forwarded: 'for=10.0.0.7' }],
    ['a proxy that says its own name', { via: '1.1 proxy' }],
  ]
  test.each(STRANGERS)('%s: 404', async (_, headers, address) => {
    const app = await appWith({}, { trustProxy: true })
    for (const path of ['/explorer', '/explorer/', '/explorer/assets/a.js']) {
      expect((await ask(app, path, headers, address)).statusCode).toBe(404)
    }
  })

  test.each(['localhost', 'localhost:3000', 'shop.localhost:3000', '127.0.0.1:3000', '[::1]:3000'])(
    '%s: open',
    async (host) => {
      expect(
        (await ask(await appWith(), '/explorer/', { host }, host.startsWith('[') ? '::1' : '::ffff:127.0.0.1'))
          .statusCode,
      ).toBe(200)
    },
  )

  test('in production there is no route', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    try {
      expect((await appWith()).hasRoute({ method: 'GET', url: '/explorer' })).toBe(false)
      expect((await appWith({ enabled: true })).hasRoute({ method: 'GET', url: '/explorer' })).toBe(true)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('with enabled: true it is open, behind the hook that is given', async () => {
    const app = await appWith({
      enabled: true,
      async onRequest(request, reply) {
        if (request.headers.cookie === undefined) return reply.redirect('/login')
      },
    })
    expect((await ask(app, '/explorer/', { host: 'shop.example' }, '10.0.0.7')).headers.location).toBe('/login')
    expect((await ask(app, '/explorer/', { host: 'shop.example', cookie: 'a=b' }, '10.0.0.7')).statusCode).toBe(200)
  })

  test('callers are refused with enabled: true, and options that cannot be', async () => {
    const callers = { staff: { headers: { 'x-user': 'ada' } } }
    await expect(appWith({ enabled: true, callers })).rejects.toThrow('callers: is for development')
    await expect(appWith({ prefix: 'explorer' })).rejects.toThrow('prefix: must be a path')
    await expect(appWith({ service: 'shop.example' })).rejects.toThrow('service: must be a path')
    expect((await ask(await appWith({ callers }), '/explorer/')).body).toContain('&quot;x-user&quot;:&quot;ada&quot;')
  })
})

test('says at start where it is, and that there is no service where it looks for one', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
  const app = await appWith({ service: '/v2' }, { logger: { level: 'info', stream } })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  await app.close()
  expect(lines).toContain(`explorer: http://localhost:${new URL(origin).port}/explorer`)
  expect(lines.find((line) => line.includes('/v2/$model'))).toMatch(/^explorer: there is no/)
})

test('a page that is not built is a warning and no route, so that an application starts in a clone', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line).msg) }
  const app = Fastify({ logger: { level: 'info', stream } })
  await app.register(fp(async (scope) => serveExplorer(scope, {}, join(folder, 'none'))))
  expect(app.hasRoute({ method: 'GET', url: '/explorer' })).toBe(false)
  expect(lines).toEqual([expect.stringMatching(/^explorer: its page is not built/)])
})

test('a service of another origin is in the policy', async () => {
  const app = await appWith({ service: 'https://shop.example/api' })
  const { headers, body } = await ask(app, '/explorer/')
  expect(headers['content-security-policy']).toContain("connect-src 'self' https://shop.example;")
  expect(body).toContain('https://shop.example/api')
})
