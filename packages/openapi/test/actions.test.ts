import { defineActions } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import { openApiOf } from '../src/document/openapi-of.ts'

const resources = defineResources({
  invoice: { fields: { total: Type.Integer() }, relations: { lines: owns.many('line') }, ifMatch: 'required' },
  line: { topLevel: true, fields: { text: Type.String() }, relations: { invoice: ownedBy('invoice') } },
})

const run = () => undefined as never
const actions = defineActions(resources, {
  invoice: {
    pay: { body: Type.Object({ paidOn: Type.String({ format: 'date' }) }), asks: 'Edit', run },
    remind: {
      on: 'list',
      asks: 'View',
      query: Type.Object({ least: Type.Integer(), of: Type.Optional(Type.Array(Type.String())) }),
      answer: Type.Object({ sent: Type.Integer() }),
      run,
    },
    reset: { on: 'list', asks: 'Add', body: Type.Optional(Type.Object({ hard: Type.Boolean() })), run },
    tally: { method: 'GET', asks: 'View', answer: Type.Integer(), run },
  },
  line: { double: { asks: 'Edit', run } },
})

const document = openApiOf(resources, { actions, guarded: false })
const at = (path: string, method: 'get' | 'post') => document.paths[path]?.[method]

test('actions have paths below their records and collections, wherever these are', () => {
  expect(Object.keys(document.paths).filter((path) => path.includes('$act'))).toEqual([
    '/api/invoice/{id}/$act/pay',
    '/api/invoice/$act/remind',
    '/api/invoice/$act/reset',
    '/api/invoice/{id}/$act/tally',
    '/api/invoice/{invoice_id}/line/{id}/$act/double',
    '/api/line/{id}/$act/double',
  ])
})

test('each is an operation by the name of the store’s path', () => {
  const ids = Object.values(document.paths).flatMap(({ parameters, ...methods }) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ['invoice.pay', 'invoice.remind', 'invoice.tallyHead', 'invoice.lines.double', 'line.double']) {
    expect(ids).toContain(id)
  }
})

test('bodies and answers are components, whose objects are closed in bodies', () => {
  const { schemas, responses } = document.components
  expect(at('/api/invoice/{id}/$act/pay', 'post')?.requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/invoice.pay.body' } } },
  })
  expect(schemas['invoice.pay.body']).toEqual({
    type: 'object',
    properties: { paidOn: { type: 'string', format: 'date' } },
    required: ['paidOn'],
    additionalProperties: false,
  })
  expect(at('/api/invoice/$act/remind', 'post')?.responses[200]).toEqual({
    $ref: '#/components/responses/invoice.remind.answer',
  })
  expect(responses['invoice.remind.answer']?.content).toEqual({
    'application/json': { schema: { $ref: '#/components/schemas/invoice.remind.answer' } },
  })
  expect(at('/api/invoice/$act/reset', 'post')?.requestBody).not.toHaveProperty('required')
})

test('without a declared answer, it is the record, or nothing for a collection', () => {
  expect(at('/api/invoice/{id}/$act/pay', 'post')?.responses[200]).toEqual({
    $ref: '#/components/responses/invoice.record',
  })
  expect(at('/api/invoice/$act/reset', 'post')?.responses[200]).toEqual({ $ref: '#/components/responses/Effects' })
  expect(at('/api/invoice/$act/reset', 'post')?.responses[204]).toEqual({ $ref: '#/components/responses/NoContent' })
})

test('the query is in parameters, and If-Match required where the descriptor says so', () => {
  expect(at('/api/invoice/$act/remind', 'post')?.parameters).toEqual([
    { name: 'least', in: 'query', required: true, schema: { type: 'integer' } },
    { name: 'of', in: 'query', required: false, schema: { type: 'array', items: { type: 'string' } } },
  ])
  expect(at('/api/invoice/{id}/$act/pay', 'post')?.parameters).toEqual([
    { $ref: '#/components/parameters/IfMatchRequired' },
  ])
  expect(at('/api/invoice/{id}/$act/tally', 'get')?.parameters).toBeUndefined()
})

test('describes leaves them out by their names', () => {
  const some = openApiOf(resources, { actions, describes: (_, operation) => operation !== 'pay' })
  expect(Object.keys(some.paths)).not.toContain('/api/invoice/{id}/$act/pay')
  expect(Object.keys(some.paths)).toContain('/api/invoice/{id}/$act/tally')
})

test('what is no action is a TypeError', () => {
  expect(() => openApiOf(resources, { actions: { invoice: { list: { asks: 'View', run } } } })).toThrow(
    /actions\.invoice\.list: 'list' is the name of an operation/,
  )
})
