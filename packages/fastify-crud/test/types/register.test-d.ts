import type { Http2Server } from 'node:http2'
import swagger from '@fastify/swagger'
import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance, type FastifyPluginAsync, type FastifyPluginCallback } from 'fastify'
import {
  type AnyKysely,
  type CrudOptions,
  crudOptions,
  crudPlugin,
  defineResources,
  type Handlers,
  type Id,
  type Listing,
  ownedBy,
  owns,
  type RecordOf,
  type ReplacedEndpoint,
} from 'fastify-crud'
import { describe, expectTypeOf, test } from 'vitest'

const resources = defineResources({
  book: { fields: { title: Type.String() }, relations: { notes: owns.many('note') } },
  note: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
})
type Book = RecordOf<typeof resources, 'book'>
type Note = RecordOf<typeof resources, 'note'>

const app = Fastify()
declare const db: AnyKysely
const access = { action: 'View', id: 'id' } as const

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: () => unknown): void {}

describe('app.register(crudPlugin, …)', () => {
  test('takes the options of the plugin, and those of register', () => {
    compiled(() => [
      app.register(crudPlugin, { db, resources }),
      app.register(crudPlugin, { db, resources, prefix: '/v1', decorator: 'v1', logLevel: 'warn' }),
      app.register(crudPlugin, {
        db,
        resources,
        routes: { book: { list: { config: { mine: 1 }, logLevel: 'warn' } } },
      }),
      app.register(crudPlugin, {
        db,
        resources,
        routes: { note: { create: { onRequest: [(_r, _y, done) => done()] } } },
      }),
      // @ts-expect-error: there is no such resource
      app.register(crudPlugin, { db, resources, routes: { bok: { list: {} } } }),
      // @ts-expect-error: there is no such operation
      app.register(crudPlugin, { db, resources, routes: { book: { lst: {} } } }),
      // @ts-expect-error: the plugin answers text
      app.register(crudPlugin, { db, resources, routes: { book: { list: { schema: {} } } } }),
      app.get('/mine', { config: { mine: 1 } }, (request) => request.routeOptions.config.crud?.operation === 'list'),
      app.register(crudPlugin, () => ({ db, resources })),
      app.register(import('fastify-crud'), { db, resources }),
      Fastify({ http2: true }).register(crudPlugin, { db, resources }),
      app.register(crudPlugin, {} as CrudOptions),
      app.register(crudPlugin, {} as CrudOptions<typeof resources>),
    ])
  })

  test('takes no other option, and not less', () => {
    compiled(() => [
      // @ts-expect-error there is no such option
      app.register(crudPlugin, { db, resources, handler: {} }),
      // @ts-expect-error a database is required
      app.register(crudPlugin, { resources }),
      // @ts-expect-error options are required
      app.register(crudPlugin),
      // @ts-expect-error descriptors are not a model
      app.register(crudPlugin, { db, resources: resources.descriptors }),
      // @ts-expect-error there is no such limit
      app.register(crudPlugin, { db, resources, limits: { maxPages: 1 } }),
    ])
  })

  test('has short errors with crudOptions, at the option that is wrong', () => {
    compiled(() => [
      app.register(crudPlugin, crudOptions(resources, { db, prefix: '/v1', logLevel: 'warn' })),
      app.register(
        crudPlugin,
        crudOptions(resources, {
          db,
          caller: (request) => ({ user: request.id }),
          policies: { book: ({ eb, my }) => eb('title', '=', my('user')) },
          authorize: (_request, { caller, resource }) => caller.user === 'a' && resource === 'note',
          handlers: { book: { findOne: { access: { action: 'View', id: 'id' }, handler: () => {} } } },
        }),
      ),
      crudOptions(resources, {
        db,
        // @ts-expect-error there is no such option
        handler: {},
      }),
      crudOptions(resources, {
        db,
        // @ts-expect-error there is no such limit
        limits: { maxPages: 1 },
      }),
      crudOptions(resources, {
        db,
        // @ts-expect-error there is no such resource
        routes: { bok: { list: {} } },
      }),
      crudOptions(resources, {
        db,
        caller: () => ({ user: 'a' }),
        // @ts-expect-error the caller has no such property
        tenant: (caller) => caller.org,
      }),
      // @ts-expect-error a database is required
      crudOptions(resources, {}),
      // @ts-expect-error descriptors are not a model
      crudOptions(resources.descriptors, { db }),
    ])
    expectTypeOf(crudOptions(resources, { db })).toExtend<CrudOptions<typeof resources>>()
  })

  test('takes handlers for resources and operations that there are', () => {
    const handler = () => {}
    const veiw = { action: 'Veiw' } as const
    compiled(() => [
      app.register(crudPlugin, { db, resources, handlers: { book: { findOne: { access, handler } } } }),
      // @ts-expect-error no such resource
      app.register(crudPlugin, { db, resources, handlers: { bok: { findOne: { access, handler } } } }),
      // @ts-expect-error no such resource, besides one that there is
      app.register(crudPlugin, { db, resources, handlers: { book: { findOne: { access, handler } }, bok: {} } }),
      // @ts-expect-error no such operation
      app.register(crudPlugin, { db, resources, handlers: { book: { finOne: { access, handler } } } }),
      // @ts-expect-error no such action
      app.register(crudPlugin, { db, resources, handlers: { book: { list: { access: veiw, handler } } } }),
      // @ts-expect-error who may call it is not said
      app.register(crudPlugin, { db, resources, handlers: { book: { list: { handler } } } }),
    ])
  })

  test('knows what next() resolves to', () => {
    compiled(() =>
      app.register(crudPlugin, {
        db,
        resources,
        handlers: {
          book: {
            list: {
              access,
              async handler(request, reply, next) {
                expectTypeOf(await next()).toEqualTypeOf<Listing<Book>>()
                reply.header('x-id', request.id)
              },
            },
            findOne: {
              access,
              async handler(_request, _reply, next) {
                expectTypeOf(await next()).toEqualTypeOf<Book>()
              },
            },
            create: {
              access,
              async handler(_request, _reply, next) {
                expectTypeOf(await next()).toEqualTypeOf<Book | undefined>()
              },
            },
            delete: {
              access,
              async handler(_request, _reply, next) {
                expectTypeOf(await next()).toEqualTypeOf<undefined>()
              },
            },
          },
          note: {
            patch: {
              access,
              async handler(_request, _reply, next) {
                expectTypeOf(await next()).toEqualTypeOf<Note | undefined>()
              },
            },
          },
        },
      }),
    )
  })

  test('knows the caller in handlers and in `db.of`', () => {
    compiled(() =>
      app.register(crudPlugin, {
        db: {
          model: db,
          of: (caller) => {
            expectTypeOf(caller).toEqualTypeOf<{ id: number }>()
            return db
          },
        },
        resources,
        caller: () => ({ id: 7 }),
        handlers: {
          book: {
            list: {
              access,
              async handler(_request, _reply, _next, { caller, tenant, db }) {
                expectTypeOf(caller).toEqualTypeOf<{ id: number }>()
                expectTypeOf(tenant).toEqualTypeOf<Id | undefined>()
                expectTypeOf(db).toEqualTypeOf<AnyKysely>()
              },
            },
          },
        },
      }),
    )
  })

  test('takes endpoints that are replaced elsewhere, with their types', () => {
    const any = {} as ReplacedEndpoint
    const one = {} as ReplacedEndpoint<Book>
    const handlers = { book: { findOne: one } } satisfies Handlers<typeof resources>
    compiled(() => [
      app.register(crudPlugin, { db, resources, handlers }),
      app.register(crudPlugin, { db, resources, handlers: { book: { list: any, findOne: one } } }),
      // @ts-expect-error a note is no book
      app.register(crudPlugin, { db, resources, handlers: { note: { findOne: one } } }),
    ])
  })

  test('asks `authorize` about resources that there are', () => {
    compiled(() => [
      app.register(crudPlugin, { db, resources, authorize: (_, { resource }) => resource === 'book' }),
      // @ts-expect-error no such resource
      app.register(crudPlugin, { db, resources, authorize: (_, { resource }) => resource === 'bok' }),
    ])
  })

  test('gives `session` what `caller` returns', () => {
    const caller = async () => ({ name: 'ada', age: 36 })
    compiled(() => [
      app.register(crudPlugin, { db, resources, caller, session: ({ name }) => ({ 'app.user': name }) }),
      // @ts-expect-error a setting is a string
      app.register(crudPlugin, { db, resources, caller, session: ({ age }) => ({ 'app.age': age }) }),
      // @ts-expect-error the caller has no email
      app.register(crudPlugin, { db, resources, caller, session: ({ email }) => ({ 'app.user': email }) }),
    ])
  })
})

