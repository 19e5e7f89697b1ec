import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { chosenId, missingId } from '../../../../test/support/test-ids.ts'
import { refuseBy, TRIGGER_WORDS } from '../../../../test/support/trigger.ts'
import { library } from './models/library.ts'
import { ownsMany } from './models/owns-many.ts'

const rollback = { prefer: 'tx=rollback' }

describeOnDatabases('`Prefer: tx=rollback`', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody
  let path: string

  beforeEach(async () => {
    parent = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }, { name: '2' }] })
    path = `/api/parent/${parent.id}`
  })

  test('answers what the write would, and stores nothing', async () => {
    const [one, two] = parent.children
    const before = await service.snapshot()
    const id = chosenId('parent')
    for (const [method, url, body, status, answered] of [
      ['POST', '/api/parent', { name: 'b', children: [{ name: '3' }] }, 201, { name: 'b', children: [{ name: '3' }] }],
      ['POST', `/api/parent/${id}`, { name: 'b' }, 201, { id, name: 'b', note: null, children: [] }],
      ['POST', `${path}/child`, { name: '3' }, 201, { name: '3', grade: 1 }],
      [
        'PUT',
        path,
        { name: 'b', children: [{ ...one, name: 'x' }] },
        200,
        { name: 'b', children: [{ ...one, name: 'x' }] },
      ],
      ['PUT', '/api/parent', parent, 200, parent],
      ['PATCH', path, { note: 'n' }, 200, { note: 'n', children: [one, two] }],
      ['PATCH', path, { children: [{ name: '3' }] }, 200, { children: [one, two, { name: '3' }] }],
      ['PATCH', `${path}/child/${one.id}`, { name: 'x' }, 200, { ...one, name: 'x' }],
      ['DELETE', path, undefined, 204, undefined],
      ['DELETE', `${path}/child/${one.id}`, undefined, 204, undefined],
    ] as const) {
      const answer = await service.request(method, url, body, rollback)
      expect([method, url, answer.status]).toEqual([method, url, status])
      if (answered === undefined) expect(answer.body).toBe(undefined)
      else expect(answer.body).toMatchObject(answered)
      expect(answer.headers).toMatchObject({ 'preference-applied': 'tx=rollback', vary: 'Prefer' })
      expect(await service.snapshot()).toEqual(before)
    }
  })

  test('answers without `Location` and without an ETag, as there is no such record', async () => {
    for (const [method, url, body] of [
      ['POST', '/api/parent', { name: 'b' }],
      ['PATCH', path, { name: 'b' }],
    ] as const) {
      const { headers } = await service.request(method, url, body, rollback)
      for (const name of ['location', 'etag']) expect(headers).not.toHaveProperty(name)
    }
  })

  test('is refused as the write would be', async () => {
    const send = (method: string, url: string, body?: unknown, headers = {}) =>
      service.request(method, url, body, { ...rollback, ...headers })
    expectProblem(await send('PATCH', path, { nme: 1 }), { code: 'CRUD_ERR_INVALID' })
    expectProblem(await send('DELETE', `/api/parent/${missingId('parent')}`), { code: 'CRUD_ERR_NOT_FOUND' })
    expectProblem(await send('POST', path, { name: 'b' }), { code: 'CRUD_ERR_EXISTS' })
    expectProblem(await send('DELETE', path, undefined, { 'if-match': '"other"' }), {
      code: 'CRUD_ERR_PRECONDITION',
      status: 412,
    })
    expectProblem(await send('DELETE', path, undefined, { prefer: 'tx=rollback, max-affected=2' }), {
      code: 'CRUD_ERR_TOO_LARGE',
    })
  })

  test('leaves the connection as it was: the next write is stored', async () => {
    await service.request('DELETE', path, undefined, rollback)
    expect((await service.patch(path, { name: 'b' })).status).toBe(200)
    expect(await service.read(path)).toMatchObject({ name: 'b', children: [{ name: '1' }, { name: '2' }] })
  })

  test('goes together with `return=minimal`', async () => {
    const prefer = { prefer: 'return=minimal, tx=rollback' }
    const answers = [
      await service.request('POST', '/api/parent', { name: 'b' }, prefer),
      await service.request('PATCH', path, { name: 'b' }, prefer),
    ]
    expect(answers).toMatchObject([
      { status: 201, body: undefined },
      { status: 204, body: undefined },
    ])
    expect((await service.read('/api/parent')).rows).toEqual([parent])
  })
})

describeOnDatabases('`Prefer: tx=commit`', (database) => {
  const service = useApp(database, ownsMany)

  test('is what writes do anyway, and is said to be applied', async () => {
    const { headers, status } = await service.request('POST', '/api/parent', { name: 'a' }, { prefer: 'tx=commit' })
    expect([status, headers['preference-applied']]).toEqual([201, 'tx=commit'])
    expect((await service.get(String(headers.location))).headers.etag).toBe(headers.etag)
  })
})

describeOnDatabases('`Prefer: tx=rollback` asks the database, too:', (database) => {
  const service = useApp(database, library)

  test('what a unique constraint refuses is 409', async () => {
    const publisher = await service.add('/api/publisher', { fullName: 'Ink' })
    const author = await service.add('/api/author', { firstName: 'Ann' })
    const book = { mainTitle: 'a', mainPublisherId: publisher.id, authors: [{ id: author.id }] }
    await service.add('/api/book', book)
    expectProblem(await service.request('POST', '/api/book', book, rollback), { code: 'CRUD_ERR_NOT_UNIQUE' })
    expectProblem(await service.request('DELETE', `/api/publisher/${publisher.id}`, undefined, rollback), {
      code: 'CRUD_ERR_STILL_NEEDED',
    })
  })

  test('what a trigger refuses is 409', async () => {
    await refuseBy(service.database, { table: 'author', on: 'insert', when: 'new."firstName" = \'bad\'' })
    const answer = await service.request('POST', '/api/author', { firstName: 'bad' }, rollback)
    expectProblem(answer, { code: 'CRUD_ERR_REFUSED' })
    expect(JSON.stringify(answer.body)).not.toContain(TRIGGER_WORDS)
    expect((await service.request('POST', '/api/author', { firstName: 'good' }, rollback)).status).toBe(201)
  })
})

describeOnDatabases('`Prefer: tx=rollback` and a constraint that is checked at the commit', (database) => {
  const service = useApp(database, ownsMany, {
    async tables({ name, db }) {
      const id =
        name === 'sqlite' ? 'integer primary key autoincrement' : 'integer generated by default as identity primary key'
      for (const statement of [
        `create table parent (id ${id}, name text not null, note text)`,
        `create table child (id ${id}, name text not null, note text, grade integer not null, "parentId" integer not null references parent)`,
        `create table elsewhere (ref integer references parent deferrable initially deferred)`,
      ]) {
        await sql.raw(statement).execute(db)
      }
    },
  })

  test('is refused on PostgreSQL; SQLite cannot be asked', async () => {
    const { id } = await service.add('/api/parent', { name: 'a' })
    await sql.raw(`insert into elsewhere values (${id})`).execute(service.db)
    const tried = await service.request('DELETE', `/api/parent/${id}`, undefined, rollback)
    const done = await service.delete(`/api/parent/${id}`)
    expect(done.status).toBeGreaterThanOrEqual(400)
    expect(tried.status).toBe(database.name === 'sqlite' ? 204 : done.status)
    expect((await service.get(`/api/parent/${id}`)).status).toBe(200)
  })
})
