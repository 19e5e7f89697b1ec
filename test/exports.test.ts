import * as client from '@fastify-crud/client'
import * as queries from '@fastify-crud/client/query'
import * as core from '@fastify-crud/core'
import * as explorer from '@fastify-crud/explorer'
import * as mcp from '@fastify-crud/mcp'
import * as openapi from '@fastify-crud/openapi'
import * as reactAdmin from '@fastify-crud/react-admin'
import * as refine from '@fastify-crud/refine'
import * as tables from '@fastify-crud/tables'
import * as plugin from 'fastify-crud'
import { expect, test } from 'vitest'

const MODEL = [
  'countOf',
  'dbDefault',
  'defineActions',
  'defineResources',
  'field',
  'knows',
  'maxOf',
  'minOf',
  'neededBy',
  'needs',
  'ownedBy',
  'owns',
  'sumOf',
  'visible',
]
const DATABASE = [
  'checkExpressions',
  'createStore',
  'defineEngine',
  'eraseHistory',
  'keepStatements',
  'pruneHistory',
  'readChanges',
]
const TABLES = ['checkTables', 'createTables', 'generateMigrations', 'introspect', 'pushTables']
const ERRORS = ['CrudError', 'ModelError']
const RULES = ['audit', 'numbers', 'outbox', 'readOutbox', 'set', 'stamps', 'timestamps', 'transitions']
const PLANS = ['planCreate', 'planDelete', 'planLookups', 'planPatch', 'planReplace']

test('core exports the model, the plan functions, the rules and the store, and no more', () => {
  expect(Object.keys(core).sort()).toEqual([...MODEL, ...DATABASE, ...ERRORS, ...RULES, ...PLANS].sort())
})

test('@fastify-crud/tables exports what it does to tables, and no more', () => {
  expect(Object.keys(tables).sort()).toEqual(TABLES)
})

test('@fastify-crud/mcp exports the plugin, and no more', () => {
  expect(Object.keys(mcp).sort()).toEqual(['crudMcp', 'default'])
})

test('@fastify-crud/client exports the client and its errors, and no more', () => {
  expect(Object.keys(client).sort()).toEqual(['ConflictError', 'EffectsChangedError', 'ServiceError', 'createClient'])
})

test('@fastify-crud/react-admin exports its provider, what a caller may be offered, and no more', () => {
  expect(Object.keys(reactAdmin).sort()).toEqual([
    'ReactAdminError',
    'reactAdminAccess',
    'reactAdminLive',
    'reactAdminProvider',
  ])
})

test('@fastify-crud/refine exports its provider, what a caller may be offered, and no more', () => {
  expect(Object.keys(refine).sort()).toEqual(['RefineError', 'refineAccess', 'refineLive', 'refineProvider'])
})

test('@fastify-crud/explorer exports its plugin, and no more', () => {
  expect(Object.keys(explorer).sort()).toEqual(['default', 'explorer'])
})

test('@fastify-crud/client/query exports what makes queries, and no more', () => {
  expect(Object.keys(queries)).toEqual(['createQueries', 'live'])
})

test('fastify-crud exports the plugin, its document, its error handler, and what an application needs of the other packages', () => {
  const ofCore = [...MODEL, ...DATABASE, ...ERRORS, ...RULES]
  const own = ['crudOptions', 'crudPlugin', 'default', 'sendClientProblem', 'sendProblem']
  expect(Object.keys(plugin).sort()).toEqual([...ofCore, ...TABLES, ...own, 'openApiOf'].sort())
  expect(plugin).toMatchObject(Object.fromEntries(Object.entries(core).filter(([name]) => ofCore.includes(name))))
  expect(plugin).toMatchObject({ ...tables, openApiOf: openapi.openApiOf })
})
