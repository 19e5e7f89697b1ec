import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { doneStatus } from '../../../../test/support/done-status.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { chosenId } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'
import { personAddress } from './models/person-address.ts'

interface Asked {
  readonly action: string
  readonly resource: string
  readonly operation: string
  readonly id: unknown
}

describeOnBoth('`authorize`', (database) => {
  let asked: Asked[] = []
  const service = useApp(database, ownsMany, {
    plugin: {
      authorize(request, { action, resource, operation, id }) {
        expect(request.url).toMatch(/^\/api\//)
        asked.push({ action, resource, operation, id: id ?? undefined })
        return true
      },
    },
  })
  let parent: JsonBody

  beforeEach(async () => {
    parent = await service.add('/api/parent', { name: 'a', children: [{ name: 'c' }] })
    asked = []
  })

  async function expectAsked(method: string, path: string, body: unknown, expected: Omit<Asked, 'resource'>) {
    asked = []
    const { status } = await service.request(method, path, body)
    expect(status).toBe(doneStatus[method])
    const [own, ...others] = asked
    expect(own).toEqual({ resource: 'parent', ...expected })
    // About what the answer shows.
    for (const { action, id } of others) expect([action, id]).toEqual(['View', undefined])
  }

  test('is asked what each route is', async () => {
    const { id } = parent
    const one = `/api/parent/${id}`
    const body = { name: 'b', children: parent.children }
    await expectAsked('GET', '/api/parent', undefined, { action: 'View', operation: 'list', id: undefined })
    await expectAsked('HEAD', '/api/parent', undefined, { action: 'View', operation: 'list', id: undefined })
    await expectAsked('GET', one, undefined, { action: 'View', operation: 'findOne', id })
    await expectAsked('HEAD', one, undefined, { action: 'View', operation: 'findOne', id })
    await expectAsked('POST', '/api/parent', { name: 'b' }, { action: 'Add', operation: 'create', id: undefined })
    await expectAsked('PUT', one, body, { action: 'Edit', operation: 'replace', id })
    await expectAsked('PUT', '/api/parent', { id, ...body }, { action: 'Edit', operation: 'replace', id })
    await expectAsked('PATCH', one, {}, { action: 'Edit', operation: 'patch', id })
    await service.delete(`${one}/child/${parent.children[0].id}`)
    asked = []
    await service.delete(one)
    expect(asked).toMatchObject([
      { action: 'Delete', resource: 'parent', operation: 'delete', id },
      { resource: 'child' },
    ])
  })

  test('POST under an id is `create`, `Add`', async () => {
    expect((await service.post(`/api/parent/${chosenId('parent')}`, { name: 'b' })).status).toBe(201)
    expect(asked[0]).toMatchObject({ action: 'Add', resource: 'parent', operation: 'create' })
  })

  test('below an owner: the owned resource, and the id of its record', async () => {
    const path = `/api/parent/${parent.id}/child`
    const { id } = parent.children[0]
    await service.get(path)
    await service.get(`${path}/${id}`)
    await service.post(path, { name: 'd' })
    await service.put(`${path}/${id}`, { name: 'd' })
    await service.patch(`${path}/${id}`, {})
    await service.delete(`${path}/${id}`)
    const own = asked.filter(({ action, operation }) => action !== 'View' || ['list', 'findOne'].includes(operation))
    expect(own).toMatchObject([
      { action: 'View', resource: 'child', operation: 'list', id: undefined },
      { action: 'View', resource: 'child', operation: 'findOne', id },
      { action: 'Add', resource: 'child', operation: 'create', id: undefined },
      { action: 'Edit', resource: 'child', operation: 'replace', id },
      { action: 'Edit', resource: 'child', operation: 'patch', id },
      { action: 'Delete', resource: 'child', operation: 'delete', id },
    ])
  })
})

describeOnBoth('`authorize` of a resource that is owned twice', (database) => {
  const asked: unknown[] = []
  const service = useApp(database, personAddress, {
    plugin: {
      authorize(_, { resource }) {
        asked.push(resource)
        return true
      },
    },
  })

  test("is asked for the resource, not the path's segment", async () => {
    const { id } = await service.add('/api/person', { name: 'p', homes: [{ street: 'h' }] })
    await service.get(`/api/person/${id}/homes`)
    expect(asked.at(-1)).toEqual('address')
  })
})
