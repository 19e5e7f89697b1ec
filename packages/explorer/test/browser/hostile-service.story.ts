import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { explorer } from '../../src/index.ts'
import { launch, type OpenPage, openPage } from './open-page.ts'

const TOKEN = 'token-that-stays-in-memory'

const field = (schema: object, more: object = {}) => ({ schema, ...more })
const TEXT = { type: 'string', maxLength: 100 }

/** The model of a service that is as it should be. Each trial changes something. */
const MODEL = {
  model: 1,
  hash: 'a',
  limits: { defaultPage: 20, maxPage: 100 },
  resources: {
    book: {
      paths: ['/book'],
      id: { kind: 'integer', schema: { type: 'integer' }, assignedBy: 'database' },
      fields: { title: field(TEXT), note: field({ type: 'string' }), pin: field(TEXT, { writeOnly: true }) },
      relations: {
        maker: { kind: 'knows.one', target: 'book', foreignKey: 'makerId' },
        parts: { kind: 'owns.many', target: 'part', inverse: 'book', path: 'part' },
      },
      defaultInclude: ['maker', 'parts'],
      operations: { list: true, findOne: true, create: true, patch: true, delete: true, history: true, undo: true },
    },
    part: {
      paths: ['/book/{book_id}/part'],
      fields: { title: field(TEXT) },
      relations: { book: { kind: 'ownedBy', target: 'book', foreignKey: 'bookId', required: true } },
      defaultInclude: [],
      operations: { list: true },
    },
  },
}

const BOOK = { id: 1, title: 'Ink', note: null, makerId: null, maker: null, parts: [] }

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown

/** What becomes so at some time, however slow the machine is. */
const until = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { timeout: 20_000 })

let browser: Browser
let app: FastifyInstance
let origin: string
let open: OpenPage
/** What the service answers, by the beginning of the path. The last one that fits is taken. */
let answers: [string, Answer | unknown][]
const asked: FastifyRequest[] = []

const json = (value: unknown): string => JSON.stringify(value)

