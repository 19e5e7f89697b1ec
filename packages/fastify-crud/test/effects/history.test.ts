import { Type } from '@sinclair/typebox'
import { type AccessQuestion, type Authorize, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({
  tag: { fields: { name: Type.String() } },
  list: {
    fields: { title: Type.String() },
    relations: { items: owns.many('item'), tags: knows.many('tag') },
    history: true,
  },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})

describeOnBoth('`$history` and `$undo`', (database) => {
  const service = useApp(database, resources)
  let list: JsonBody
  let path: string
  beforeEach(async () => {
    list = await service.add('/api/list', { title: 'a', items: [{ text: 'milk' }, { text: 'eggs' }] })
    path = `/api/list/${list.id}`
  })
  const entries = async (query = '') => {
    const { status, body } = await service.request('GET', `${path}/$history${query}`)
    expect(status).toBe(200)
    return body as JsonBody
  }

  test('tell what writes have done to a record and to what it owns, the newest first, in pages', async () => {
    await service.patch(path, { title: 'b' })
    await service.patch(`${path}/item/${list.items[0].id}`, { text: 'oat milk' })
    const { rows } = await entries()
    expect(rows.map(({ operation, resource }: JsonBody) => [operation, resource])).toEqual([
      ['patch', 'item'],
      ['patch', 'list'],
      ['create', 'list'],
    ])
    const first = await entries('?limit=2')
    expect(first.rows).toEqual(rows.slice(0, 2))
    expect(await entries(`?limit=2&after=${first.next}`)).toEqual({ rows: rows.slice(2) })
    expect((await entries('?filter[operation]=create,delete')).rows).toEqual(rows.slice(2))
    expect((await entries('?filter[at][lt]=2020-01-01T00:00:00Z')).rows).toEqual([])
    const one = await service.request('GET', `${path}/$history/${rows[1].write}`)
    expect(one).toMatchObject({ status: 200, body: rows[1] })
    const ofItem = await service.request('GET', `${path}/item/${list.items[0].id}/$history`)
    expect(ofItem.body.rows.map(({ operation }: JsonBody) => operation)).toEqual(['patch', 'create'])
  })

  test('name what is wrong with a query, and are 404 without the record or the write', async () => {
    const { status, body } = await service.request('GET', `${path}/$history?limit=0&filter[at][gt]=x&sort=at`)
    expect(status).toBe(400)
    expect(body.errors.map(({ parameter }: JsonBody) => parameter).sort()).toEqual(['filter[at][gt]', 'limit', 'sort'])
    for (const [wrong, parameter] of [
      ['filter={}&filter[operation]=create', 'filter'],
      ['limit=1&limit=2', 'limit'],
      ['after=%FF', 'after'],
    ]) {
      const refused = await service.request('GET', `${path}/$history?${wrong}`)
      expect(refused.body.errors).toMatchObject([{ parameter }])
    }
    expect((await service.request('GET', '/api/list/99/$history')).status).toBe(404)
    expect((await service.request('GET', `${path}/$history/nothing`)).status).toBe(404)
    expect((await service.request('POST', `${path}/$history/nothing/$undo`)).status).toBe(404)
    expect((await service.request('GET', '/api/tag/1/$history')).status).toBe(404)
  })

  test('set back what a PUT has done, preview it first, and answer with the record', async () => {
    const before = await service.snapshot()
    await service.put(path, { title: 'b', items: [{ text: 'salt' }], tags: [] })
    const [{ write }] = (await entries()).rows
    const url = `${path}/$history/${write}/$undo`
    const preview = await service.request('POST', url, undefined, { prefer: 'return=effects, tx=rollback' })
    expect(preview.status).toBe(200)
    expect(preview.body.operation).toBe('undo')
    const match = { 'effects-match': String(preview.headers['effects-tag']) }
    const undone = await service.request('POST', url, undefined, match)
    expect(undone).toMatchObject({ status: 200, body: list })
    const after = (await service.snapshot()) as Record<string, unknown>
    for (const table of ['list', 'item', 'tag']) expect(after[table]).toEqual((before as typeof after)[table])
  })

  test('are refused where later writes are in the way, with what these have changed', async () => {
    await service.patch(path, { title: 'b' })
    const [{ write }] = (await entries()).rows
    await service.patch(path, { title: 'c' })
    const refused = await service.request('POST', `${path}/$history/${write}/$undo`)
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'CRUD_ERR_CHANGED',
        changes: [{ action: 'Edit', resource: 'list', before: { title: 'b' }, after: { title: 'c' } }],
      },
    })
  })

  test('take a new record away (204), and bring a deleted one back', async () => {
    const [{ write }] = (await entries()).rows
    expect((await service.request('POST', `${path}/$history/${write}/$undo`)).status).toBe(204)
    expect((await service.request('GET', path)).status).toBe(404)
    const [last] = (await entries()).rows
    const back = await service.request('POST', `${path}/$history/${last.write}/$undo`)
    expect(back).toMatchObject({ status: 200, body: list })
  })

  test('are done once for one `Idempotency-Key`', async () => {
    await service.patch(path, { title: 'b' })
    const [last, first] = (await entries()).rows
    const key = { 'idempotency-key': '"1"' }
    const url = `${path}/$history/${last.write}/$undo`
    expect(await service.request('POST', url, undefined, key)).toMatchObject({ status: 200, body: list })
    expect(await service.request('POST', url, undefined, key)).toMatchObject({ status: 200, body: list })
    const gone = { 'idempotency-key': '"2"' }
    const away = `${path}/$history/${first.write}/$undo`
    expect((await service.request('POST', away, undefined, gone)).status).toBe(204)
    expect((await service.request('POST', away, undefined, gone)).status).toBe(204)
    expect((await entries()).rows.map(({ operation }: JsonBody) => operation)).toEqual([
      'undo',
      'undo',
      'patch',
      'create',
    ])
  })
})

