import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { doneStatus } from '../../../../test/support/done-status.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { category } from './models/category.ts'
import { needsOne } from './models/needs-one.ts'
import { ownsMany } from './models/owns-many.ts'
import { threeLevels } from './models/three-levels.ts'

const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const

describeOnBoth('`If-Match`', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody
  let path: string
  let tag: string
  const send = (method: string, url: string, condition: string, body?: unknown) =>
    service.request(method, url, body, { 'if-match': condition })
  const writes = (): readonly (readonly [string, string, unknown])[] => [
    ['PUT', path, { ...parent, name: 'b' }],
    ['PUT', '/api/parent', { ...parent, note: 'b' }],
    ['PATCH', path, { name: 'c' }],
    ['PATCH', path, { children: [{ name: '3' }] }],
    ['DELETE', path, undefined],
  ]

  beforeEach(async () => {
    const created = await service.post('/api/parent', { name: 'a', children: [{ name: '1' }, { name: '2' }] })
    parent = created.body
    path = `/api/parent/${parent.id}`
    tag = String(created.headers.etag)
  })

  test('with the ETag of the record lets PUT, PATCH and DELETE write', async () => {
    let current = tag
    for (const [method, url, body] of writes()) {
      const answer = await send(method, url, `"other", ${current}`, body)
      expect([method, answer.status]).toEqual([method, doneStatus[method]])
      current = String(answer.headers.etag)
    }
    expect((await service.get(path)).status).toBe(404)
  })

  test('with the ETag of an earlier state is 412, and nothing is done', async () => {
    await service.patch(`${path}/child/${parent.children[0].id}`, { name: 'x' })
    const before = await service.snapshot()
    for (const [method, url, body] of writes()) expectProblem(await send(method, url, tag, body), failed)
    expect(await service.snapshot()).toEqual(before)
  })

  test('`*` matches every record that is there', async () => {
    for (const [method, url, body] of writes()) {
      expect((await send(method, url, '*', body)).status).toBe(doneStatus[method])
    }
    expectProblem(await send('PUT', path, '*', parent), { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('with a weak tag never matches', async () => {
    for (const [method, url, body] of writes()) expectProblem(await send(method, url, `W/${tag}`, body), failed)
    expectProblem(await send('GET', path, `W/${tag}`), failed)
  })

  test('is checked of a request that changes nothing, too, which takes no lock', async () => {
    const writer = await otherWriter(service.database)
    try {
      expect((await send('PUT', path, tag, parent)).status).toBe(200)
      expect((await send('PATCH', path, tag, {})).status).toBe(200)
      expectProblem(await send('PUT', path, '"other"', parent), failed)
      expectProblem(await send('PATCH', path, '"other"', {}), failed)
    } finally {
      await writer.end('rollback')
    }
  })

  test('of a GET or HEAD is 412 if the record is another one', async () => {
    expect((await send('GET', path, tag)).status).toBe(200)
    expectProblem(await send('GET', path, '"other"'), failed)
    expect((await send('HEAD', path, '"other"')).status).toBe(412)
    expect((await send('GET', '/api/parent', '*')).status).toBe(200)
    expectProblem(await send('GET', '/api/parent', tag), failed)
  })

  test('goes before `If-None-Match`', async () => {
    const both = (ifMatch: string) =>
      service.request('GET', path, undefined, { 'if-match': ifMatch, 'if-none-match': tag })
    expect((await both(tag)).status).toBe(304)
    expectProblem(await both('"other"'), failed)
  })

  test('of a POST is about the record that it creates, which is not there', async () => {
    expectProblem(await send('POST', '/api/parent', '*', { name: 'b' }), failed)
    expectProblem(await send('POST', '/api/parent', tag, { name: 'b' }), failed)
    expectProblem(await send('POST', `/api/parent/${chosenId('parent')}`, '*', { name: 'b' }), failed)
    expectProblem(await send('POST', `${path}/child`, '*', { name: 'b' }), failed)
    expectProblem(await send('POST', path, '"other"', { name: 'b' }), failed)
    expectProblem(await send('POST', path, tag, { name: 'b' }), { code: 'CRUD_ERR_EXISTS' })
    expect((await service.read('/api/parent')).count).toBe(1)
  })

  test('of a child is about the child, whatever else its owner shows', async () => {
    const child = `${path}/child/${parent.children[0].id}`
    const { headers } = await service.get(child)
    await service.patch(path, { name: 'b', children: [{ name: '3' }] })
    expect((await send('PATCH', child, String(headers.etag), { name: 'x' })).status).toBe(200)
    expectProblem(await send('DELETE', child, String(headers.etag)), failed)
  })

  test('comes behind the body and the path, and before what the record says of the body', async () => {
    expectProblem(await send('PATCH', path, '"other"', { nme: 'x' }), { code: 'CRUD_ERR_INVALID' })
    expectProblem(await send('PATCH', `/api/parent/${missingId('parent')}`, '"other"', {}), {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    expectProblem(await send('POST', `/api/parent/${missingId('parent')}/child`, '"other"', { name: 'x' }), {
      code: 'CRUD_ERR_NOT_FOUND',
    })
    expectProblem(await send('PATCH', path, '"other"', { children: [{ id: missingId('child'), name: 'x' }] }), failed)
  })

  test('of another form is 400, and nothing is done', async () => {
    const before = await service.snapshot()
    for (const condition of ['abc', '', '"a', '*,*']) {
      expectProblem(await send('DELETE', path, condition), { code: 'CRUD_ERR_INVALID', detail: /If-Match/ })
    }
    expect(await service.snapshot()).toEqual(before)
  })

  test('`If-Unmodified-Since` and `If-Modified-Since` say nothing, as records have no dates', async () => {
    const since = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT', 'if-modified-since': 'x' }
    expect((await service.request('GET', path, undefined, since)).status).toBe(200)
    expect((await service.request('PATCH', path, { name: 'b' }, since)).status).toBe(200)
  })
})

describeOnBoth('`If-Match` of a record that needs others', (database) => {
  const service = useApp(database, threeLevels)

  test('goes before references and what is still needed', async () => {
    const kind = await service.add('/api/kind', { name: 'k' })
    const a = await service.add('/api/a', { name: 'a', only: { name: 'o', leaves: [{ name: 'l', kindId: kind.id }] } })
    const send = (method: string, url: string, body?: unknown) =>
      service.request(method, url, body, { 'if-match': '"other"' })
    expectProblem(await send('DELETE', `/api/kind/${kind.id}`), failed)
    const leaf = `/api/a/${a.id}/only/${a.only.id}/leaf/${a.only.leaves[0].id}`
    expectProblem(await send('PATCH', leaf, { kindId: missingId('kind') }), failed)
  })
})

describeOnBoth('`If-Match` of a tree', (database) => {
  const service = useApp(database, category)

  test('is about the whole tree below the node', async () => {
    const created = await service.post('/api/category', { name: 'a', categories: [{ name: 'b' }] })
    const path = `/api/category/${created.body.id}`
    const condition = { 'if-match': String(created.headers.etag) }
    const patched = await service.request('PATCH', path, { categories: [{ name: 'c' }] }, condition)
    expect(patched.status).toBe(200)
    expectProblem(await service.request('DELETE', path, undefined, condition), failed)
    const now = { 'if-match': String(patched.headers.etag) }
    expect((await service.request('DELETE', path, undefined, now)).status).toBe(204)
  })
})

describeOnBoth('`If-Match` of a record that is too large for an answer', (database) => {
  const service = useApp(database, needsOne, { plugin: { limits: { maxAnswer: 300 } } })

  test('matches with `*` only', async () => {
    const parentId = chosenId('parent')
    await service.post(`/api/parent/${parentId}`, { name: 'a'.repeat(260) })
    const created = await service.post('/api/child', { name: 'c', parentId })
    expect([created.status, created.headers.etag]).toEqual([201, undefined])
    const path = String(created.headers.location)
    const send = (method: string, condition: string, body?: unknown) =>
      service.request(method, path, body, { 'if-match': condition })
    expectProblem(await send('PATCH', '"other"', { name: 'n' }), failed)
    expectProblem(await send('PUT', '"other"', { name: 'b', parentId }), failed)
    expectProblem(await send('DELETE', '"other"'), failed)
    expect((await send('PATCH', '*', { name: 'n' })).status).toBe(200)
    expect((await send('DELETE', '*')).status).toBe(204)
  })
})
