import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { lists } from './support/lists.ts'

const effects = { prefer: 'return=effects' }
const preview = { prefer: 'return=effects, tx=rollback' }

describeOnBoth('`Prefer: return=effects`', (database) => {
  const service = useApp(database, lists)
  let tag: JsonBody
  let list: JsonBody
  let path: string
  let milk: JsonBody
  let eggs: JsonBody

  const write = async (method: string, url: string, body?: unknown, headers: Record<string, string> = effects) => {
    const answer = await service.request(method, url, body, headers)
    expect(answer.headers['preference-applied']).toContain('return=effects')
    return answer
  }
  const changesOf = async (...given: Parameters<typeof write>): Promise<readonly JsonBody[]> =>
    (await write(...given)).body.changes

  beforeEach(async () => {
    tag = await service.add('/api/tag', { name: 'weekly' })
    list = await service.add('/api/list', {
      title: 'a',
      items: [{ text: 'milk', steps: [{ what: 'go' }] }, { text: 'eggs' }],
      tags: [{ id: tag.id }],
    })
    path = `/api/list/${list.id}`
    ;[milk, eggs] = list.items
    await service.add('/api/note', { text: 'n', aboutId: eggs.id })
  })

  test('is answered with what a PUT does, one change for each row and link', async () => {
    const items = [{ ...milk, done: true, steps: milk.steps }, { text: 'salt' }]
    const { status, headers, body } = await write('PUT', path, { ...list, items, tags: [], cover: { color: 'red' } })
    expect(status).toBe(200)
    expect(headers).toMatchObject({ vary: 'Prefer', 'preference-applied': 'return=effects' })
    expect(headers).not.toHaveProperty('etag')
    const now = await service.read(path)
    const salt = now.items[1].id
    const within = ['list', list.id]
    expect(body).toEqual({
      effects: 1,
      write: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      at: expect.stringMatching(/Z$/),
      operation: 'replace',
      resource: 'list',
      id: list.id,
      changes: [
        {
          action: 'Edit',
          resource: 'item',
          id: milk.id,
          within,
          pointer: '/items/0',
          before: { done: false },
          after: { done: true },
        },
        {
          action: 'Delete',
          resource: 'item',
          id: eggs.id,
          within,
          because: 'leftOut',
          before: { text: 'eggs', done: false },
        },
        {
          action: 'Add',
          resource: 'item',
          id: salt,
          within,
          pointer: '/items/1',
          after: { text: 'salt', done: false },
        },
        { action: 'Add', resource: 'cover', id: now.cover.id, within, pointer: '/cover', after: { color: 'red' } },
        { action: 'Unlink', resource: 'list', id: list.id, relation: 'tags', to: tag.id, because: 'leftOut' },
        {
          action: 'Edit',
          resource: 'note',
          id: expect.anything(),
          because: 'referenceDeleted',
          cause: ['item', eggs.id],
          before: { aboutId: eggs.id },
          after: { aboutId: null },
        },
      ],
    })
  })

  test('has a POST answer 201 with `Location`, and the ids that were given', async () => {
    const body = { title: 'b', items: [{ text: 'x', steps: [{ what: 'y' }] }], tags: [{ id: tag.id }] }
    const created = await write('POST', '/api/list', body)
    expect(created.status).toBe(201)
    const made = await service.read(String(created.headers.location))
    expect(created.body).toMatchObject({ operation: 'create', id: made.id })
    expect(created.body.changes).toMatchObject([
      { action: 'Add', resource: 'list', id: made.id, pointer: '', after: { title: 'b' } },
      { action: 'Add', resource: 'item', id: made.items[0].id, within: ['list', made.id], pointer: '/items/0' },
      { action: 'Add', resource: 'step', id: made.items[0].steps[0].id, within: ['item', made.items[0].id] },
      { action: 'Link', resource: 'list', id: made.id, relation: 'tags', to: tag.id, pointer: '/tags/0' },
    ])
  })

  test('names new records of a preview by numbers, as their ids are not known', async () => {
    const created = await write(
      'POST',
      '/api/list',
      { title: 'b', items: [{ text: 'x', steps: [{ what: 'y' }] }] },
      preview,
    )
    expect(created.status).toBe(201)
    expect(created.headers).not.toHaveProperty('location')
    expect(created.body).toMatchObject({ id: null })
    expect(created.body.changes).toMatchObject([
      { action: 'Add', resource: 'list', id: null, new: 1 },
      { action: 'Add', resource: 'item', id: null, new: 2, within: ['list', { new: 1 }] },
      { action: 'Add', resource: 'step', id: null, new: 3, within: ['item', { new: 2 }] },
    ])
    expect((await service.read('/api/list')).count).toBe(1)
  })

  test('has a DELETE answer 200, with all that goes and why', async () => {
    const gone = await write('DELETE', path)
    expect(gone.status).toBe(200)
    expect(gone.body.changes.map(({ before: _, cause: __, ...change }: JsonBody) => change)).toMatchObject([
      { action: 'Delete', resource: 'list', id: list.id },
      { action: 'Delete', resource: 'item', id: milk.id, because: 'ownerDeleted' },
      { action: 'Delete', resource: 'item', id: eggs.id, because: 'ownerDeleted' },
      { action: 'Delete', resource: 'step', because: 'ownerDeleted', within: ['item', milk.id] },
      { action: 'Edit', resource: 'note', because: 'referenceDeleted' },
      { action: 'Unlink', resource: 'list', id: list.id, to: tag.id, because: 'linkedRecordDeleted' },
    ])
    expect(gone.body.changes[0].before).toEqual({ title: 'a' })
  })

  test('says which links go with the record at their other end', async () => {
    expect(await changesOf('DELETE', `/api/tag/${tag.id}`)).toEqual([
      { action: 'Delete', resource: 'tag', id: tag.id, before: { name: 'weekly' } },
      {
        action: 'Unlink',
        resource: 'list',
        id: list.id,
        relation: 'tags',
        to: tag.id,
        because: 'linkedRecordDeleted',
        cause: ['tag', tag.id],
      },
    ])
  })

  test('has a PATCH tell only what differs, and never a write-only value', async () => {
    expect(await changesOf('PATCH', path, { items: [{ id: milk.id, text: 'oat milk', pin: '12' }] })).toEqual([
      {
        action: 'Edit',
        resource: 'item',
        id: milk.id,
        within: ['list', list.id],
        pointer: '/items/0',
        before: { text: 'milk' },
        after: { text: 'oat milk' },
      },
    ])
    expect(await changesOf('PATCH', `${path}/item/${milk.id}`, { pin: '13' })).toEqual([])
    expect(await changesOf('PATCH', path, { title: 'a' })).toEqual([])
    expect(await changesOf('PATCH', path, { items: [{ id: milk.id, $remove: true }] })).toMatchObject([
      { action: 'Delete', resource: 'item', id: milk.id, pointer: '/items/0' },
      { action: 'Delete', resource: 'step', because: 'ownerDeleted' },
    ])
  })

  test('is followed by the addresses of links', async () => {
    const other = await service.add('/api/tag', { name: 'other' })
    const link = { resource: 'list', id: list.id, relation: 'tags', to: other.id }
    const added = await write('PUT', `${path}/tags/${other.id}`)
    expect(added).toMatchObject({ status: 200, body: { operation: 'patch' } })
    expect(added.body.changes).toEqual([{ action: 'Link', ...link }])
    expect(await changesOf('PUT', `${path}/tags/${other.id}`)).toEqual([])
    expect(await changesOf('DELETE', `${path}/tags/${other.id}`)).toEqual([{ action: 'Unlink', ...link }])
  })

  test('is followed by writes of many records, in one document', async () => {
    const url = `${path}/item`
    const added = await write('POST', url, [{ text: 'x' }, { text: 'y', steps: [{ what: 'z' }] }])
    expect(added).toMatchObject({ status: 201, body: { operation: 'create', resource: 'item' } })
    expect(added.body).not.toHaveProperty('id')
    expect(added.body.changes.map(({ resource, pointer }: JsonBody) => [resource, pointer])).toEqual([
      ['item', '/0'],
      ['item', '/1'],
      ['step', '/1/steps/0'],
    ])
    const [x, y] = added.body.changes
    expect(
      await changesOf('PATCH', url, [
        { id: x.id, done: true },
        { id: y.id, text: 'Y' },
      ]),
    ).toMatchObject([
      { action: 'Edit', id: x.id, pointer: '/0', after: { done: true } },
      { action: 'Edit', id: y.id, pointer: '/1', after: { text: 'Y' } },
    ])
    const limited = { prefer: 'return=effects, max-affected=9' }
    expect(await changesOf('PATCH', `${url}?filter[text]=milk`, { done: true }, limited)).toMatchObject([
      { action: 'Edit', id: milk.id, after: { done: true } },
    ])
    const deleted = await write('DELETE', `${url}?filter[text][in]=x&filter[text][in]=Y`, undefined, limited)
    expect(deleted.body.operation).toBe('delete')
    expect(deleted.body.changes).toMatchObject([
      { action: 'Delete', resource: 'item', id: x.id },
      { action: 'Delete', resource: 'item', id: y.id },
      { action: 'Delete', resource: 'step', because: 'ownerDeleted' },
    ])
  })

  test('calls deleted records that are kept `soft`, and records that come back', async () => {
    const memo = await service.add('/api/memo', { text: 'm' })
    const soft = { resource: 'memo', id: memo.id, soft: true }
    expect(await changesOf('DELETE', `/api/memo/${memo.id}`)).toEqual([
      { action: 'Delete', ...soft, before: { text: 'm' } },
    ])
    const back = await write('POST', `/api/memo/${memo.id}/$restore`)
    expect(back).toMatchObject({ status: 200, body: { operation: 'restore' } })
    expect(back.body.changes).toEqual([{ action: 'Add', ...soft, pointer: undefined, after: { text: 'm' } }])
    await service.delete(`/api/memo/${memo.id}`)
    const { body } = await write('DELETE', `/api/memo/$deleted/${memo.id}`)
    expect(body.changes).toEqual([{ action: 'Delete', resource: 'memo', id: memo.id, before: { text: 'm' } }])
  })

  test('does not change how a write is refused', async () => {
    for (const headers of [effects, preview]) {
      expect((await service.request('PATCH', path, { titel: 1 }, headers)).body.code).toBe('CRUD_ERR_INVALID')
      expect((await service.request('DELETE', '/api/list/$none', undefined, headers)).status).toBeGreaterThanOrEqual(
        400,
      )
    }
  })
})

