import * as core from '@fastify-crud/core'
import * as plugin from 'fastify-crud'
import { expect, test } from 'vitest'

const MODEL = [
  'countOf',
  'dbDefault',
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
  'checkTables',
  'createStore',
  'createTables',
  'defineEngine',
  'generateMigrations',
  'introspect',
  'keepStatements',
  'pushTables',
]
const ERRORS = ['CrudError', 'ModelError']
const RULES = ['audit', 'numbers', 'outbox', 'readOutbox', 'set', 'stamps', 'timestamps', 'transitions']
const PLANS = ['planCreate', 'planDelete', 'planLookups', 'planPatch', 'planReplace']

test('core exports the model, the plan functions, the rules, the store and the tables, and no more', () => {
  expect(Object.keys(core).sort()).toEqual([...MODEL, ...DATABASE, ...ERRORS, ...RULES, ...PLANS].sort())
})

test('fastify-crud exports the plugin, its document, its error handler, and what an application with the plugin needs of core', () => {
  const ofCore = [...MODEL, ...DATABASE, ...ERRORS, ...RULES]
  expect(Object.keys(plugin).sort()).toEqual([...ofCore, 'crudPlugin', 'default', 'openApiOf', 'sendProblem'].sort())
  expect(plugin).toMatchObject(Object.fromEntries(Object.entries(core).filter(([name]) => ofCore.includes(name))))
})
