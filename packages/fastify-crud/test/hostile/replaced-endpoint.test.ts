import { expect, test } from 'vitest'
import { type AppOptions, useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { refuseAll } from './refuse-all.ts'

const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const

/** What the handlers were asked to do, and by which `authorize`. */
const handled: string[] = []
const asked: string[] = []

function replaced(action: 'View' | 'Edit' | 'Delete') {
  return {
    access: { action, id: 'id' },
    handler(request: { method: string }, reply: { code(status: number): { send(body: object): unknown } }) {
      handled.push(request.method)
      reply.code(299).send({ replaced: true })
    },
  }
}

const all = {
  findOne: replaced('View'),
  replace: replaced('Edit'),
  patch: replaced('Edit'),
  delete: replaced('Delete'),
}

/** A service whose endpoints of single items and of their parts are all replaced. */
const plugin: AppOptions['plugin'] = {
  authorize(_request, { operation }) {
    asked.push(operation)
    return true
  },
  handlers: { item: all, part: all },
}

/** Other spellings of `/api/item/7/part/3`. */
function spellingsOf(path: string): string[] {
  const [, api, item, id, part, partId] = path.split('/')
  return [
    `/${path}`,
    `${path}/`,
    `${path}//`,
    `/${api}//${item}/${id}/${part}/${partId}`,
    `/${api}/${item}/${id}//${part}/${partId}`,
    `/${api}/${item}/${id}/${part}//${partId}`,
    `/${api}/${item}%2F${id}/${part}/${partId}`,
    `/${api}/${item}/${id}%2F${part}/${partId}`,
    `/${api}/${item}/${id}/${part}%2f${partId}`,
    `/${api}/${item}/${id}/${part}/${partId}%2F`,
    `/${api}/${item}/${id}/${part}%5C${partId}`,
    `/${api}\\${item}\\${id}\\${part}\\${partId}`,
    `/${api}/ITEM/${id}/PART/${partId}`,
    `/API/${item}/${id}/${part}/${partId}`,
    `/${api}/${item}/${id}/p%61rt/${partId}`,
    `/${api}/%69tem/${id}/${part}/${partId}`,
    `/${api}/${item}/./${id}/${part}/${partId}`,
    `/${api}/${item}/${id}/x/../${part}/${partId}`,
    `/${api}/${item}/${id}/%2e/${part}/${partId}`,
    `/${api}/${item}/${id}/x/%2e%2e/${part}/${partId}`,
    `/${api}/${item}/${id}/${part}/${partId};a=1`,
    `/${api};a=1/${item}/${id}/${part}/${partId}`,
    `${path}?`,
    `${path}?x=1`,
    `${path}#x`,
    `${path}%3Fx`,
    `${path}%23`,
    `${path}%20`,
    `${path}%00`,
    `${path}.json`,
    `http://elsewhere.example${path}`,
  ]
}

function testSpellings(title: string, fastify: AppOptions['fastify']): void {
  describeServersOnDatabases(title, (database) => {
    const service = useApp(database, museum, { fastify: fastify ?? {}, plugin: plugin ?? {} })
    const exhibits = useExhibits(service)

    test('is reached by its handler, after `authorize`, or not at all, however the path is spelled', async () => {
      const { mine } = exhibits
      const path = `/api/item/${mine.id}/part/${mine.parts[0].id}`
      const before = await service.snapshot()
      let reached = 0
      for (const url of [path, ...spellingsOf(path)]) {
        for (const method of METHODS) {
          handled.length = 0
          asked.length = 0
          const body = method === 'PUT' || method === 'PATCH' ? { name: 'changed' } : undefined
          const answer = await service.request(method, url, body)
          if (handled.length > 0) reached += 1
          const expected = handled.length > 0 ? [299, 1, 1] : [expect.toBeOneOf([400, 404]), 0, asked.length]
          expect([answer.status, handled.length, asked.length], `${method} ${url}`).toEqual(expected)
          expect(JSON.stringify(answer.body ?? '')).not.toContain('"name"')
        }
      }
      expect(await service.snapshot()).toEqual(before)
      expect(reached).toBeGreaterThan(2 * METHODS.length)
    })

    test('is not reached by another method that a header, the query or the body names', async () => {
      const { mine } = exhibits
      const path = `/api/item/${mine.id}`
      const before = await service.snapshot()
      for (const header of ['x-http-method-override', 'x-http-method', 'x-method-override', '_method']) {
        for (const method of ['DELETE', 'PATCH', 'PUT', 'POST']) {
          handled.length = 0
          const get = await service.request('GET', path, undefined, { [header]: method })
          const list = await service.request('GET', '/api/item', undefined, { [header]: method })
          expect([get.status, list.status, handled]).toEqual([299, 200, ['GET']])
          const taken = await service.request(
            'POST',
            `/api/topic/${exhibits.topic.id}`,
            { word: 'x' },
            { [header]: method },
          )
          expect(taken.body.code).toBe('CRUD_ERR_EXISTS')
        }
      }
      await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
        ['GET', '/api/item?_method=DELETE'],
        ['POST', '/api/topic?_method=DELETE', { word: 'x' }],
        ['POST', `/api/topic/${exhibits.topic.id}?_method=DELETE`, { word: 'x' }],
        ['POST', '/api/topic', { word: 'x', _method: 'DELETE' }],
      ])
      expect(await service.snapshot()).toEqual(before)
    })
  })
}

testSpellings('a replaced endpoint', {})
testSpellings('a replaced endpoint of an application that takes many spellings for one', {
  useSemicolonDelimiter: true,
  routerOptions: {
    caseSensitive: false,
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
  },
})
