import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const text = Type.String()

const resources = defineResources({
  list: { id: 'text', fields: { title: text, owner: text }, relations: { items: owns.many('item') } },
  item: { id: 'text', topLevel: true, fields: { text }, relations: { list: ownedBy('list') } },
  note: { id: 'text', fields: { text, owner: text }, relations: { about: knows.one('list') } },
})

const own = { View: ({ eb, my }: JsonBody) => eb('owner', '=', my('name')), Add: true, Edit: true, Delete: true }

describeOnBoth('a batch of a caller whom policies keep from seeing some rows', (database) => {
  const service = useApp(database, resources, {
    plugin: {
      batch: true,
      policies: { list: own, note: own } as never,
      caller: ({ headers }) => ({ name: String(headers['x-name'] ?? 'ada') }),
    },
  })
  const send = (requests: readonly JsonBody[], headers: Record<string, string> = {}) =>
    service.request('POST', '/api/$batch', { requests }, headers)

  test('is told the same of a hidden record as of one that is not there', async () => {
    const list = { id: 'hidden', title: 'x', owner: 'zoe', items: [{ id: 'inner', text: 'x' }] }
    expect((await send([{ method: 'POST', path: '/list', body: list }], { 'x-name': 'zoe' })).status).toBe(200)
    await service.add('/api/list', { id: 'mine', title: 'y', owner: 'ada' })
    const requestsAbout = (id: string): readonly (readonly JsonBody[])[] => [
      [{ method: 'GET', path: `/list/${id}` }],
      [{ method: 'PATCH', path: `/list/${id}`, body: { title: 'z' } }],
      [{ method: 'PUT', path: `/list/${id}`, body: { title: 'z', owner: 'ada' } }],
      [{ method: 'DELETE', path: `/list/${id}` }],
      [{ method: 'POST', path: `/list/${id}/item`, body: { id: 'new', text: 'z' } }],
      [{ method: 'PATCH', path: '/list', body: [{ id, title: 'z' }] }],
      [{ method: 'POST', path: '/note', body: { id: 'n', text: 'z', owner: 'ada', aboutId: id } }],
      [{ method: 'POST', path: '/item', body: { id: 'new', text: 'z', listId: id } }],
    ]
    for (const [index, hidden] of requestsAbout('hidden').entries()) {
      const first = { method: 'POST', path: '/note', body: { id: 'first', text: 'x', owner: 'ada' }, as: 'first' }
      for (const headers of [{}, { prefer: 'return=effects, tx=rollback' }, { prefer: 'tx=rollback' }]) {
        const found = await send([first, ...hidden], headers as Record<string, string>)
        const missing = await send(
          [first, ...(requestsAbout('nobody')[index] ?? [])],
          headers as Record<string, string>,
        )
        const said = (body: unknown) => JSON.stringify(body).replaceAll('hidden', 'nobody')
        expect([found.status, said(found.body)]).toEqual([missing.status, said(missing.body)])
        expect(found.status).toBeGreaterThanOrEqual(400)
        expect(found.body.request).toBe(1)
      }
    }
    expect((await service.read('/api/note')).count).toBe(0)
  })

  test('shows effects of what it sees only', async () => {
    const note = { id: 'theirs', text: 'x', owner: 'zoe' }
    const { status, body } = await send(
      [
        { method: 'POST', path: '/note', body: note },
        { method: 'POST', path: '/note', body: { ...note, id: 'mine', owner: 'ada' } },
      ],
      { prefer: 'return=effects' },
    )
    expect(status).toBe(200)
    expect(body.changes.map(({ id }: JsonBody) => id)).toEqual(['mine'])
  })
})
