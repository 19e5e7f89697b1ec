import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { field } from '../../core/src/model/descriptors/field.ts'
import { componentOf, propertyOf, validatorOf } from './validator.ts'

const model = defineResources({
  thing: {
    fields: {
      name: z
        .string()
        .min(1)
        .refine((name) => name.startsWith('t'), 'must start with t'),
      price: z.number().optional(),
      done: z.boolean().default(false),
      nick: type('string | null'),
      pair: z.tuple([z.string(), z.int32()]).optional(),
      code: field(toStandardJsonSchema(v.pipe(v.string(), v.maxLength(3))), { readOnly: true }),
      tree: type.module({ node: { value: 'string', 'next?': 'node' } }).node,
      late: z.string().refine(async () => true),
    },
  },
})

test('the document has the JSON Schema of fields of other libraries, as of any other', () => {
  expect(propertyOf(model, 'thing.record', 'name')).toEqual({ type: 'string', minLength: 1 })
  expect(propertyOf(model, 'thing.record', 'price')).toEqual({ type: ['number', 'null'] })
  expect(propertyOf(model, 'thing.record', 'code')).toEqual({ type: 'string', maxLength: 3, readOnly: true })
  expect(propertyOf(model, 'thing.create', 'done')).toEqual({ type: 'boolean', default: false })
  expect(propertyOf(model, 'thing.record', 'pair')).toMatchObject({
    type: ['array', 'null'],
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    items: false,
  })
  expect(componentOf(model, 'thing.create').required).toEqual(['name', 'nick', 'tree', 'late'])
})

test('what contains itself is a component', () => {
  const check = validatorOf(model)
  const body = { name: 't', nick: null, tree: { value: 'a', next: { value: 'b' } }, late: '' }
  expect(check('thing.create', body)).toEqual([])
  expect(check('thing.create', { ...body, tree: { value: 'a', next: { value: 1 } } })).not.toEqual([])
})

test('an example passes the check of its library', () => {
  const name = z
    .string()
    .meta({ examples: ['bob', 'rob'] })
    .refine((text) => text === 'rob')
  const { examples } = componentOf(defineResources({ person: { fields: { name } } }), 'person.create')
  expect(examples).toEqual([{ name: 'rob' }])
})
