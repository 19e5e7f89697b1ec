import { Type } from '@sinclair/typebox'
import { type AccessQuestion, countOf, defineResources, knows, needs, ownedBy, owns, type Policies } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const name = Type.String()

const resources = defineResources({
  shelf: {
    id: 'uuid',
    fields: { name, notes: Type.Optional(Type.Any()), size: Type.Optional(Type.Number()) },
    relations: {
      books: owns.many('book'),
      label: owns.one('label'),
      place: knows.one('place'),
      tags: knows.many('place'),
    },
    computed: { bookCount: countOf('books') },
  },
  book: {
    id: ['shelf', 'code'],
    topLevel: true,
    fields: { code: name, text: name },
    relations: { shelf: ownedBy('shelf'), place: needs.one('place') },
  },
  label: { fields: { name }, relations: { shelf: ownedBy('shelf') } },
  place: { id: 'text', fields: { name } },
  folder: {
    fields: { name },
    relations: { parent: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
  },
})

const policies: Policies<typeof resources> = {
  shelf: true,
  place: ({ eb }) => eb('name', '!=', 'secret'),
  folder: true,
}

/** Each row of the list has the ETag that a GET of the record has, and nothing else more than that. */
async function expectEtags(service: TestApp, path: string, headers: Record<string, string> = {}): Promise<void> {
  const list = await service.request('GET', path, undefined, { ...headers, prefer: 'etags' })
  expect(list.headers).toMatchObject({ 'preference-applied': 'etags', vary: 'Prefer' })
  const { rows, ...others } = list.body
  const plain = await service.request('GET', path, undefined, headers)
  expect(plain.body).toEqual({ rows: rows.map(({ $etag, ...record }: JsonBody) => record), ...others })
  expect(rows.length).toBeGreaterThan(1)
  for (const { $etag, ...record } of rows) {
    const one = await service.request(
      'GET',
      `${path.split('?')[0]}/${encodeURIComponent(record.id)}`,
      undefined,
      headers,
    )
    expect(one.headers.etag).toBe($etag)
    expect(one.body).toEqual(record)
  }
}

const odd = 'a "quoted\\" {name} [of] \u2028 É'

describeOnBoth('the preference etags', (database) => {
  const fill = async (service: TestApp): Promise<JsonBody> => {
    for (const [id, text] of [
      ['a', odd],
      ['b', 'open'],
    ])
      await service.db.insertInto('place').values({ id, name: text }).execute()
    const books = [
      { code: 'x,1', text: odd, placeId: 'a' },
      { code: 'y', text: '}', placeId: 'b' },
    ]
    await service.add('/api/shelf', { name: odd, notes: { a: [1, '"]', { b: '}' }] }, books, label: { name: '{' } })
    const added = await service.add('/api/shelf', { name: '', size: 1.5, books, placeId: 'a', tags: [{ id: 'a' }] })
    // A caller with policies sees it no more.
    await service.db.updateTable('place').set({ name: 'secret' }).where('id', '=', 'b').execute()
    return added
  }

  describe('of a service without access', () => {
    const service = useApp(database, resources)

    test('gives each record of a list the ETag that it has alone', async () => {
      const { id } = await fill(service)
      await expectEtags(service, '/api/shelf')
      await expectEtags(service, '/api/shelf?sort=-name&limit=5&count=none')
      await expectEtags(service, `/api/shelf/${id}/book`)
      await expectEtags(service, '/api/book')
      await service.add('/api/folder', { name: 'a', folders: [{ name: 'b', folders: [{ name: 'c' }] }] })
      await service.add('/api/folder', { name: odd })
      await expectEtags(service, '/api/folder')
    })

    test('is for whole records of lists', async () => {
      await fill(service)
      const ask = (path: string) => service.request('GET', path, undefined, { prefer: 'etags' })
      for (const path of ['/api/shelf?fields=name', '/api/shelf?include=-books', '/api/shelf/$list']) {
        const { body, headers } = await ask(path)
        expect(JSON.stringify(body)).not.toContain('$etag')
        expect(headers).not.toHaveProperty('preference-applied')
      }
      const long = await service.request('POST', '/api/shelf/$list', { limit: 1 }, { prefer: 'etags' })
      expect(long.body.rows[0].$etag).toMatch(/^"[\w-]{24}"$/)
      const empty = await ask('/api/shelf?filter[name]=nothing')
      expect(empty.body).toEqual({ rows: [], count: 0 })
    })

    test('an ETag of a list holds for If-Match', async () => {
      await fill(service)
      const [{ id, $etag }] = (await service.request('GET', '/api/shelf', undefined, { prefer: 'etags' })).body.rows
      const patch = (name: string) => service.request('PATCH', `/api/shelf/${id}`, { name }, { 'if-match': $etag })
      expect((await patch('new')).status).toBe(200)
      expect((await patch('newer')).status).toBe(412)
    })
  })

  describe('of a service that hides records', () => {
    const service = useApp(database, resources, {
      plugin: {
        policies,
        authorize: (_: unknown, { resource, action }: AccessQuestion) => action !== 'View' || resource !== 'label',
      } as never,
    })

    test('it is that of what the caller sees', async () => {
      const { id } = await fill(service)
      await expectEtags(service, '/api/shelf')
      await expectEtags(service, `/api/shelf/${id}/book`)
    })
  })
})
