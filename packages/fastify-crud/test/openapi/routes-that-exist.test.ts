import { Type } from '@sinclair/typebox'
import { createTables, defineActions, defineResources, knows, type OpenApiDocument, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { openApp } from './open-app.ts'

const trash = { column: 'deletedAt', trash: { purge: true } } as const
const resources = defineResources({
  invoice: {
    softDelete: trash,
    history: true,
    fields: { total: Type.Integer() },
    relations: { lines: owns.many('line'), tags: knows.many('tag') },
  },
  line: {
    topLevel: true,
    softDelete: { column: 'deletedAt' },
    fields: { amount: Type.Integer() },
    relations: { invoice: ownedBy('invoice') },
  },
  tag: { fields: { name: Type.String() }, relations: { invoices: knows.many('invoice') } },
})

const actions = defineActions(resources, {
  invoice: {
    pay: { asks: 'Edit', run: () => undefined },
    tally: { asks: 'View', method: 'GET', answer: Type.Integer(), run: () => 1 },
    remind: { on: 'list', asks: 'View', run: () => undefined },
  },
  line: { double: { asks: 'Edit', run: () => undefined } },
})

const handler = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => void (await next())
const record = { access: { action: 'View', id: 'id' }, handler } as const
const list = { access: { action: 'View' }, handler } as const

/** The routes of a service beside those of its document, each as `GET /api/invoice/{id}`. */
async function routesAndDocument(options: object): Promise<[registered: string[], document: string[]]> {
  const { app, serve, db } = openApp()
  const registered: string[] = []
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config === undefined || !('crud' in config)) return
    const path = url.replaceAll(/:([a-z_]+)/g, '{$1}')
    for (const one of [method].flat()) registered.push(`${one} ${path}`)
  })
  await createTables(db, resources)
  await serve({
    resources: resources as never,
    actions: actions as never,
    openapi: { path: '/openapi.json' },
    ...options,
  })
  const { paths }: OpenApiDocument = (await app.inject('/api/openapi.json')).json()
  const document = Object.entries(paths).flatMap(([path, { parameters: _, ...methods }]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  return [registered.sort(), document.sort()]
}

test.each<[replaced: string, handlers: object, absent: string[], present: string[]]>([
  ['nothing', {}, [], ['POST /api/invoice/{id}/$act/pay', 'POST /api/line/{id}/$act/double']],
  [
    'findOne',
    { invoice: { findOne: record } },
    [
      'POST /api/invoice/{id}/$act/pay',
      'GET /api/invoice/$deleted/{id}',
      'GET /api/invoice/{id}/$history',
      'GET /api/invoice/{id}/tags',
    ],
    ['GET /api/invoice/{id}', 'GET /api/invoice/{id}/$act/tally', 'POST /api/invoice/{id}/$history/{write}/$undo'],
  ],
  [
    'list',
    { invoice: { list } },
    ['POST /api/invoice/$list', 'POST /api/invoice/$group', 'GET /api/invoice/$deleted', 'GET /api/tag/{id}/invoices'],
    ['GET /api/invoice', 'GET /api/invoice/$deleted/{id}', 'POST /api/invoice/$act/remind'],
  ],
  [
    'create, replace and delete',
    { invoice: { create: list, replace: record, delete: record } },
    [
      'POST /api/invoice/{id}/$restore',
      'POST /api/invoice/{id}/$history/{write}/$undo',
      'DELETE /api/invoice/$deleted/{id}',
      'DELETE /api/invoice',
    ],
    ['POST /api/invoice', 'PATCH /api/invoice', 'DELETE /api/invoice/{id}'],
  ],
  [
    'patch, but for links',
    { invoice: { patch: { ...record, also: ['link'] } } },
    ['PATCH /api/invoice'],
    ['PATCH /api/invoice/{id}', 'PUT /api/invoice/{id}/tags/{tag_id}'],
  ],
  [
    'an action of owned records',
    { line: { double: record } },
    ['POST /api/line/{id}/$act/double'],
    ['POST /api/invoice/{invoice_id}/line/{id}/$act/double'],
  ],
  [
    'an action, wherever it is',
    { line: { double: { ...record, also: ['topLevel'] } } },
    [],
    ['POST /api/line/{id}/$act/double', 'POST /api/invoice/{invoice_id}/line/{id}/$act/double'],
  ],
])(
  'where an application replaces %s, the document has the routes that there are',
  async (_, handlers, absent, present) => {
    const [registered, document] = await routesAndDocument({ handlers })
    expect(document).toEqual(registered)
    expect(document).toEqual(expect.arrayContaining(present))
    expect(absent.filter((route) => document.includes(route))).toEqual([])
  },
)

test('in a model with tenants, it has what only handlers do', async () => {
  const options = {
    resources: defineResources(
      { shop: { fields: { name: Type.String() } } },
      { tenant: { resource: 'shop' } },
    ) as never,
    actions: undefined,
    tenant: () => 1,
  }
  const [, document] = await routesAndDocument(options)
  expect(document).not.toContain('POST /api/shop')
  const [, made] = await routesAndDocument({ ...options, handlers: { shop: { create: list } } })
  expect(made).toContain('POST /api/shop')
})
