import { Type } from '@sinclair/typebox'
import { defineResources, numbers, ownedBy, owns, set, timestamps } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { lists } from './support/lists.ts'

const preview = { prefer: 'return=effects, tx=rollback' }

/** Previews a write. Returns its tag and its effects. */
async function previewOf(service: TestApp, method: string, url: string, body?: unknown, more: object = {}) {
  const answer = await service.request(method, url, body, { ...preview, ...more })
  expect(answer.status).toBeLessThan(300)
  const tag = String(answer.headers['effects-tag'])
  expect(tag).toMatch(/^"[\w-]{24}"$/)
  return { tag, effects: answer.body as JsonBody }
}

describeOnBoth('`Effects-Match`', (database) => {
  const service = useApp(database, lists)
  let list: JsonBody
  let path: string

  beforeEach(async () => {
    list = await service.add('/api/list', { title: 'a', items: [{ text: 'milk' }, { text: 'eggs' }] })
    path = `/api/list/${list.id}`
  })

  test('has a write done that still does what its preview has said, with its usual answer', async () => {
    const body = { ...list, items: [list.items[0], { text: 'salt' }] }
    const { tag } = await previewOf(service, 'PUT', path, body)
    const answer = await service.request('PUT', path, body, { 'effects-match': tag })
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('effects-tag')
    expect(answer.body.items.map(({ text }: JsonBody) => text)).toEqual(['milk', 'salt'])
  })

  test('refuses a write that does something else by now, with its effects and their tag, and nothing is done', async () => {
    const { tag, effects } = await previewOf(service, 'DELETE', path)
    expect(effects.changes).toHaveLength(3)
    await service.add(`${path}/item`, { text: 'late' })
    const before = await service.snapshot()
    const refused = await service.request('DELETE', path, undefined, { 'effects-match': tag })
    expect(refused).toMatchObject({ status: 412, body: { code: 'CRUD_ERR_PRECONDITION', errors: [] } })
    expect(refused.body.effects.changes).toHaveLength(4)
    expect(await service.snapshot()).toEqual(before)
    const again = await service.request('DELETE', path, undefined, {
      'effects-match': String(refused.headers['effects-tag']),
    })
    expect(again.status).toBe(204)
  })

  test('does not mind the ids and the times that are given, nor another PATCH that changes nothing of it', async () => {
    const { tag } = await previewOf(service, 'POST', '/api/list', { title: 'b', items: [{ text: 'x' }] })
    await service.add('/api/list', { title: 'c', items: [{ text: 'y' }] })
    await service.patch(path, { title: 'new' })
    const headers = { 'effects-match': tag, prefer: 'return=effects' }
    const created = await service.request('POST', '/api/list', { title: 'b', items: [{ text: 'x' }] }, headers)
    expect(created).toMatchObject({ status: 201, body: { operation: 'create' } })
    expect(created.headers).toHaveProperty('location')
  })

  test('is not met by a write that finds nothing to change any more', async () => {
    const { tag } = await previewOf(service, 'PATCH', path, { title: 'b' })
    expect((await service.request('PATCH', path, { title: 'b' }, { 'effects-match': tag })).status).toBe(200)
    const second = await service.request('PATCH', path, { title: 'b' }, { 'effects-match': tag })
    expect(second).toMatchObject({ status: 412, body: { effects: { changes: [] } } })
  })

  test('is for links, for many records, and for another preview', async () => {
    const tag = await service.add('/api/tag', { name: 't' })
    const url = `${path}/tags/${tag.id}`
    const link = await previewOf(service, 'PUT', url)
    expect((await service.request('PUT', url, undefined, { 'effects-match': link.tag })).status).toBe(204)
    const limited = { prefer: 'return=effects, tx=rollback, max-affected=9' }
    const filter = `${path}/item?filter[done]=false`
    const many = await previewOf(service, 'PATCH', filter, { done: true }, limited)
    await service.add(`${path}/item`, { text: 'third' })
    const changed = { 'effects-match': many.tag, prefer: 'max-affected=9' }
    expect((await service.request('PATCH', filter, { done: true }, changed)).status).toBe(412)
    const again = await service.request('PATCH', filter, { done: true }, { ...limited, 'effects-match': many.tag })
    expect(again.status).toBe(412)
  })

  test('is looked at behind all that refuses a write, and has to be a tag', async () => {
    const { tag } = await previewOf(service, 'DELETE', path)
    await service.delete(path)
    expect((await service.request('DELETE', path, undefined, { 'effects-match': tag })).status).toBe(404)
    const wrong = await service.request('POST', '/api/list', { title: 'b' }, { 'effects-match': 'abc' })
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ parameter: 'Effects-Match' }] } })
  })
})

