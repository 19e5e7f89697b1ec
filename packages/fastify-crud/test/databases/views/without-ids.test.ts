import { checkTables, createStore } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { makeVisits, visits } from './visits.ts'

describeOnBoth('a resource with `id: false`', (database) => {
  const service = useApp(database, visits, { tables: makeVisits, plugin: { limits: { maxCost: 200 } } })
  let home: JsonBody
  let about: JsonBody

  beforeEach(async () => {
    home = await service.add('/api/page', { title: 'Home' })
    about = await service.add('/api/page', { title: 'About' })
  })

  const visit = async (...rows: object[]) => {
    const all = rows.map((row) => ({ browser: 'lynx', seconds: 5, pageId: home.id, ...row }))
    await service.db.insertInto('visit').values(all).execute()
  }
  const secondsOf = async (query: string) =>
    (await service.read(`/api/visit?${query}`)).rows.map(({ seconds }: JsonBody) => seconds)

  test('the start and checkTables find nothing wrong', async () => {
    await visit({}, { seconds: 7 })
    expect(await checkTables(service.db, visits)).toEqual([])
  })

  test('lists its records, which have no id', async () => {
    await visit({ id: 4, data: JSON.stringify({ width: 80 }), at: '2026-01-01T00:00:00.000Z', fromId: about.id })
    const { rows, count } = await service.read('/api/visit')
    expect(count).toBe(1)
    const { title } = about
    expect(rows).toEqual([
      {
        number: 4,
        browser: 'lynx',
        seconds: 5,
        at: expect.stringMatching(/^2026-01-01T00:00:00/),
        data: { width: 80 },
        pageId: home.id,
        page: expect.objectContaining({ id: home.id, title: 'Home', visitors: 1, seconds: 5 }),
        fromId: about.id,
        from: expect.objectContaining({ id: about.id, title }),
      },
    ])
  })

  test('filters, sorts, chooses fields and counts', async () => {
    await visit({ seconds: 10 }, { seconds: 9 }, { seconds: 100, pageId: about.id })
    expect(await secondsOf('filter[page.title]=Home&sort=-seconds')).toEqual([10, 9])
    expect(await secondsOf('filter[seconds][gte]=10&sort=lower(page.title)')).toEqual([100, 10])
    expect(await service.read('/api/visit?fields=seconds&limit=1&count=1')).toMatchObject({
      rows: [{ seconds: 9, partial: true }],
      count: 1,
      countIs: 'atLeast',
    })
    expect((await service.read('/api/visit?fields=page.title&limit=1')).rows).toEqual([
      { page: { id: home.id, title: 'Home', partial: true }, partial: true },
    ])
  })

  test('has no name for what it has not, and says so', async () => {
    await visit({})
    const invalid = (parameter: string, path: string) =>
      service.refuse('GET', path, undefined, { code: 'CRUD_ERR_INVALID', parameters: [parameter] })
    const { errors } = await invalid('filter[id]', '/api/visit?filter[id]=1')
    expect(errors[0].message).toContain("a visit has no 'id'")
    await invalid('sort', '/api/visit?sort=id')
    await invalid('fields', '/api/visit?fields=id')
    await invalid('filter', '/api/page?filter={"visits":{"some":{"id":1}}}')
    expect((await service.get('/api/page?filter[visits.seconds]=5')).status).toBe(200)
  })

  test('is in the order of its values, so that pages show each record once', async () => {
    await visit(...[3, 1, 20, 1, 2, 1].map((seconds) => ({ seconds })))
    await visit({ seconds: 1, browser: 'Links' }, { seconds: 1, id: 1, browser: 'zzz' })
    const inOrder = await service.read('/api/visit')
    expect(inOrder.rows.map(({ browser, seconds }: JsonBody) => `${browser} ${seconds}`)).toEqual([
      'zzz 1',
      'Links 1',
      ...[1, 1, 1, 2, 3, 20].map((seconds) => `lynx ${seconds}`),
    ])
    for (const query of ['', '&sort=seconds', '&sort=-browser', '&filter[browser]=lynx', '&sort=-count(page.visits)']) {
      const whole = await service.read(`/api/visit?${query}`)
      const byOffset: JsonBody[] = []
      for (let offset = 0; offset < 9; offset += 3)
        byOffset.push(...(await service.read(`/api/visit?limit=3&offset=${offset}${query}`)).rows)
      expect(byOffset).toEqual(whole.rows)
      const followed: JsonBody[] = []
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: JsonBody = await service.read(`/api/visit?limit=3${query}${after && `&after=${after}`}`)
        followed.push(...page.rows)
        after = page.next
      }
      expect(followed, query).toEqual(whole.rows)
    }
  })

  test('follows next as other lists do, and refuses what is none of its own', async () => {
    await visit({}, {}, {})
    const first = await service.get('/api/visit?limit=2')
    expect(first.body.next).toEqual(expect.any(String))
    expect(first.headers.link).toContain('rel="next"')
    const last = await service.read(`/api/visit?limit=2&after=${first.body.next}`)
    expect(last).toEqual({ rows: [first.body.rows[0]] })
    const ofPages = (await service.read('/api/page?limit=1')).next
    for (const after of ['x', '', ofPages, Buffer.from('["x",-1]').toString('base64url')]) {
      await service.refuse('GET', `/api/visit?after=${after}`, undefined, {
        code: 'CRUD_ERR_INVALID',
        parameters: ['after'],
      })
    }
    for (const wrong of [`offset=1&after=${first.body.next}`, `sort=seconds&after=${first.body.next}`]) {
      await service.refuse('GET', `/api/visit?${wrong}`, undefined, { code: 'CRUD_ERR_INVALID', parameters: ['after'] })
    }
  })

  test('shows where others are related to it', async () => {
    await visit({ seconds: 1 }, { seconds: 30, at: '2026-01-02T00:00:00.000Z' }, { seconds: 4, pageId: about.id })
    const page = await service.read(`/api/page/${home.id}?include=visits&fields=title,visitors,seconds,longest`)
    expect(page.visits.map(({ seconds }: JsonBody) => seconds)).toEqual([1, 30])
    expect(page).toMatchObject({ title: 'Home', visitors: 2, seconds: 31 })
    expect(page.longest).toMatch(/^2026-01-02/)
    const latest = await service.read(
      `/api/page/${home.id}?include=visits&nested[visits][sort]=-seconds&nested[visits][limit]=1`,
    )
    expect(latest.visits.map(({ seconds }: JsonBody) => seconds)).toEqual([30])
    const { rows } = await service.read('/api/page?sort=-count(visits)&filter={"visits":{"none":{"seconds":4}}}')
    expect(rows.map(({ title }: JsonBody) => title)).toEqual(['Home'])
  })

  test('binds nothing: the page that it names can go', async () => {
    await visit({ pageId: about.id })
    expect((await service.delete(`/api/page/${about.id}`)).status).toBe(204)
    expect((await service.read('/api/visit')).rows).toMatchObject([{ pageId: about.id }])
  })

  test('has the methods GET and HEAD, and no path for a single record', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await service.request(method, '/api/visit', method === 'OPTIONS' ? undefined : {})
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
      expect((await service.request(method, '/api/visit/1', undefined)).status).toBe(404)
    }
    expect((await service.get('/api/visit/1')).status).toBe(404)
    expect((await service.request('HEAD', '/api/visit')).status).toBe(200)
  })

  test('is in the store with its list and its groups alone', async () => {
    const store = createStore({ db: service.db, resources: visits }) as unknown as Record<string, object>
    expect(Object.keys(store.visit ?? {})).toEqual(['list', 'group'])
  })
})

