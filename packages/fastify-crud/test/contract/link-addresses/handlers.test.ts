import { Type } from '@sinclair/typebox'
import { defineResources, knows } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { withAssignedIds } from '../../../../../test/support/test-ids.ts'

const name = Type.String()

const model = withAssignedIds(
  defineResources({
    tag: { fields: { name } },
    secret: { fields: { name } },
    patched: { fields: { name }, relations: { tags: knows.many('tag') } },
    found: { fields: { name }, relations: { tags: knows.many('tag'), secrets: knows.many('secret') } },
    replaced: { fields: { name }, relations: { tags: knows.many('tag'), secrets: knows.many('secret') } },
    passed: { fields: { name }, relations: { tags: knows.many('tag') } },
  }),
)

const edit = { access: { action: 'Edit', id: 'id' }, handler: () => {} } as const
const view = { access: { action: 'View', id: 'id' }, handler: () => {} } as const
const handled: string[] = []
const passing = (action: 'Edit' | 'View') => ({
  access: { action, id: 'id' },
  also: ['link'] as const,
  async handler({ method }: { readonly method: string }, _reply: unknown, next: () => Promise<unknown>) {
    handled.push(method)
    await next()
  },
})
const methodError = { code: 'CRUD_ERR_METHOD' } as const

describeOnBoth('where endpoints are replaced, the addresses of links', (database) => {
  const service = useApp(database, model, {
    plugin: {
      handlers: {
        patched: { patch: edit },
        found: { findOne: view },
        replaced: { replace: edit, delete: { ...edit, access: { action: 'Delete', id: 'id' } } },
        passed: { patch: passing('Edit'), findOne: passing('View') },
        secret: { list: { access: { action: 'View' }, handler: () => {} } },
      },
    },
  })
  let tag: JsonBody

  beforeEach(async () => {
    tag = await service.add('/api/tag', { name: 't' })
  })

  async function expectMethods(path: string, allow: string, ...refused: string[]) {
    for (const method of refused) {
      const answer = await service.request(method, path)
      expectProblem(answer, methodError)
      expect(answer.headers.allow).toBe(allow)
    }
  }

  test('cannot be written where `patch` is', async () => {
    const { id } = await service.add('/api/patched', { name: 'p', tags: [{ id: tag.id }] })
    await expectMethods(`/api/patched/${id}/tags/${tag.id}`, '', 'PUT', 'DELETE', 'GET')
    expect(await service.read(`/api/patched/${id}/tags`)).toEqual({ rows: [tag], count: 1 })
  })

  test('cannot be read where `findOne` is, or the list of what they lead to', async () => {
    const { id } = await service.add('/api/found', { name: 'f' })
    await expectMethods(`/api/found/${id}/tags`, '', 'GET')
    expect((await service.put(`/api/found/${id}/tags/${tag.id}`, undefined)).status).toBe(204)
    const other = await service.add('/api/replaced', { name: 'r' })
    await expectMethods(`/api/replaced/${other.id}/secrets`, '', 'GET')
  })

  test('reach the handlers that name them', async () => {
    handled.length = 0
    const { id } = await service.add('/api/passed', { name: 'p' })
    expect((await service.put(`/api/passed/${id}/tags/${tag.id}`, undefined)).status).toBe(204)
    expect(await service.read(`/api/passed/${id}/tags`)).toEqual({ rows: [tag], count: 1 })
    expect((await service.delete(`/api/passed/${id}/tags/${tag.id}`)).status).toBe(204)
    expect(await service.read(`/api/passed/${id}/tags`)).toEqual({ rows: [], count: 0 })
    expect(handled).toEqual(['PUT', 'GET', 'DELETE', 'GET'])
  })

  test('are there where others are', async () => {
    const { id } = await service.add('/api/replaced', { name: 'r' })
    expect((await service.put(`/api/replaced/${id}/tags/${tag.id}`, undefined)).status).toBe(204)
    expect((await service.read(`/api/replaced/${id}/tags`)).count).toBe(1)
    expect((await service.delete(`/api/replaced/${id}/tags/${tag.id}`)).status).toBe(204)
  })
})
