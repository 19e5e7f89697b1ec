import { expect, it } from 'vitest'
import { errorKinds } from '../../core/src/errors.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { problemType } from '../src/schemas/problem-schema.ts'
import { library } from './library.ts'
import { componentOf, validatorOf } from './validator.ts'

const wrong = validatorOf(library)
const problem = {
  type: 'urn:fastify-crud:still-needed',
  title: 'Conflict',
  status: 409,
  code: 'CRUD_ERR_STILL_NEEDED',
  detail: 'publisher 3 is still needed by 2 book records',
}

it('a problem is type, title, status, code and detail, with or without errors and blockers', () => {
  expect(wrong('problem', problem)).toEqual([])
  expect(wrong('problem', { ...problem, errors: [] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ pointer: '', message: 'm' }] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ pointer: '/a/0~1b', message: 'm' }] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ pointer: 'a', message: 'm' }] })).not.toEqual([])
  const ofQuery = { parameter: 'limit', message: 'm', keyword: 'range', params: { minimum: 1, maximum: 100 } }
  expect(wrong('problem', { ...problem, errors: [ofQuery] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ ...ofQuery, params: 1 }] })).not.toEqual([])
  const blocker = { resource: 'book', relation: 'publisher', count: 2 }
  expect(wrong('problem', { ...problem, blockers: [blocker] })).toEqual([])
  expect(wrong('problem', { ...problem, blockers: [{ ...blocker, count: 'two' }] })).not.toEqual([])
})

it('a problem of the application has a type and a code of its own, and more members, with a status that it adds', () => {
  const { errors, ...own } = { ...problem, type: 'about:blank', code: 'OUT_OF_STOCK', stock: 0, errors: [] }
  const wrongWithAdded = validatorOf(library, { responses: { 429: 'Too many.' } })
  expect(wrongWithAdded('applicationProblem', own)).toEqual([])
  expect(wrongWithAdded('applicationProblem', { ...own, type: '/problems/out-of-stock' })).toEqual([])
  expect(wrongWithAdded('applicationProblem', { ...own, status: 200 })).not.toEqual([])
  expect(wrong('problem', own)).not.toEqual([])
})

it('a problem of a status that this library has, too, may have either code', () => {
  const { responses } = openApiOf(library, {
    responses: { 409: 'The till is closed.', 503: 'We are closed.' },
  }).components
  for (const name of ['Conflict', 'Taken', 'Status503']) {
    const { schema } = responses[name]?.content?.['application/problem+json'] ?? {}
    expect(schema).toEqual({ $ref: '#/components/schemas/applicationProblem' })
  }
})

it('every code has its type', () => {
  const codes = Object.keys(errorKinds) as (keyof typeof errorKinds)[]
  expect(problemType('CRUD_ERR_STILL_NEEDED')).toBe('urn:fastify-crud:still-needed')
  expect(componentOf(library, 'problem').properties).toMatchObject({
    code: { enum: [...codes, 'ERR_HTTP'] },
    type: { examples: codes.map(problemType) },
  })
})