describeOnBoth('`limits.maxChanges`', (database) => {
  const service = useApp(database, lists, { plugin: { limits: { maxChanges: 3 } } })

  test('refuses a write whose effects are more, and nothing is done', async () => {
    const items = [{ text: '1' }, { text: '2' }, { text: '3' }]
    const answer = await service.request('POST', '/api/list', { title: 'a', items }, effects)
    expect(answer).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_TOO_LARGE' } })
    expect((await service.read('/api/list')).count).toBe(0)
    expect((await service.post('/api/list', { title: 'a', items })).status).toBe(201)
  })
})

describeOnBoth('effects that are larger than `limits.maxAnswer`', (database) => {
  const service = useApp(database, lists, { plugin: { limits: { maxAnswer: 800 } } })

  test('are left out of the answer of a write that is done, and refuse a preview', async () => {
    const list = await service.add('/api/list', { title: 'a' })
    const items = Array.from({ length: 20 }, (_, index) => ({ text: `item ${index}` }))
    const refused = await service.request('POST', `/api/list/${list.id}/item`, items, preview)
    expect(refused).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_TOO_LARGE' } })
    const done = await service.request('POST', `/api/list/${list.id}/item`, items, effects)
    expect(done).toMatchObject({ status: 201, body: undefined })
    expect(done.headers['preference-applied']).toBe('return=minimal')
    expect(await service.db.selectFrom('item').selectAll().execute()).toHaveLength(20)
  })
})