beforeAll(async () => {
  browser = await launch()
  app = Fastify()
  await app.register(explorer)
  app.all('/api/*', async (request, reply) => {
    asked.push(request)
    const [, answer] = answers.findLast(([start]) => request.url.startsWith(`/api${start}`)) ?? []
    if (answer === undefined) return reply.code(404).send()
    if (typeof answer === 'function') return answer(request, reply)
    return reply.type('application/json').send(typeof answer === 'string' ? answer : json(answer))
  })
  origin = (await app.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
})
afterAll(async () => {
  await app.close()
  await browser.close()
})
beforeEach(async () => {
  answers = [
    ['/$model', MODEL],
    ['/book', { rows: [BOOK], count: 1 }],
    ['/book/1', BOOK],
    ['/book/1/$history', { rows: [] }],
  ]
  asked.length = 0
  open = await openPage(browser, { origin })
})
afterEach(async () => {
  // The browser's log has the errors that the page has caught and said in its own words.
  expect(open.errors.filter((line) => /policy|Content Security|foreign script|Uncaught/.test(line))).toEqual([])
  expect(await open.page.evaluate("Object.keys(Object.prototype).concat('isHacked' in {} ? 'isHacked' : [])")).toEqual(
    [],
  )
  await open.close()
})

const SAID = /This cannot be shown|The service answers|did not answer|is no list|is no record|is not here/

/** The page says that something is wrong, and its frame is there, so that one can go elsewhere. */
async function saysSo(page: Page): Promise<void> {
  await page.getByText(SAID).first().waitFor()
  expect(await page.getByRole('navigation', { name: 'Resources' }).count()).toBe(1)
}

const deep = (levels: number, inside = '1'): string => '['.repeat(levels) + inside + ']'.repeat(levels)

describe('a service that answers what it should not', () => {
  test.each<[string, unknown]>([
    ['null', 'null'],
    ['a text', '"text"'],
    ['HTML', (_: FastifyRequest, reply: FastifyReply) => reply.type('text/html').send('<h1>Hello</h1>')],
    ['nothing', (_: FastifyRequest, reply: FastifyReply) => reply.code(204).send()],
    ['no resources', { resources: null }],
    ['a redirect without end', (_: FastifyRequest, reply: FastifyReply) => reply.redirect('/api/$model')],
    ['arrays without end', deep(100_000)],
  ])('a $model that is %s', async (_, answer) => {
    answers.push(['/$model', answer])
    await open.goto('/book')
    await open.page
      .getByText('did not answer')
      .or(open.page.getByText('Its $model is none'))
      .first()
      .waitFor({ timeout: 30_000 })
  })

  test.each<[string, object]>([
    ['that have nothing', { book: {}, part: null }],
    [
      'with relations to nothing',
      {
        book: {
          ...MODEL.resources.book,
          relations: { a: null, b: { kind: 7 }, c: { kind: 'owns.many', target: 'gone' } },
        },
      },
    ],
    [
      'with schemas that are none',
      {
        book: {
          ...MODEL.resources.book,
          fields: { title: { schema: 7 }, note: { schema: { type: { a: 1 }, enum: 'x' } } },
        },
      },
    ],
    [
      'with relations in a circle',
      { book: { ...MODEL.resources.book, relations: { self: { kind: 'owns.one', target: 'book', required: true } } } },
    ],
  ])('resources %s leave the others as they are', async (_, resources) => {
    answers.push([
      '/$model',
      { ...MODEL, resources: { ...resources, pen: { ...MODEL.resources.book, paths: ['/pen'], relations: {} } } },
    ])
    answers.push(['/pen', { rows: [{ id: 1, title: 'Red' }] }])
    const { page } = open
    for (const address of ['/', '/$map', '/book', '/book/1', '/book/$new', '/book/$import']) {
      await open.goto(address)
      await page.locator('main h1, main h2, main .import').first().waitFor()
    }
    await open.goto('/pen')
    await page.getByRole('link', { name: 'Red' }).waitFor()
  })

  test('names that every object has are resources and fields like others', async () => {
    const text = json(MODEL).replace(
      '"book":{',
      '"__proto__":{"isHacked":true,"paths":["/__proto__"],"fields":{"isHacked":{"schema":{}}}},"book":{',
    )
    answers.push(['/$model', text.replace('"target":"book"', '"target":"constructor"')])
    answers.push([
      '/book',
      '{"rows":[{"__proto__":{"isHacked":true},"id":1,"title":"Ink","constructor":7,"makerId":1,"maker":{"__proto__":{"isHacked":true},"id":1}}]}',
    ])
    answers.push([
      '/book/1',
      '{"id":1,"title":"Ink","__proto__":{"isHacked":true},"maker":{"id":1,"__proto__":{"isHacked":true}}}',
    ])
    const { page } = open
    await open.goto('/book')
    await page.getByRole('link', { name: 'Ink' }).click()
    await page.getByLabel('title').fill('Ink 2')
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await open.goto('/__proto__/1')
    await saysSo(page)
    await open.goto('/$map')
    await page.locator('.map-box').nth(2).waitFor()
  })

  test.each<[string, unknown]>([
    ['null', 'null'],
    ['an array', []],
    ['rows that are none', { rows: { length: 7 } }],
    ['broken JSON', '{"rows":['],
    [
      'an error in HTML',
      (_: FastifyRequest, reply: FastifyReply) =>
        reply.code(418).type('text/html').send('<script>alert("hacked")</script>'),
    ],
    [
      'a problem of garbage',
      (_: FastifyRequest, reply: FastifyReply) =>
        reply.code(400).send({ detail: { a: 1 }, title: ['<b>'], errors: [null, 7, { message: {} }], blockers: 'x' }),
    ],
    [
      'a problem of 10 MB',
      (_: FastifyRequest, reply: FastifyReply) => reply.code(400).send({ detail: `<b>${'x'.repeat(1e7)}</b>` }),
    ],
  ])('a list that is %s', async (_, answer) => {
    answers.push(['/book', answer])
    await open.goto('/book')
    await saysSo(open.page)
    expect((await open.page.locator('main').textContent())?.length).toBeLessThan(1_000)
  })

  test.each<[string, unknown]>([
    ['null', 'null'],
    ['an array', deep(3)],
    ['owned records that are none', { ...BOOK, parts: [null, 7] }],
    ['owned records without end', `{"id":1,"title":"Ink","maker":null,"parts":${deep(50_000)}}`],
  ])('a record that is %s', async (_, answer) => {
    answers.push(['/book/1', answer], ['/book/1/$history', 'null'])
    await open.goto('/book/1')
    await open.page.locator('main').getByText(SAID).or(open.page.getByLabel('title')).first().waitFor()
    await open.goto('/book')
    await open.page.getByRole('link', { name: 'Ink' }).waitFor()
  })

  test('texts of 10 MB and values that are nested without end are shown as far as one can read them', async () => {
    const row = `{"id":1,"title":"${'x'.repeat(1e7)}","note":${deep(100_000)},"maker":{"id":2,"title":"${'y'.repeat(1e6)}"},"makerId":2,"parts":[]}`
    answers.push(['/book', `{"rows":[${row}]}`], ['/book/1', row])
    const { page } = open
    await open.goto('/book?fields=title,note,maker.title')
    await page.getByRole('link', { name: /^xxx/ }).first().waitFor()
    expect((await page.locator('.grid').textContent())?.length).toBeLessThan(2_000)
    await open.goto('/book/1')
    await page.getByRole('heading', { name: /^xxx/ }).waitFor()
    expect((await page.locator('main h1').textContent())?.length).toBeLessThan(300)
  })

  test('pages without rows that promise more are not asked for again and again', async () => {
    answers.push(['/book', { rows: [], count: 'many', next: 'again' }])
    answers.push([
      '/book?',
      ({ url }: FastifyRequest, reply: FastifyReply) =>
        reply.send({ rows: url.includes('after=') ? [] : [BOOK], next: 'again' }),
    ])
    await open.goto('/book')
    await open.page.getByRole('link', { name: 'Ink' }).waitFor()
    await until(() => asked.filter(({ url }) => url.includes('after=')).length).toBe(1)
    await open.page.getByText('1 shown', { exact: true }).waitFor()
    expect(asked.filter(({ url }) => url.includes('after=')).length).toBe(1)
  })

  test('effects and a history that are none are said to be so', async () => {
    answers.push([
      '/book/1',
      ({ method }: FastifyRequest, reply: FastifyReply) =>
        reply.send(method === 'DELETE' ? { changes: [null, { action: 'Explode' }] } : BOOK),
    ])
    answers.push(['/book/1/$history', { rows: [null, { write: 1, at: 'never', changes: 7 }] }])
    const { page } = open
    await open.goto('/book/1/$history')
    await page.getByText('Nothing was changed yet').waitFor()
    answers.push(['/book/1/$history', { rows: [] }])
    await open.goto('/book/1')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(SAID).or(page.getByRole('dialog')).first().waitFor()
    await open.goto('/book')
    await page.getByRole('link', { name: 'Ink' }).waitFor()
  })
})

describe('a token that somebody enters', () => {
  const signIn = async (page: Page) => {
    await page.getByRole('button', { name: /^You are/ }).click()
    await page.getByRole('menuitem', { name: 'Enter a token…' }).click()
    await page.getByLabel(/^Token/).fill(TOKEN)
    await page.getByRole('button', { name: 'Use it' }).click()
  }

  test('is in the header Authorization and nowhere else: no address, no storage, no copy of a request', async () => {
    const { page } = open
    const logged: string[] = []
    page.on('console', (message) => logged.push(message.text()))
    await open.goto('/book/1')
    await page.getByLabel('title').waitFor()
    await signIn(page)
    await until(() => asked.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    await page.getByLabel('title').fill('Ink 2')
    await page.getByLabel('pin').fill('1234-secret')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.locator('.drawer .list button', { hasText: 'PATCH' }).first().click()
    for (const form of ['HTTP', 'curl', 'JavaScript']) {
      await page.getByRole('tab', { name: form }).click()
      const text = await page.locator('.drawer pre').first().textContent()
      expect(text).toMatch(/authorization"?: ?["']?…/)
      expect(text).not.toMatch(/token-that|1234-secret/)
    }
    const cookies = await page.context().cookies()
    const kept = await page.evaluate(
      '[location.href, document.title, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), JSON.stringify(history.state), name, document.body.outerHTML].join()',
    )
    expect(`${kept}${json(cookies)}${logged.join()}`).not.toContain(TOKEN)
    expect(asked.every(({ url }) => !url.includes(TOKEN))).toBe(true)
    await page.reload()
    await page.getByLabel('title').waitFor()
    expect(asked.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('leaves nothing of what it has shown to whoever is there next', async () => {
    const { page } = open
    answers.push([
      '/book/1',
      ({ headers }: FastifyRequest, reply: FastifyReply) =>
        reply.send({ ...BOOK, title: headers.authorization ? 'for ada only' : 'Ink' }),
    ])
    await open.goto('/book/1')
    await signIn(page)
    await page.getByRole('heading', { name: 'for ada only' }).waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('button', { name: /^You are/ }).click()
    await page.getByRole('menuitem', { name: 'Nobody in particular' }).click()
    await page.getByRole('heading', { name: 'Ink' }).waitFor()
    expect(await page.evaluate('document.body.outerHTML')).not.toContain('for ada only')
  })

  test('goes to no other origin, wherever the service sends the page', async () => {
    const stolen: string[] = []
    const thief = Fastify()
    thief.all('/*', async (request, reply) => {
      stolen.push(json(request.headers))
      return reply
        .headers({ 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' })
        .send({ rows: [] })
    })
    const elsewhere = await thief.listen({ port: 0, host: '127.0.0.1' })
    const { page } = open
    await open.goto('/book/1')
    await page.getByLabel('title').waitFor()
    answers.push(['/book', (_: FastifyRequest, reply: FastifyReply) => reply.redirect(`${elsewhere}/book`)])
    await signIn(page)
    await page.getByText('did not answer').waitFor({ timeout: 30_000 })
    expect(stolen).toEqual([])
    await thief.close()
    // The policy has said so.
    expect(open.errors.some((line) => /connect-src/.test(line))).toBe(true)
    await open.close()
    open = await openPage(browser, { origin })
  })

  test('a copied request has no line of its own for a script that an address brings along', async () => {
    const { page } = open
    await open.goto(`/book/${encodeURIComponent("1\nfetch('https://evil.test')//")}`)
    await page.getByLabel('title').waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('tab', { name: 'JavaScript' }).click()
    const text = await page.locator('.drawer pre').first().textContent()
    expect(text?.split('\n').filter((line) => !/^(?:(?:\/\/|const|import) .*)?$/.test(line))).toEqual([])
  })
})

describe('a page of somebody else', () => {
  test('has the explorer in no frame', async () => {
    const stranger = Fastify()
    stranger.get('/', async (_, reply) => reply.type('text/html').send(`<iframe src="${origin}/explorer/"></iframe>`))
    const { page } = open
    await page.goto(await stranger.listen({ port: 0, host: '127.0.0.1' }))
    await until(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/')
    await stranger.close()
    // The browser says why.
    expect(open.errors.some((line) => /frame-ancestors/.test(line))).toBe(true)
    await open.close()
    open = await openPage(browser, { origin })
  })

  test('gets nothing by a name that points to the developer’s machine', async () => {
    const rebound = await launch('--host-resolver-rules=MAP *.evil.test 127.0.0.1, MAP evil.test 127.0.0.1')
    const context = await rebound.newContext()
    const page = await context.newPage()
    const { port } = new URL(origin)
    for (const host of ['evil.test', 'localhost.evil.test', '0.0.0.0', '[::ffff:127.0.0.1]']) {
      const status = await page.goto(`http://${host}:${port}/explorer/`).then(
        (response) => response?.status(),
        () => 'no answer',
      )
      expect([404, 'no answer'], host).toContain(status)
    }
    expect((await page.goto(`http://shop.localhost:${port}/explorer/`))?.status()).toBe(200)
    await rebound.close()
  })

  test('reads nothing of it, whatever CORS the application has', async () => {
    const lenient = Fastify()
    lenient.addHook('onRequest', async ({ headers }, reply) => {
      reply.headers({
        'access-control-allow-origin': headers.origin ?? '*',
        'access-control-allow-credentials': 'true',
      })
    })
    await lenient.register(explorer, { callers: { staff: { headers: { 'x-user': 'ada' } } } })
    const target = (await lenient.listen({ port: 0, host: '127.0.0.1' })).replace('127.0.0.1', 'localhost')
    const { page } = open
    // From a page of another origin that has no policy of its own.
    await page.goto(`${origin}/api/book/1`)
    const read = await page.evaluate(
      (url) => fetch(url, { credentials: 'include' }).then(async (answer) => `${answer.status} ${await answer.text()}`),
      `${target}/explorer/`,
    )
    expect(read).toMatch(/^404/)
    expect(read).not.toContain('ada')
    await lenient.close()
  })
})
