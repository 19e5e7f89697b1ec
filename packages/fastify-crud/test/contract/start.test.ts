import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  checkTables,
  createStore,
  createTables,
  crudPlugin,
  defineResources,
  knows,
  needs,
  ownedBy,
  owns,
} from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppOptions, buildApp } from '../../../../test/support/app.ts'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { product } from './models/product.ts'

describeOnBoth('a replaced endpoint without an access declaration', (database) => {
  test('is refused at start', async () => {
    const handler = () => {}
    // @ts-expect-error: the types ask for it too
    const plugin: NonNullable<AppOptions['plugin']> = { handlers: { product: { findOne: { handler } } } }
    await expect(buildApp(database, product, { plugin })).rejects.toThrow(/access/)
  })
})

describeOnBoth('what is no database, or no model', (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
  })
  afterAll(() => open.close())

  test('is refused at start, and named', async () => {
    const start = async (options: object) => Fastify().register(crudPlugin, options as never)
    const { db } = open
    const noModel = 'resources: must be what defineResources returned'
    const noDatabase = 'db: must be a Kysely instance'
    for (const resources of [undefined, null, {}, product.descriptors]) {
      await expect(start({ db, resources })).rejects.toThrow(noModel)
      await expect(start({ db, resources, handlers: { product: {} } })).rejects.toThrow(noModel)
      await expect(createTables(db, resources as never)).rejects.toThrow(noModel)
      await expect(checkTables(db, resources as never)).rejects.toThrow(noModel)
      expect(() => createStore({ db, resources: resources as never })).toThrow(noModel)
    }
    for (const other of [undefined, null, {}, { prepare() {} }]) {
      await expect(start({ db: other, resources: product })).rejects.toThrow(noDatabase)
      await expect(createTables(other as never, product)).rejects.toThrow(noDatabase)
      expect(() => createStore({ db: other as never, resources: product })).toThrow(noDatabase)
    }
  })
})

test('descriptors that are no object are refused', () => {
  for (const none of [undefined, null, 'book']) {
    expect(() => defineResources(none as never)).toThrow('resources: must be an object with a descriptor for each')
  }
})

test('a model that can never be inserted is refused at start: a needs b, b needs a', () => {
  expect(() =>
    defineResources({
      a: { fields: { name: Type.String() }, relations: { b: needs.one('b') } },
      b: { fields: { name: Type.String() }, relations: { a: needs.one('a') } },
    }),
  ).toThrow(/never be inserted/)
  expect(() =>
    defineResources({
      a: { fields: { name: Type.String() }, relations: { bs: needs.many('b') } },
      b: { fields: { name: Type.String() }, relations: { as: needs.many('a') } },
    }),
  ).toThrow(/never be inserted/)
  expect(() => defineResources({ a: { relations: { self: needs.one('a') } } })).toThrow(/never be inserted/)
})

test('a circle that knows closes can be inserted', () => {
  expect(() =>
    defineResources({
      a: { fields: { name: Type.String() }, relations: { b: needs.one('b') } },
      b: { fields: { name: Type.String() }, relations: { a: knows.one('a') } },
    }),
  ).not.toThrow()
})

test('a wrong model throws one error that lists every problem with its place', () => {
  const wrong = {
    book: {
      fields: { id: Type.Integer(), title: Type.String() },
      relations: { authors: needs.many('auhtor'), chapters: owns.many('chapter') },
    },
    author: { fields: { name: Type.String() } },
    chapter: { fields: { title: Type.String() }, relations: { id: knows.one('author'), shelf: ownedBy('author') } },
  }
  const define = defineResources as (descriptors: Record<string, unknown>) => unknown
  expect(() => define(wrong)).toThrow(/book\.relations\.authors: no resource 'auhtor'; did you mean 'author'\?/)
  expect(() => define(wrong)).toThrow(/book\.fields\.id/)
  expect(() => define(wrong)).toThrow(/book\.relations\.chapters/)
  expect(() => define(wrong)).toThrow(/chapter\.relations\.id/)
  expect(() => define(wrong)).toThrow(/chapter\.relations\.shelf/)
})

test('every test runs on both databases', () => {
  expect(databases.map(({ name }) => name)).toEqual(['sqlite', 'postgres'])
})