const stamped = defineResources({
  invoice: {
    fields: {
      title: Type.String(),
      number: Type.Integer(),
      by: Type.String(),
      createdAt: Type.String({ format: 'date-time' }),
      updatedAt: Type.String({ format: 'date-time' }),
    },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice') } },
})

describeOnBoth('the tag of a preview', (database) => {
  let by = 'ada'
  const invoice = [timestamps(), numbers('number'), set({ by: () => by })]
  const service = useApp(database, stamped, { plugin: { rules: { invoice } as never } })

  test('has no values that rules make: stamps, numbers, `set`', async () => {
    const body = { title: 'a', lines: [{ text: 'x' }] }
    const created = await previewOf(service, 'POST', '/api/invoice', body)
    await service.add('/api/invoice', { title: 'other' })
    by = 'bo'
    const done = await service.request('POST', '/api/invoice', body, { 'effects-match': created.tag })
    expect(done).toMatchObject({ status: 201, body: { by: 'bo', number: 2 } })
    const url = `/api/invoice/${done.body.id}`
    const patched = await previewOf(service, 'PATCH', url, { title: 'b' })
    expect(patched.effects.changes[0].after).toHaveProperty('updatedAt')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await service.request('PATCH', url, { title: 'b' }, { 'effects-match': patched.tag })).status).toBe(200)
  })
})

const secret = defineResources({
  book: { fields: { title: Type.String(), owner: Type.String() }, relations: { pages: owns.many('page') } },
  page: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
})

describeOnBoth('the tag of a preview, to a caller whom policies keep from seeing some rows', (database) => {
  const mine = { View: ({ eb }: JsonBody) => eb('text', '!=', 'zebra'), Add: true, Edit: true, Delete: true }
  const book = { View: true, Add: true, Edit: true, Delete: true }
  const policies = { book, page: mine } as never
  const service = useApp(database, secret, { plugin: { policies, caller: () => ({ roles: [] }) } })

  test('tells nothing of what is hidden', async () => {
    const made = await service.add('/api/book', { title: 'b', owner: 'ada', pages: [{ text: 'one' }] })
    const url = `/api/book/${made.id}`
    const { tag } = await previewOf(service, 'DELETE', url)
    await service.db
      .insertInto('page')
      .values({ text: 'zebra', bookId: made.id } as never)
      .execute()
    expect((await previewOf(service, 'DELETE', url)).tag).toBe(tag)
    expect((await service.request('DELETE', url, undefined, { 'effects-match': tag })).status).toBe(204)
  })
})

const postgres = setups.filter(({ name }) => name === 'postgres')

describe.each(postgres)('`Effects-Match` while others write ($title)', (database) => {
  const service = useApp(database, lists)

  test('is compared under the lock', async () => {
    const list = await service.add('/api/list', { title: 'a', items: [{ text: 'milk' }] })
    const path = `/api/list/${list.id}`
    const { tag } = await previewOf(service, 'DELETE', path)
    const other = await otherWriter(service.database)
    await other.run(`update list set title = 'b' where id = ${list.id}`)
    const waiting = service.request('DELETE', path, undefined, { 'effects-match': tag })
    await other.untilAwaited()
    await other.end('commit')
    expect(await waiting).toMatchObject({
      status: 412,
      body: { effects: { changes: [{ before: { title: 'b' } }, {}] } },
    })
  })

  test('lets one of two equal writes through', async () => {
    const list = await service.add('/api/list', { title: 'a' })
    const path = `/api/list/${list.id}`
    const { tag } = await previewOf(service, 'PATCH', path, { title: 'b' })
    const send = () => service.request('PATCH', path, { title: 'b' }, { 'effects-match': tag })
    const statuses = (await Promise.all([send(), send(), send()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 412, 412])
  })
})
