import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'

const queries = ['name=nobody', 'dryRun=true', 'limit=1', 'x=1&x=2', '__proto__=x', 'constructor', '=', 'toString=1']

describeOnBoth('an unknown query key', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody

  beforeEach(async () => {
    parent = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
  })

  const requests = (id: string, childId: string): [string, string, unknown][] => [
    ['GET', `/api/parent/${id}`, undefined],
    ['POST', '/api/parent', { name: 'b' }],
    ['POST', `/api/parent/${chosenId('parent')}`, { name: 'b' }],
    ['PUT', `/api/parent/${id}`, { name: 'b' }],
    ['PUT', '/api/parent', { id, name: 'b' }],
    ['PATCH', `/api/parent/${id}`, { name: 'b' }],
    ['DELETE', `/api/parent/${id}`, undefined],
    ['GET', `/api/parent/${id}/child/${childId}`, undefined],
    ['POST', `/api/parent/${id}/child`, { name: 'b' }],
    ['PUT', `/api/parent/${id}/child/${childId}`, { name: 'b' }],
    ['PUT', `/api/parent/${id}/child`, { id: childId, name: 'b' }],
    ['PATCH', `/api/parent/${id}/child/${childId}`, { name: 'b' }],
    ['DELETE', `/api/parent/${id}/child/${childId}`, undefined],
  ]

  for (const query of queries) {
    test(`is 400 on every route and method, and nothing is done: ?${query}`, async () => {
      for (const [method, path, body] of requests(parent.id, parent.children[0].id)) {
        const name = query.split('=', 1)
        await service.refuse(method, `${path}?${query}`, body, {
          code: 'CRUD_ERR_INVALID',
          pointers: [],
          parameters: name,
        })
      }
    })

    test(`is 400 on HEAD: ?${query}`, async () => {
      expect((await service.request('HEAD', `/api/parent/${parent.id}?${query}`)).status).toBe(400)
    })
  }

  test('is named', async () => {
    const problem = await service.refuse('DELETE', `/api/parent/${parent.id}?name=nobody`, undefined, {
      code: 'CRUD_ERR_INVALID',
    })
    expect(problem.detail).toBe("there is no query parameter 'name'")
    expect(problem.errors).toEqual([
      {
        parameter: 'name',
        message: "there is no query parameter 'name'",
        keyword: 'additionalProperties',
        params: { additionalProperty: 'name' },
      },
    ])
  })

  test('is named in short words, however long it is', async () => {
    const path = `/api/parent/${parent.id}?${'k'.repeat(8000)}=1`
    const problem = await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_INVALID' })
    expect(JSON.stringify(problem).length).toBeLessThan(800)
  })

  test('is reported together with the others, and with all that is wrong with the body', async () => {
    const pointers = ['/name', '/x']
    const parameters = ['y', 'z']
    const { id } = parent
    for (const [method, path] of [
      ['POST', '/api/parent'],
      ['PUT', `/api/parent/${id}`],
      ['PATCH', `/api/parent/${id}`],
    ]) {
      const body = { x: 1, name: 5 }
      const problem = await service.refuse(method as string, `${path}?y=1&z=2`, body, {
        code: 'CRUD_ERR_INVALID',
        pointers,
        parameters,
      })
      expect(problem.errors).toHaveLength(4)
      expect(problem.detail).toBe("there is no query parameter 'y' (and 3 more)")
    }
    const without = await service.refuse('PUT', '/api/parent?y=1', { name: 'b' }, { code: 'CRUD_ERR_INVALID' })
    expect(without.errors).toMatchObject([{ parameter: 'y' }, { pointer: '/id' }])
    const other = await service.refuse(
      'PUT',
      `/api/parent/${id}?y=1`,
      { id: missingId('parent'), name: 'b' },
      {
        code: 'CRUD_ERR_INVALID',
      },
    )
    expect(other.errors).toMatchObject([{ parameter: 'y' }, { pointer: '/id' }])
  })

  test('is 400 where the path names nothing', async () => {
    await service.refuse('DELETE', `/api/parent/${missingId('parent')}?x=1`, undefined, { code: 'CRUD_ERR_INVALID' })
    await service.refuse('GET', `/api/parent/${missingId('parent')}/child?x=1`, undefined, { code: 'CRUD_ERR_INVALID' })
    await service.refuse(
      'PATCH',
      `/api/parent/${missingId('parent')}/child/${missingId('child')}?x=1`,
      {},
      { code: 'CRUD_ERR_INVALID' },
    )
  })

  test('is none where the query is empty', async () => {
    for (const query of ['?', '?&', '?&&']) {
      expect((await service.get(`/api/parent/${parent.id}${query}`)).status).toBe(200)
    }
  })
})

describeOnBoth('an unknown query key of a request that `authorize` does not allow', (database) => {
  const service = useApp(database, ownsMany, { plugin: { authorize: () => false } })

  test('is 403', async () => {
    await service.refuse('GET', `/api/parent/${missingId('parent')}?x=1`, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    await service.refuse('POST', '/api/parent?x=1', { y: 1 }, { code: 'CRUD_ERR_FORBIDDEN' })
  })
})

describeOnBoth('an unknown query key of a replaced endpoint', (database) => {
  let runs = 0
  const service = useApp(database, ownsMany, {
    plugin: {
      handlers: {
        parent: {
          findOne: {
            access: { action: 'View', id: 'id' },
            handler: (request, reply) => void reply.send({ query: request.query }),
          },
          patch: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, _reply, next) {
              runs += 1
              await next()
            },
          },
          delete: {
            access: { action: 'Delete', id: 'id' },
            async handler(request, reply, next) {
              const { dryRun, ...others } = request.query as Readonly<Record<string, string>>
              request.query = others
              if (dryRun === 'true') reply.code(202).send({})
              else await next()
            },
          },
        },
      },
    },
  })

  test('is for the handler to read', async () => {
    expect(await service.read(`/api/parent/${missingId('parent')}?full=yes`)).toEqual({ query: { full: 'yes' } })
  })

  test('is refused by `next()`, which does nothing', async () => {
    const { id } = await service.add('/api/parent', { name: 'a' })
    await service.refuse(
      'PATCH',
      `/api/parent/${id}?x=1`,
      { name: 5 },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/name'],
        parameters: ['x'],
      },
    )
    expect(runs).toBe(1)
  })

  test('is known if the handler has taken it out of the query', async () => {
    const { id } = await service.add('/api/parent', { name: 'a' })
    expect((await service.delete(`/api/parent/${id}?dryRun=true`)).status).toBe(202)
    await service.refuse('DELETE', `/api/parent/${id}?dryrun=true`, undefined, { code: 'CRUD_ERR_INVALID' })
    expect((await service.delete(`/api/parent/${id}?dryRun=false`)).status).toBe(204)
  })
})