describeOnBoth('a policy of records without ids', (database) => {
  const asked: unknown[] = []
  const service = useApp(database, visits, {
    tables: makeVisits,
    plugin: {
      policies: {
        page: true,
        visit: { View: ({ eb }) => eb.and([eb('seconds', '<', 9), sql<boolean>`visit.browser <> 'w3m'`]) },
      },
      authorize(_, { action, resource, id }) {
        asked.push([action, resource, id])
        return true
      },
    },
  })

  test('hides rows in the list and in what others show, and authorize gets no id', async () => {
    const page = await service.add('/api/page', { title: 'Home' })
    const rows = [
      { browser: 'lynx', seconds: 1 },
      { browser: 'w3m', seconds: 2 },
      { browser: 'lynx', seconds: 10 },
    ].map((row) => ({ ...row, pageId: page.id }))
    await service.db.insertInto('visit').values(rows).execute()
    asked.length = 0
    expect((await service.read('/api/visit')).rows).toMatchObject([{ browser: 'lynx', seconds: 1 }])
    expect(asked).toContainEqual(['View', 'visit', undefined])
    expect(asked.filter((one) => (one as unknown[])[1] === 'visit')).toHaveLength(1)
    const shown = await service.read(`/api/page/${page.id}?include=visits`)
    expect(shown.visits).toMatchObject([{ seconds: 1 }])
  })
})
