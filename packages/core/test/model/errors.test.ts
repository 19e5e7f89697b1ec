import { CrudError, ModelError } from '@fastify-crud/core'
import { expect, test } from 'vitest'

/** As an application has it whose packages bring two versions of core. */
const anotherCopy = '../../src/errors.ts?another-copy'
const copy: typeof import('../../src/errors.ts') = await import(anotherCopy)

test('an error of another copy of the package is an error of this one', () => {
  expect(copy.CrudError).not.toBe(CrudError)
  const refused = new copy.CrudError({ code: 'CRUD_ERR_INVALID', detail: 'no', errors: [] })
  expect(refused).toBeInstanceOf(CrudError)
  expect(refused).not.toBeInstanceOf(ModelError)
  expect(new copy.ModelError([{ place: 'book', message: 'no' }])).toBeInstanceOf(ModelError)
})

test.each([[new Error('no')], [undefined], [{ name: 'CrudError', code: 'CRUD_ERR_INVALID' }]])(
  '%s is no error of the package',
  (other) => {
    expect(other).not.toBeInstanceOf(CrudError)
    expect(other).not.toBeInstanceOf(ModelError)
  },
)