describe('app.register of another plugin', () => {
  interface Options {
    readonly size: number
  }
  const plugin = {} as FastifyPluginAsync<Options>
  const callback = {} as FastifyPluginCallback<Options>
  const secure = {} as FastifyPluginAsync<Options, Http2Server>

  test('is as it is without this one', () => {
    compiled(() => [
      app.register(plugin, { size: 1 }),
      app.register(callback, { size: 1 }),
      app.register(secure, { size: 1 }),
      app.register(swagger, { mode: 'dynamic' }),
      app.register(import('@fastify/swagger'), { mode: 'dynamic' }),
      app.register(async (scope) => void scope.log, { prefix: '/v1' }),
      app.register((scope, _, done) => done(scope.log && undefined)),
      // @ts-expect-error
      app.register(plugin, { size: '1' }),
      // @ts-expect-error
      app.register(plugin, { size: 1, sise: 1 }),
      // @ts-expect-error
      app.register(plugin, {}),
      // @ts-expect-error
      app.register(callback, { size: '1' }),
      // @ts-expect-error
      app.register(swagger, { mode: 'dyanmic' }),
      // @ts-expect-error
      app.register(import('@fastify/swagger'), { mode: 'dyanmic' }),
      // @ts-expect-error
      app.register(async (_: FastifyInstance & { size: number }, __: Options) => {}, { size: 1 }),
      // @ts-expect-error
      app.register({ size: 1 }, { size: 1 }),
    ])
  })
})
