import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import {
  type Authorize,
  type CrudOptions,
  createTables,
  crudPlugin,
  defineResources,
  field,
  knows,
  ownedBy,
  owns,
} from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { buildApp, type TestApp, useApp } from '../../../../test/support/app.ts'
import type { Setup } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { actions, gallery, policies } from './gallery.ts'

const form = JSON.parse(readFileSync(join(import.meta.dirname, '../../model.schema.json'), 'utf8'))
const fits = new Ajv2020({ strict: false, allErrors: true }).compile(form)

/** The description of a model, which fits its form. */
async function describedBy(service: TestApp, headers: Record<string, string> = {}): Promise<JsonBody> {
  const { status, body } = await service.request('GET', '/api/$model', undefined, headers)
  expect(status, JSON.stringify(body)).toBe(200)
  fits(body)
  expect(fits.errors ?? []).toEqual([])
  return body
}

const roles = (named: string) => ({ 'x-roles': named })

const caller: CrudOptions['caller'] = ({ headers }) => ({
  id: headers['x-id'] ?? 1,
  roles: String(headers['x-roles'] ?? '').split(','),
})

describeOnBoth('$model', (database: Setup) => {
  describe('of a service with policies', () => {
    const service = useApp(database, gallery, { plugin: { policies, caller, actions } as never })

    test('has resources with their paths, ids, fields, relations, keys and operations', async () => {
      const { resources, limits, model, idempotency } = await describedBy(service, roles('staff'))
      expect({ model, idempotency, limits }).toMatchObject({
        model: 1,
        idempotency: true,
        limits: { defaultPage: 20, maxPage: 100, count: 'exact' },
      })
      expect(Object.keys(resources)).toEqual(['artist', 'painting', 'frame', 'room', 'tag', 'safe'])
      expect(resources.painting).toEqual({
        paths: ['/painting'],
        id: {
          kind: 'integer',
          schema: { type: 'integer' },
          assignedBy: 'database',
          choosable: true,
        },
        fields: {
          title: { schema: { type: 'string' }, required: true },
          year: { schema: { type: ['integer', 'null'] } },
          price: { schema: { type: 'integer' }, default: 0 },
          pin: { schema: { type: ['string', 'null'] }, writeOnly: true },
          roomCount: { schema: expect.objectContaining({ type: 'integer' }), readOnly: true, computed: true },
        },
        relations: {
          frame: { kind: 'owns.one', target: 'frame', inverse: 'painting', required: true, path: 'frame' },
          rooms: { kind: 'owns.many', target: 'room', inverse: 'painting', ordered: true, path: 'room' },
          artist: {
            kind: 'needs.one',
            target: 'artist',
            inverse: 'paintings',
            foreignKey: 'artistId',
            required: true,
          },
          safe: { kind: 'needs.one', target: 'safe', foreignKey: 'safeId', required: true, unique: true },
          tags: { kind: 'knows.many', target: 'tag', path: 'tags' },
        },
        defaultInclude: ['frame', 'rooms', 'artist', 'safe'],
        unique: [{ names: ['artist', 'title'] }, { names: ['safe'] }, { names: ['title'], conditional: true }],
        search: ['title', 'artist.name', 'artist.phone', 'safe.code'],
        softDelete: { moment: 'goneAt', trash: true },
        ifMatch: 'required',
        writable: true,
        operations: {
          list: true,
          findOne: true,
          create: true,
          replace: true,
          patch: true,
          delete: true,
          deleted: true,
          restore: true,
        },
        actions: {
          hang: {
            on: 'record',
            method: 'POST',
            offered: true,
            body: {
              schema: {
                type: 'object',
                properties: { wall: { type: 'integer' } },
                required: ['wall'],
                additionalProperties: false,
              },
              required: true,
            },
            changes: ['painting', 'safe'],
          },
          count: {
            on: 'list',
            method: 'GET',
            offered: true,
            query: { type: 'object', properties: { year: { type: 'integer' } }, additionalProperties: false },
            answer: { type: 'integer' },
          },
        },
      })
      expect(resources.room.relations.painting).toMatchObject({ foreignKey: 'paintingId', moves: true })
      expect(resources.frame.relations.painting).toMatchObject({ foreignKey: 'paintingId', readOnly: true })
      expect(resources.room).toMatchObject({ paths: ['/room', '/painting/{painting_id}/room'], topLevel: true })
      expect(resources.tag.paths).toEqual(['/labels'])
      expect(resources.artist).toMatchObject({ description: 'Who paints.', groups: true })
    })

    test('leaves out what the caller may not see, and all that names it', async () => {
      const { resources } = await describedBy(service, roles('visitor'))
      expect(Object.keys(resources)).toEqual(['artist', 'painting', 'frame', 'room', 'tag'])
      expect(JSON.stringify(resources)).not.toMatch(/phone|staff|"safe"|safe\./)
      expect(resources.artist.unique).toEqual([{ names: ['name'] }])
      // A record shows the foreign key, and a new one needs it.
      expect(resources.painting.fields.safeId).toEqual({ schema: { type: 'integer' }, required: true })
      expect(resources.painting.fields.price).toEqual({ schema: { type: 'integer' }, readOnly: true })
      expect(resources.painting).toMatchObject({
        unique: [{ names: ['artist', 'title'] }, { names: ['title'], conditional: true }],
        search: ['title', 'artist.name'],
        defaultInclude: ['frame', 'rooms', 'artist'],
        actions: { hang: { changes: ['painting'] } },
      })
    })

    test('says which operations policies leave to the caller', async () => {
      const { resources } = await describedBy(service, roles('visitor'))
      const offered = { list: true, findOne: true, create: false, replace: false, patch: false, delete: false }
      expect(resources.tag.operations).toEqual(offered)
      expect(resources.artist.operations).toEqual(offered)
      expect((await describedBy(service, roles('staff'))).resources.tag.operations.create).toBe(true)
    })

    test('is kept by its ETag, for one caller', async () => {
      const first = await service.request('GET', '/api/$model', undefined, roles('visitor'))
      expect(first.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
      const etag = String(first.headers.etag)
      const again = await service.request('GET', '/api/$model', undefined, {
        ...roles('visitor'),
        'if-none-match': etag,
      })
      expect(again).toMatchObject({ status: 304, body: undefined, headers: { etag } })
      const other = await service.request('GET', '/api/$model', undefined, { ...roles('staff'), 'if-none-match': etag })
      expect(other.status).toBe(200)
      expect((await service.request('HEAD', '/api/$model', undefined, roles('visitor'))).headers.etag).toBe(etag)
      expect((await service.get('/api/$model?fields=id')).status).toBe(400)
      expect((await service.post('/api/$model', {})).status).toBe(405)
    })

    test('lists and errors carry the hash of the whole model, which is the same for all callers', async () => {
      const { hash } = await describedBy(service, roles('visitor'))
      expect((await describedBy(service, roles('staff'))).hash).toBe(hash)
      const list = await service.get('/api/artist')
      const missing = await service.get('/api/artist/7')
      const nowhere = await service.get('/api/nothing')
      const groups = await service.get('/api/artist/$group')
      for (const { headers } of [list, missing, nowhere, groups]) expect(headers['crud-model']).toBe(hash)
      const created = await service.request('POST', '/api/labels', { name: 'oil' }, roles('staff'))
      expect(created.headers).not.toHaveProperty('crud-model')
    })

    test('offers no keys to a caller without an id', async () => {
      const { idempotency } = await describedBy(service, { 'x-id': '' })
      expect(idempotency).toBe(true)
      const app = await buildApp(database, gallery, { plugin: { policies, caller: () => ({}), actions } as never })
      expect(await describedBy(app)).not.toHaveProperty('idempotency')
      await app.close()
    })
  })

  describe('of a service with authorize', () => {
    const resources = defineResources({
      note: { fields: { text: Type.String() } },
      list: { fields: { text: Type.String() } },
      line: { fields: { text: Type.String() } },
    })
    const asked: string[] = []
    const authorize: Authorize = (_, { action, resource, operation, id, origin }) => {
      if (operation !== 'describe') return true
      asked.push([action, resource, id, origin.resource, origin.id].join())
      if (resource === 'list') throw new Error('the application fails')
      if (resource === 'line' && action !== 'View') return new Promise(() => {})
      return Promise.resolve(action === 'View')
    }
    const service = useApp(database, resources, { plugin: { authorize } })

    test('it is asked once for each resource and action, and what is not allowed in a second is not offered', async () => {
      const begun = performance.now()
      const described = await describedBy(service)
      expect(performance.now() - begun).toBeLessThan(2_000)
      const pairs = ['note', 'list', 'line'].flatMap((resource) =>
        ['View', 'Add', 'Edit', 'Delete'].map((action) => [action, resource, '', resource, ''].join()),
      )
      expect(asked.splice(0)).toEqual(pairs)
      const only = (list: boolean) => ({
        ...{ list, findOne: list, create: false, replace: false, patch: false, delete: false },
      })
      expect(described.resources.note.operations).toEqual(only(true))
      expect(described.resources.line.operations).toEqual(only(true))
      expect(described.resources.list.operations).toEqual(only(false))
    })
  })

  describe('of tenants', () => {
    const resources = defineResources(
      {
        org: { fields: { name: Type.String() } },
        memo: { fields: { text: Type.String() } },
        country: { id: 'text', fields: { name: Type.String() }, tenant: false, public: true },
      },
      { tenant: { resource: 'org' } },
    )
    const service = useApp(database, resources, {
      plugin: {
        tenant: (_, { headers }) => (headers['x-tenant'] === undefined ? undefined : Number(headers['x-tenant'])),
      },
    })

    test('what is always refused does not exist, and without a tenant nothing of tenants is offered', async () => {
      await service.db.insertInto('org').values({ name: 'Ink' }).execute()
      const [{ id }] = (await service.db.selectFrom('org').select('id').execute()) as [{ id: number }]
      const mine = await describedBy(service, { 'x-tenant': String(id) })
      const nobodys = await describedBy(service)
      expect(mine.tenant).toBe('org')
      expect(mine.resources.country.operations).toEqual({ list: true, findOne: true })
      expect(mine.resources.org.operations).not.toHaveProperty('create')
      expect(mine.resources.memo.operations.create).toBe(true)
      expect(nobodys.resources.memo.operations).toMatchObject({ list: false, create: false })
      expect(nobodys.resources.country.operations.list).toBe(true)
    })
  })

  describe('of a service with tables of its own', () => {
    const resources = defineResources({ note: { fields: { text: Type.String() } } })

    test('no keys are offered without the table that remembers them', async () => {
      const app = await buildApp(database, resources, {
        tables: async ({ db }) => {
          await createTables(db, resources)
          await db.schema.dropTable('crud_idempotency').execute()
        },
        plugin: { tables: 'warn' },
      })
      expect(await describedBy(app)).not.toHaveProperty('idempotency')
      await app.close()
    })

    test('describe: false leaves out the route and the hash', async () => {
      const app = await buildApp(database, resources, { plugin: { describe: false } })
      const { status, headers } = await app.get('/api/$model')
      expect({ status, headers }).toMatchObject({
        status: 404,
        headers: expect.not.objectContaining({ 'crud-model': expect.anything() }),
      })
      expect((await app.get('/api/note')).headers).not.toHaveProperty('crud-model')
      await app.close()
    })

    test('a replaced endpoint asks for the action that it declares', async () => {
      const handlers = {
        note: {
          create: { access: { action: 'Delete' }, handler: (_: unknown, reply: { send(): void }) => reply.send() },
        },
      }
      const authorize: Authorize = (_, { action }) => action !== 'Delete'
      const app = await buildApp(database, resources, { plugin: { handlers, authorize } as never })
      expect((await describedBy(app)).resources.note.operations).toMatchObject({ create: false, patch: true })
      await app.close()
    })

    test('what would go past a replaced endpoint is no operation', async () => {
      const kept = defineResources({
        note: {
          softDelete: { column: 'deletedAt', trash: { purge: true } },
          history: true,
          fields: { text: Type.String() },
        },
      })
      const handler = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => void (await next())
      const [list, one] = [{ action: 'View' }, { action: 'View', id: 'id' }].map((access) => ({ access, handler }))
      const operationsWith = async (handlers: object) => {
        const app = await buildApp(database, kept, { plugin: { handlers: { note: handlers } } as never })
        const { note } = (await describedBy(app)).resources
        await app.close()
        return Object.keys(note?.operations ?? {})
      }
      const all = ['deleted', 'restore', 'purge', 'history', 'undo']
      expect(await operationsWith({})).toEqual(expect.arrayContaining(all))
      for (const [name, endpoint, gone] of [
        ['list', list, 'deleted'],
        ['create', list, 'restore'],
        ['delete', one, 'purge'],
        ['findOne', one, 'history'],
        ['replace', one, 'undo'],
      ] as const) {
        const operations = await operationsWith({ [name]: endpoint })
        expect([name, all.filter((operation) => !operations.includes(operation))]).toEqual([name, [gone]])
      }
      expect(await operationsWith({ list, deleted: list })).toContain('deleted')
    })
  })
})

test('the option describe is true or false', async () => {
  const resources = defineResources({ note: { fields: { text: Type.String() } } })
  const app = Fastify()
  app.register(crudPlugin, { db: {} as never, resources, describe: 'yes' as never })
  await expect(app.ready()).rejects.toThrow('describe: must be true or false')
})

describeOnBoth('docs/model.md', (database) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/model.md'), 'utf8')
  const resources = defineResources({
    list: {
      fields: { title: Type.String({ minLength: 1 }), archived: field(Type.Boolean(), { default: false }) },
      relations: { items: owns.many('item', { order: 'position' }), tags: knows.many('tag') },
      unique: [['title']],
      search: { fields: ['title', 'items.text'] },
    },
    item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
    tag: { fields: { name: Type.String() } },
  })
  const service = useApp(database, resources)

  test('shows what the service says', async () => {
    const shown = /^```json\n([\s\S]*?)^```$/m.exec(page)?.[1]
    expect(await describedBy(service)).toMatchObject(JSON.parse(String(shown)))
  })
})