describeOnBoth('`$undo` for those who may not see a resource', (database) => {
  const withNotes = defineResources({
    list: { fields: { title: Type.String() }, history: true },
    note: { fields: { text: Type.String() }, relations: { list: knows.one('list') } },
  })
  let hidden = false
  const authorize: Authorize = (_, { resource, action }) => !(hidden && resource === 'note' && action === 'View')
  const service = useApp(database, withNotes, { plugin: { authorize } })

  test('is 403 before anything is told of its records', async () => {
    hidden = false
    const list = await service.add('/api/list', { title: 'a' })
    const other = await service.add('/api/list', { title: 'b' })
    const note = await service.add('/api/note', { text: 'x', listId: list.id })
    expect((await service.delete(`/api/list/${list.id}`)).status).toBe(204)
    const { body } = await service.request('GET', `/api/list/${list.id}/$history`)
    await service.patch(`/api/note/${note.id}`, { listId: other.id })
    const path = `/api/list/${list.id}/$history/${body.rows[0].write}/$undo`
    const changed = await service.request('POST', path)
    expect(changed.status).toBe(409)
    expect(changed.body.changes).toMatchObject([{ resource: 'note', id: note.id }])
    hidden = true
    const refused = await service.request('POST', path)
    expect(refused.status).toBe(403)
    expect(refused.body).not.toHaveProperty('changes')
  })
})

describeOnBoth('`$history` of a record that is gone', (database) => {
  const asked: AccessQuestion[] = []
  let mayDelete = true
  const authorize: Authorize = async (_, question) => {
    asked.push(question)
    return mayDelete || question.action !== 'Delete'
  }
  const service = useApp(database, resources, { plugin: { authorize } })

  test('is for those who might delete it, whom `authorize` is asked about', async () => {
    mayDelete = true
    const { id } = await service.add('/api/list', { title: 'a' })
    const actionsFor = async (path: string, status: number) => {
      asked.length = 0
      expect((await service.get(path)).status).toBe(status)
      const own = asked.filter((one) => one.resource === 'list' && one.id === id)
      return own.map(({ action, operation }) => `${operation} ${action}`)
    }
    const path = `/api/list/${id}/$history`
    expect(await actionsFor(path, 200)).toEqual(['history View'])
    await service.delete(`/api/list/${id}`)
    const [{ write }] = (await service.read(path)).rows
    for (const one of [path, `${path}/${write}`]) {
      mayDelete = true
      expect(await actionsFor(one, 200)).toEqual(['history View', 'history Delete'])
      mayDelete = false
      await actionsFor(one, 403)
    }
    expect((await service.get('/api/list/99/$history')).status).toBe(404)
  })
})

describeOnBoth('`$history` of large writes', (database) => {
  const service = useApp(database, resources, { plugin: { limits: { maxAnswer: 2_000 } } })

  test('is 400 where a page, or one write, is larger than `limits.maxAnswer`', async () => {
    const { id } = await service.add('/api/list', { title: 'x'.repeat(1_000) })
    await service.patch(`/api/list/${id}`, { title: 'y'.repeat(500) })
    await service.patch(`/api/list/${id}`, { title: 'z'.repeat(900) })
    const path = `/api/list/${id}/$history`
    const page = await service.refuse('GET', path, undefined, { code: 'CRUD_ERR_TOO_LARGE' })
    expect(page.detail).toContain("'limit'")
    const first = await service.read(`${path}?filter[operation]=create`)
    expect(first.rows).toHaveLength(1)
    const [{ write }] = (await service.read(`${path}?limit=1`)).rows
    expect((await service.get(`${path}/${write}`)).status).toBe(200)
    await service.patch(`/api/list/${id}`, { title: 'w'.repeat(1_300) })
    const last = await service.db.selectFrom('crud_history').select('id').orderBy('position', 'desc').executeTakeFirst()
    await service.refuse('GET', `${path}/${last?.id}`, undefined, { code: 'CRUD_ERR_TOO_LARGE' })
  })

  test('goes on from page to page, whatever is filtered out in between', async () => {
    const { id } = await service.add('/api/list', { title: 'a' })
    for (let index = 0; index < 12; index++) {
      await service.request(index % 3 === 0 ? 'PUT' : 'PATCH', `/api/list/${id}`, { title: String(index) })
    }
    const titles: string[] = []
    let after = ''
    do {
      const { rows, next } = await service.read(`/api/list/${id}/$history?limit=1&filter[operation]=replace${after}`)
      titles.push(...rows.map(({ changes: [change] }: JsonBody) => change.after.title))
      after = next === undefined ? '' : `&after=${next}`
    } while (after !== '')
    expect(titles).toEqual(['9', '6', '3', '0'])
  })
})
