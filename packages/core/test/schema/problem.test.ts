import { expect, it } from 'vitest'
import { errorKinds } from '../../src/errors.ts'
import { problemType } from '../../src/schema/problem-schema.ts'
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

it('a problem is type, title, status, code and detail, with or without errors', () => {
  expect(wrong('problem', problem)).toEqual([])
  expect(wrong('problem', { ...problem, errors: [] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ pointer: '', message: 'm' }] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ pointer: '/a/0~1b', message: 'm' }] })).toEqual([])
  expect(wrong('problem', { ...problem, errors: [{ pointer: 'a', message: 'm' }] })).not.toEqual([])
})

it('a problem of the application has a type and a code of its own, and more members', () => {
  const { errors, ...own } = { ...problem, type: 'about:blank', code: 'OUT_OF_STOCK', stock: 0, errors: [] }
  expect(wrong('problem', own)).toEqual([])
  expect(wrong('problem', { ...own, type: '/problems/out-of-stock' })).toEqual([])
  expect(wrong('problem', { ...own, status: 200 })).not.toEqual([])
})

it('every code has its type', () => {
  const codes = Object.keys(errorKinds) as (keyof typeof errorKinds)[]
  expect(problemType('CRUD_ERR_STILL_NEEDED')).toBe('urn:fastify-crud:still-needed')
  expect(componentOf(library, 'problem').properties).toMatchObject({
    code: { examples: codes },
    type: { examples: codes.map(problemType) },
  })
})
