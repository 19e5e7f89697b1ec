import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyRequest } from 'fastify'
import { createTables, crudPlugin, defineResources, type GuardedStore, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { asRole, type DatabaseAsRole } from '../../../../test/support/as-role.ts'
import { setups } from '../../../../test/support/databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'

const desk = defineResources({
  note: {
    fields: { author: Type.String(), text: Type.String() },
    relations: { remarks: owns.many('remark'), tags: knows.many('tag') },
  },
  remark: { fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
  tag: { fields: { name: Type.String() } },
})

const ME = `nullif(current_setting('app.user', true), '')`

/**
 * Everybody sees public notes and their own. Only the author may add and change them: where `using` says so, PostgreSQL leaves the rows
 * of others as they are; where `with check` does, it refuses the statement.
 */
async function prepare(owner: TestKysely): Promise<void> {
  await createTables(owner, desk)
  // As the owner of the tables, for the policies of both tables ask for rows of the other one.
  await sql
    .raw(
      `create function is_invited(bigint) returns boolean language sql stable security definer
       begin atomic select exists (select 1 from remark where "noteId" = $1 and text = 'for ' || ${ME}); end`,
    )
    .execute(owner)
  const visible = `author = ${ME} or text like 'public%' or is_invited(note.id)`
  const ofVisible = 'exists (select 1 from note where note.id = "noteId")'
  const ofMine = `exists (select 1 from note where note.id = "noteId" and author = ${ME})`
  const policies = [
    'alter table note enable row level security',
    `create policy view_note on note for select using (${visible})`,
    `create policy add_note on note for insert with check (author = ${ME})`,
    `create policy edit_note on note for update using (${visible}) with check (author = ${ME})`,
    `create policy delete_note on note for delete using (author = ${ME})`,
    'alter table remark enable row level security',
    `create policy view_remark on remark for select using (${ofVisible})`,
    `create policy add_remark on remark for insert with check (${ofMine})`,
    `create policy edit_remark on remark for update using (${ofMine})`,
    `create policy delete_remark on remark for delete using (${ofMine} or text = 'for ' || ${ME})`,
  ]
  for (const policy of policies) await sql.raw(policy).execute(owner)
}

for (const setup of setups.filter(({ name }) => name === 'postgres')) {
  describe(`row level security with the option \`session\` (${setup.title})`, () => {
    const service = useApp(asRole(setup, prepare), desk, {
      tables: async () => {},
      plugin: {
        caller: ({ headers }) => ({ id: String(headers['x-user'] ?? '') }),
        session: (caller) => ({ 'app.user': (caller as { id: string }).id }),
      },
    })
    const as = (user: string) => ({
      send: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
        service.request(method, path, body, { 'x-user': user, ...headers }),
    })
    const [ada, bob] = [as('ada'), as('bob')]
    const stored = () =>
      (service.database as DatabaseAsRole).owner.selectFrom('note').selectAll().orderBy('id').execute()
    let mine: string
    let open: string

    beforeEach(async () => {
      const add = async (text: string) => {
        const body = { author: 'ada', text, remarks: [{ text: 'r' }] }
        const answer = await ada.send('POST', '/api/note', body)
        expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201, body })
        return `/api/note/${answer.body.id}`
      }
      mine = await add('private')
      open = await add('public')
    })

    test('decides what each request sees, on one connection', async () => {
      expect((await ada.send('GET', '/api/note')).body.count).toBe(2)
      expect((await bob.send('GET', '/api/note')).body).toMatchObject({ count: 1, rows: [{ text: 'public' }] })
      expectProblem(await bob.send('GET', mine), { code: 'CRUD_ERR_NOT_FOUND' })
      expect((await ada.send('GET', mine)).body).toMatchObject({ author: 'ada', remarks: [{ text: 'r' }] })
      expect((await bob.send('GET', `${open}/remark`)).body.count).toBe(1)
      expectProblem(await bob.send('GET', `${mine}/remark`), { code: 'CRUD_ERR_NOT_FOUND' })
    })

    test('sees all writes of the author', async () => {
      const { body } = await ada.send('PUT', mine, {
        author: 'ada',
        text: 'p',
        remarks: [{ text: 'a' }, { text: 'b' }],
      })
      expect(body).toMatchObject({ text: 'p', remarks: [{ text: 'a' }, { text: 'b' }] })
      expect(await ada.send('PUT', mine, body)).toMatchObject({ status: 200, body })
      expect((await ada.send('PATCH', mine, { text: 'q' })).body).toEqual({ ...body, text: 'q' })
      expect((await ada.send('PATCH', mine, { remarks: [{ id: body.remarks[0].id, text: 'c' }] })).body).toMatchObject({
        remarks: [{ text: 'c' }, { text: 'b' }],
      })
      expect((await ada.send('POST', `${mine}/remark`, { text: 'd' })).status).toBe(201)
      expect((await ada.send('DELETE', mine)).status).toBe(204)
      expect((await stored()).map(({ text }) => text)).toEqual(['public'])
    })

    test('holds under conditions and preferences, too', async () => {
      const tag = String((await ada.send('GET', open)).headers.etag)
      const before = await stored()
      const failed = { code: 'CRUD_ERR_PRECONDITION', status: 412 } as const
      expectProblem(await ada.send('PATCH', open, { text: 'public x' }, { 'if-match': '"other"' }), failed)
      expectProblem(await ada.send('DELETE', open, undefined, { 'if-match': '"other"' }), failed)
      const rollback = { 'if-match': tag, prefer: 'tx=rollback, max-affected=2' }
      expect(await ada.send('PATCH', open, { text: 'public x' }, rollback)).toMatchObject({
        body: { text: 'public x' },
      })
      expect((await ada.send('DELETE', open, undefined, rollback)).status).toBe(204)
      expectProblem(await bob.send('PATCH', open, { text: 'public x' }, rollback), { code: 'CRUD_ERR_FORBIDDEN' })
      expect(await stored()).toEqual(before)
      const done = await ada.send('PATCH', open, { text: 'public x' }, { 'if-match': tag, prefer: 'return=minimal' })
      expect(done).toMatchObject({ status: 204, body: undefined })
    })

    test('refuses a row that a policy does not let in with 403, which says nothing of tables', async () => {
      const before = await stored()
      const forbidden = {
        code: 'CRUD_ERR_FORBIDDEN',
        pointers: [],
        detail: /^the database does not allow this$/,
      } as const
      const refused: [string, string, unknown][] = [
        ['POST', '/api/note', { author: 'ada', text: 'public' }],
        ['PATCH', open, { text: 'public too' }],
        ['PUT', open, { author: 'ada', text: 'public too' }],
        ['POST', `${open}/remark`, { text: 'x' }],
        ['PATCH', open, { remarks: [{ text: 'x' }] }],
      ]
      for (const [method, path, body] of refused) expectProblem(await bob.send(method, path, body), forbidden)
      expect(await stored()).toEqual(before)
    })

    test('refuses what a policy leaves as it is, though the record is visible', async () => {
      const before = await stored()
      const forbidden = {
        code: 'CRUD_ERR_FORBIDDEN',
        pointers: [],
        detail: /^the database does not allow this$/,
      } as const
      expectProblem(await bob.send('DELETE', open), forbidden)
      const { id } = (await ada.send('GET', open)).body.remarks[0]
      expectProblem(await bob.send('DELETE', `${open}/remark/${id}`), forbidden)
      expectProblem(await bob.send('PATCH', `${open}/remark/${id}`, { text: 'x' }), forbidden)
      expectProblem(await bob.send('PATCH', open, { remarks: [{ id, text: 'x' }] }), forbidden)
      expectProblem(await bob.send('PUT', open, { author: 'ada', text: 'public', remarks: [] }), forbidden)
      expect(await stored()).toEqual(before)
      expect((await ada.send('GET', open)).body.remarks).toEqual([{ id, text: 'r' }])
    })

    test('may take a record out of sight by a write, which is then answered without it', async () => {
      const { body } = await ada.send('PATCH', mine, { remarks: [{ text: 'for bob' }] })
      expect((await bob.send('GET', mine)).body).toEqual(body)
      const without = { ...body, remarks: body.remarks.slice(0, 1) }
      const left = await bob.send('PUT', mine, without)
      expect(left).toMatchObject({ status: 200, body: undefined })
      expect(left.headers).toMatchObject({ 'preference-applied': 'return=minimal' })
      expectProblem(await bob.send('GET', mine), { code: 'CRUD_ERR_NOT_FOUND' })
      expect((await ada.send('GET', mine)).body).toEqual(without)
    })

    test('hides a record from writes as from reads', async () => {
      for (const [method, body] of [
        ['PUT', { author: 'bob', text: 'b' }],
        ['PATCH', { text: 'b' }],
        ['DELETE'],
      ] as const) {
        expectProblem(await bob.send(method, mine, body), { code: 'CRUD_ERR_NOT_FOUND' })
      }
    })

    test('is told nothing by a request behind another one on the same connection', async () => {
      const current = async () => {
        const { rows } = await sql<{ user: string }>`select ${sql.raw(ME)} as user`.execute(service.db)
        return rows[0]?.user
      }
      const requests: [string, string, unknown?][] = [
        ['GET', mine],
        ['GET', '/api/note/999999'],
        ['PATCH', mine, { text: 'p' }],
        ['PUT', mine, { author: 'ada', text: 'q' }],
        ['POST', '/api/note', { author: 'nobody', text: 'x' }],
        ['DELETE', mine],
      ]
      for (const [method, path, body] of requests) {
        await ada.send(method, path, body)
        expect(await current()).toBeNull()
        expect((await as('').send('GET', '/api/note')).body).toMatchObject({ count: 1 })
      }
    })

    test('is not told who asks by the application’s own calls of the store', async () => {
      const { crud } = service.fastify as unknown as { crud: GuardedStore<typeof desk> }
      expect(await crud.asSystem().note.list()).toMatchObject({ count: 1, rows: [{ text: 'public' }] })
    })

    test('sends a read with its settings in a transaction of its own', async () => {
      expect(await service.statements(() => ada.send('GET', mine))).toEqual([
        'begin',
        'select set_config($1, $2, true)',
        expect.stringMatching(/^select /),
        'commit',
      ])
    })

    test('is told who asks before the first statement of a write', async () => {
      const writes: [string, string, unknown?][] = [
        ['POST', '/api/note', { author: 'ada', text: 'x' }],
        ['PATCH', mine, { text: 'p' }],
        ['PATCH', mine, { remarks: [{ text: 's' }] }],
        ['PUT', mine, { author: 'ada', text: 'q' }],
        ['DELETE', mine],
      ]
      for (const [method, path, body] of writes) {
        const [begin, settings, ...rest] = await service.statements(() => ada.send(method, path, body))
        expect(begin).toMatch(/^begin/)
        expect(settings).toBe('select set_config($1, $2, true)')
        expect(rest.at(-1)).toBe('commit')
        expect(rest.filter((statement) => /^(?:begin|commit)/.test(statement))).toHaveLength(1)
      }
    })

    test('is asked beside the policies of the service: both have to allow it', async () => {
      const app = Fastify()
      const caller = ({ headers }: FastifyRequest) => ({ id: String(headers['x-user']), seen: 'public' })
      app.register(crudPlugin, {
        db: service.db,
        resources: desk,
        caller,
        session: ({ id }) => ({ 'app.user': id }),
        policies: { note: { View: ({ eb, my }) => eb('text', '=', my('seen')), Edit: true }, tag: false },
      })
      const send = async (method: 'GET' | 'PATCH', url: string, user: string) => {
        const body = method === 'PATCH' ? { payload: { text: 'public as well' } } : {}
        return (await app.inject({ method, url, headers: { 'x-user': user }, ...body })).statusCode
      }
      expect(await send('GET', open, 'ada')).toBe(200)
      expect(await send('GET', open, 'bob')).toBe(200)
      expect(await send('GET', mine, 'ada')).toBe(404)
      expect(await send('PATCH', open, 'bob')).toBe(403)
      expect(await send('PATCH', open, 'ada')).toBe(200)
      await app.close()
    })

    test('fails the start without `caller`, as there is nobody to tell of', async () => {
      const app = Fastify()
      app.register(crudPlugin, { db: service.db, resources: desk, session: () => ({}) })
      await expect(app.ready()).rejects.toThrow(/^caller: is missing; policies, session/)
      await app.close()
    })

    test('takes values as they are', async () => {
      for (const user of [`o'neil`, 'back\\slash', "'; drop table note; --", 'ä€😀', '$1', '']) {
        const { status } = await as(encodeURIComponent(user)).send('GET', '/api/note')
        expect(status).toBe(200)
      }
    })
  })
}
