import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { createTables, crudPlugin, defineResources, needs, sendProblem } from 'fastify-crud'
import { afterEach, expect, test, vi } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const notes = defineResources({
  note: { fields: { text: Type.String(), author: Type.String() } },
})

const projects = defineResources(
  { org: { id: 'text' }, project: { fields: { name: Type.String() }, relations: { org: needs.one('org') } } },
  { tenant: { resource: 'org' } },
)

/** As an application declares it, but for any model. */
interface Request extends FastifyRequest {
  crud(): Promise<JsonBody>
}

const caller = ({ headers }: FastifyRequest) => ({ name: String(headers['x-name']) })

describeOnBoth("the store of a request, in the application's own routes", (database) => {
  let open: OpenDatabase
  let app: FastifyInstance

  async function start(model: typeof notes | typeof projects, options: object): Promise<void> {
    open = await database.open()
    await createTables(open.db, model)
    app = Fastify()
    await app.register(crudPlugin, { db: open.db, resources: model, ...options })
    app.setErrorHandler(sendProblem)
    app.get('/mine', async (request) => (await (request as Request).crud()).note.list())
    app.get('/twice', async (request) => {
      const [first, second] = await Promise.all([(request as Request).crud(), (request as Request).crud()])
      return { isSame: first === second }
    })
    app.get('/projects', async (request) => (await (request as Request).crud()).project.list())
  }

  afterEach(async () => {
    await app.close()
    await open.close()
  })

  const get = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await app.inject({ url, headers })
    return { status: answer.statusCode, body: answer.json() }
  }

  test('is the one of its caller: policies hold, and `authorize` is not asked', async () => {
    const authorize = vi.fn(() => false)
    const policies = { note: ({ eb, my }: JsonBody) => eb('author', '=', my('name')) }
    await start(notes, { caller, policies, authorize })
    await open.db
      .insertInto('note')
      .values([
        { text: 'a', author: 'ann' },
        { text: 'b', author: 'bob' },
      ])
      .execute()
    expect((await get('/mine', { 'x-name': 'ann' })).body).toMatchObject({ count: 1, rows: [{ text: 'a' }] })
    expect((await get('/mine', { 'x-name': 'bob' })).body).toMatchObject({ count: 1, rows: [{ text: 'b' }] })
    expect(authorize).not.toHaveBeenCalled()
  })

  test('asks who the caller is once, at its first use', async () => {
    const asked = vi.fn(caller)
    await start(notes, { caller: asked })
    app.get('/without', async () => ({}))
    await get('/without')
    expect(asked).not.toHaveBeenCalled()
    expect((await get('/twice', { 'x-name': 'ann' })).body).toEqual({ isSame: true })
    expect(asked).toHaveBeenCalledOnce()
  })

  test('fails as the application refuses the caller', async () => {
    const refuse = () => {
      throw Object.assign(new Error('who are you?'), { statusCode: 401 })
    }
    await start(notes, { caller: refuse })
    expect((await get('/mine')).status).toBe(401)
  })

  test('sees everything where the service asks nobody', async () => {
    await start(notes, {})
    await open.db.insertInto('note').values({ text: 'a', author: 'ann' }).execute()
    expect((await get('/mine')).body.count).toBe(1)
  })

  test('has the records of its tenant, and is 403 without one', async () => {
    const tenant = (_: unknown, { headers }: FastifyRequest) => headers['x-org']
    await start(projects, { tenant })
    await open.db
      .insertInto('org')
      .values([{ id: 'one' }, { id: 'two' }])
      .execute()
    const add = (org: string, name: string) =>
      app.inject({ method: 'POST', url: '/api/project', headers: { 'x-org': org }, payload: { name } })
    await add('one', 'a')
    await add('two', 'b')
    expect((await get('/projects', { 'x-org': 'two' })).body).toMatchObject({ count: 1, rows: [{ name: 'b' }] })
    expect(await get('/projects')).toMatchObject({ status: 403, body: { code: 'CRUD_ERR_FORBIDDEN' } })
  })

  test('has the name that the option `decorator` gives it, or is not there', async () => {
    await start(notes, { decorator: 'shop' })
    expect(app.hasRequestDecorator('shop')).toBe(true)
    expect(app.hasRequestDecorator('crud')).toBe(false)
    await app.register(crudPlugin, { db: open.db, resources: notes, prefix: '/other', decorator: false })
    expect(app.hasRequestDecorator('crud')).toBe(false)
  })

  test('fails the start where requests have its name already', async () => {
    await start(notes, { decorator: false })
    app.decorateRequest('crud', null)
    const again = app.register(crudPlugin, { db: open.db, resources: notes, prefix: '/other' })
    const taken = "decorator: requests have 'crud' already; give the store another name, such as 'shop'"
    await expect(again).rejects.toThrow(taken)
  })
})
