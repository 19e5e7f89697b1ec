import { Type } from '@sinclair/typebox'
import { defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { nextLink } from './support/walk.ts'

const notes = defineResources({ note: { fields: { text: Type.String() } } })

describeOnBoth('the Link header of a list', (database) => {
  const service = useApp(database, notes)

  const addNotes = async () => {
    for (const text of ['a', 'b', 'c']) await service.add('/api/note', { text })
  }

  test('keeps the query as the client has spelled it, but for its place in the list', async () => {
    await addNotes()
    const { headers, body } = await service.get('/api/note?filter%5Btext%5D[ne]=x+y%20%2c&&offset=1&limit=1')
    expect(headers.link).toBe(`</api/note?filter%5Btext%5D[ne]=x+y%20%2c&limit=1&after=${body.next}>; rel="next"`)
  })

  test('has no character that would end the link', async () => {
    await addNotes()
    const path = `/api/note?limit=1&filter[text][ne]=a>;rel="next","<é`
    const answer = await service.get(path)
    expect(answer.headers.link).toMatch(/^<[!#-;=?-~]+>; rel="next"$/)
    const next = nextLink(answer, path) as string
    expect(await service.read(next)).toMatchObject({ rows: [{ text: 'b' }] })
  })

  test('is there for HEAD, and not on the last page', async () => {
    await addNotes()
    const head = await service.request('HEAD', '/api/note?limit=2')
    expect(head.headers.link).toBe((await service.get('/api/note?limit=2')).headers.link)
    expect((await service.get('/api/note?limit=3')).headers).not.toHaveProperty('link')
  })

  test('is not for text that looks like a cursor', async () => {
    await service.add('/api/note', { text: '","next":"x"}' })
    expect((await service.get('/api/note')).headers).not.toHaveProperty('link')
  })
})

describeOnBoth('the Link header of a replaced list', (database) => {
  const access = { action: 'View' } as const
  const service = useApp(database, notes, {
    plugin: {
      handlers: {
        note: {
          list: {
            access,
            async handler(request, reply, next) {
              reply.header('link', '</about>; rel="help"')
              const result = (await next()) as { next?: string }
              if (request.headers['x-last'] !== undefined) delete result.next
            },
          },
        },
      },
    },
  })

  test('stands beside the links of the application, and says what the body says', async () => {
    for (const text of ['a', 'b']) await service.add('/api/note', { text })
    const { headers, body } = await service.get('/api/note?limit=1')
    expect(headers.link).toBe(`</about>; rel="help", </api/note?limit=1&after=${body.next}>; rel="next"`)
    const last = await service.request('GET', '/api/note?limit=1', undefined, { 'x-last': '1' })
    expect(last.headers.link).toBe('</about>; rel="help"')
    expect(last.body).not.toHaveProperty('next')
  })
})
