import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { createTables, crudPlugin, defineResources } from 'fastify-crud'
import { openSqlite } from 'fastify-crud/sqlite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { serveExplorer } from '../src/explorer.ts'
import { appWith, ask, linesOfLog, makePage } from './app-with.ts'

let folder: string
beforeAll(() => {
  folder = makePage()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A host that a browser takes for another one than this machine, or for any. */
const FOREIGN_HOSTS = [
  ...['evil.example:3000', 'localhost.evil.test:3000', '127.0.0.1.nip.io', '127.0.0.1.nip.io:3000', 'notlocalhost'],
  ...['localhost:3000.evil.test', 'localhost:80@evil.test', 'evil.test#localhost', 'evil.test/localhost', 'localhost '],
  ...['0.0.0.0:3000', '[::]:3000', '[::ffff:7f00:1]', '[fe80::1]:3000', '127.0.0.1, evil.test', 'evil.test,localhost'],
  ...['128.0.0.1', '127.0.0.1.', 'localhost.evil', '.localhost', 'a..localhost', 'localhost:', 'ⓛocalhost'],
]

/** What a proxy says of the request that it was sent. */
const OF_PROXIES = [
  ...[
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded',
  ],
  ...['x-forwarded-server', 'x-forwarded-prefix', 'x-original-host', 'x-original-for', 'x-real-ip', 'x-client-ip'],
  ...['x-cluster-client-ip', 'true-client-ip', 'fastly-client-ip', 'fly-client-ip', 'cf-connecting-ip', 'cdn-loop'],
]

const STRANGERS: [string, Record<string, string>, string?][] = [
  ['from elsewhere', {}, '10.0.0.7'],
  ['from elsewhere by IPv6', {}, '2001:db8::1'],
  ['from elsewhere, as an IPv4 address in IPv6', {}, '::ffff:10.0.0.7'],
  ['from an address that begins like ours', {}, '127.0.0.1.evil'],
  ...FOREIGN_HOSTS.map((host): [string, Record<string, string>] => [`Host: ${host}`, { host }]),
  ...OF_PROXIES.map((name): [string, Record<string, string>] => [`${name} of a proxy`, { [name]: 'localhost' }]),
  ['a connection that ends after the answer, as proxies have it', { connection: 'close' }],
  ['a script of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }],
  ['an element of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['a page of another port of this machine', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
]

const HERE: [string, Record<string, string>, string?][] = [
  ...['localhost', 'localhost:3000', 'LOCALHOST', 'shop.localhost:3000', '127.0.0.1:3000', '127.4.5.6'].map(
    (host): [string, Record<string, string>, string] => [`Host: ${host}`, { host }, '::ffff:127.0.0.1'],
  ),
  ['IPv6', { host: '[::1]:3000' }, '::1'],
  ['an entered address', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', connection: 'keep-alive' }],
  ['a link of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ['a script of the page', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }],
]

describe('closed unless it is surely a developer’s machine', () => {
  test.each(STRANGERS)('%s: 404', async (_, headers, address) => {
    // Whatever the application believes of a proxy.
    for (const trustProxy of [true, false]) {
      const app = await appWith(folder, {}, { trustProxy })
      for (const path of ['/explorer', '/explorer/', '/explorer/assets/a.js']) {
        expect((await ask(app, path, headers, address)).statusCode).toBe(404)
      }
    }
  })

  test.each(HERE)('%s: open', async (_, headers, address) => {
    expect((await ask(await appWith(folder), '/explorer/', headers, address)).statusCode).toBe(200)
  })

  test('over the wire: HTTP 1.0 and requests without a host get nothing', async () => {
    const app = await appWith(folder)
    const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
    const statusOf = (lines: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${lines}\r\n\r\n`))
        socket.once('data', (data) => {
          resolve(data.toString().slice(9, 12))
          socket.destroy()
        })
        socket.once('error', reject)
      })
    const host = `Host: localhost:${port}`
    expect(await statusOf(`GET /explorer/ HTTP/1.1\r\n${host}`)).toBe('200')
    expect(await statusOf(`GET /explorer/ HTTP/1.0\r\n${host}`)).toBe('404')
    expect(await statusOf(`GET /explorer/ HTTP/1.0\r\n${host}\r\nConnection: keep-alive`)).toBe('404')
    expect(await statusOf('GET /explorer/ HTTP/1.1')).toBe('400')
    expect(await statusOf('GET /explorer/ HTTP/1.1\r\nHost:')).toBe('404')
    expect(await statusOf(`GET /explorer/ HTTP/1.1\r\nHost: evil.test\r\n${host}`)).toMatch(/400|404/)
    expect(await statusOf(`GET http://localhost/explorer/ HTTP/1.1\r\nHost: evil.test`)).toBe('404')
    await app.close()
  })

  test('the log says once why, as a developer may wonder', async () => {
    const { lines, logger } = linesOfLog('warn')
    const app = await appWith(folder, {}, { logger })
    for (const host of ['devbox:3000', 'evil.test']) await ask(app, '/explorer/', { host })
    expect(lines.filter((line) => line.startsWith('explorer: 404 to whoever'))).toHaveLength(1)
  })

  const CALLERS = { staff: { headers: { 'x-user': 'ada' } } }

  test.each([
    [{}, 'production', 'no route'],
    [{ enabled: false }, 'production', 'no route'],
    [{ callers: CALLERS }, 'production', 'no route'],
    [{ enabled: true }, 'production', 'open'],
    [{ enabled: true }, 'development', 'open'],
    [{ enabled: true }, undefined, 'open'],
    [{ enabled: true, callers: CALLERS }, 'production', 'no start'],
    [{ enabled: true, callers: CALLERS }, undefined, 'no start'],
    [{}, undefined, 'for this machine'],
    [{ enabled: false, callers: CALLERS }, 'development', 'for this machine'],
    [{}, 'test', 'for this machine'],
  ])('%j with NODE_ENV %s: %s', async (options, nodeEnv, expected) => {
    vi.stubEnv('NODE_ENV', nodeEnv)
    const found = async () => {
      const app = await appWith(folder, options).catch(() => undefined)
      if (app === undefined) return 'no start'
      if (!app.hasRoute({ method: 'GET', url: '/explorer/*' })) return 'no route'
      const { statusCode } = await ask(app, '/explorer/', { host: 'shop.example' }, '10.0.0.7')
      return statusCode === 200 ? 'open' : 'for this machine'
    }
    expect(await found()).toBe(expected)
    vi.unstubAllEnvs()
  })

  test('with enabled: true it is open, behind the hook that is given', async () => {
    const app = await appWith(folder, {
      enabled: true,
      async onRequest(request, reply) {
        if (request.headers.cookie === undefined) return reply.redirect('/login')
      },
    })
    expect((await ask(app, '/explorer/', { host: 'shop.example' }, '10.0.0.7')).headers.location).toBe('/login')
    expect((await ask(app, '/explorer/', { host: 'shop.example', cookie: 'a=b' }, '10.0.0.7')).statusCode).toBe(200)
  })

  test.each([
    [{ enabled: 'false' }, 'enabled: must be true or false'],
    [{ enabled: 'yes', callers: CALLERS }, 'enabled: must be true or false'],
    [{ enabled: true, callers: CALLERS }, 'callers: is for development'],
    [{ callers: { staff: { 'x-user': 'ada' } } }, 'callers.staff: must have headers'],
    [{ callers: { staff: { headers: { 'x-user': 7 } } } }, 'callers.staff: must have headers'],
    [{ prefix: 'explorer' }, 'prefix: must be a path'],
    [{ prefix: '/explorer?a' }, 'prefix: must be a path'],
    [{ service: 'shop.example' }, 'service: must be a path'],
    [{ service: 'javascript:alert(1)' }, 'service: must be a path'],
    [{ service: 'https://ada:secret@shop.example/api' }, 'service: must be a path'],
    [{ service: "https://a;script-src 'unsafe-inline'/api" }, 'service: must be a path'],
  ])('%j is refused at start', async (options, message) => {
    await expect(appWith(folder, options as never)).rejects.toThrow(message)
  })

  test('callers go with the page to the developer, and to nobody else', async () => {
    const app = await appWith(folder, { callers: CALLERS })
    expect((await ask(app, '/explorer/')).body).toContain('&quot;x-user&quot;:&quot;ada&quot;')
    expect((await ask(app, '/explorer/', { host: 'evil.test' })).body).not.toContain('x-user')
  })
})

test('it adds the two paths of the page, and none that answers more than the service does', async () => {
  const resources = defineResources({ book: { fields: { title: { type: 'string' } } } })
  const db = openSqlite(':memory:', { resources })
  await createTables(db, resources)
  const routesWith = async (isShown: boolean) => {
    const app = Fastify()
    const routes: string[] = []
    app.addHook('onRoute', ({ method, url }) => void routes.push(`${method} ${url}`))
    await app.register(crudPlugin, { db, resources, authorize: () => true })
    if (isShown) await app.register(async (scope) => serveExplorer(scope, {}, folder))
    await app.ready()
    await app.close()
    return routes
  }
  const before = new Set(await routesWith(false))
  const added = (await routesWith(true)).filter((route) => !before.has(route))
  expect(added.sort()).toEqual(['GET /explorer', 'GET /explorer/*', 'HEAD /explorer', 'HEAD /explorer/*'])
  await db.destroy()
})

test.each([
  '/explorer/__proto__',
  '/explorer/assets/constructor',
  '/explorer/assets/%00',
  '/explorer/assets/a.js%00',
  '/explorer//etc/passwd',
])('%s is no file of the page', async (path) => {
  expect((await ask(await appWith(folder), path)).statusCode).toBe(404)
})

test.each([
  ...['../index.html', '..%2findex.html', '..%5cindex.html', '%2e%2e/index.html', '%2e%2e%2f%2e%2e%2fetc/passwd'],
  ...[
    '..%252findex.html',
    '....//index.html',
    '%c0%ae%c0%ae/index.html',
    'assets/../../package.json',
    '..;/index.html',
  ],
])('no path leads out of the folder of the page: %s', async (path) => {
  const { statusCode, body } = await ask(await appWith(folder), `/explorer/assets/${path}`)
  expect([404, 400]).toContain(statusCode)
  expect(body).not.toContain('id="root"')
})
