import { Validator } from '@seriousme/openapi-schema-validator'
import { type TSchema, Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import type { Model } from '../../core/src/model/model.ts'
import type { JsonSchema } from '../../core/src/model/values/schema-facts.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { toOpenApi30 } from '../src/document/to-openapi-30.ts'
import { library } from './library.ts'

function schemasOf(model: Model): Record<string, JsonSchema> {
  const schemas = Object.entries(openApiOf(model).components.schemas)
  return Object.fromEntries(schemas.map(([name, schema]) => [name, toOpenApi30(schema)]))
}

async function problemsOf(schemas: Record<string, JsonSchema>): Promise<unknown> {
  const info = { title: 'T', version: '1' }
  const document = { openapi: '3.0.3', info, paths: {}, components: { schemas } }
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  return valid ? [] : errors
}

/** Ajv knows `nullable`, as OpenAPI 3.0 has it. */
function accepts(schemas: Record<string, JsonSchema>, name: string, value: unknown): boolean {
  const ajv = new Ajv({ strict: false, validateSchema: false, formats: { decimal: true } })
  formats.default(ajv)
  ajv.addSchema({ components: { schemas } }, 'document')
  return ajv.getSchema(`document#/components/schemas/${name}`)?.(value) === true
}

describe('the schemas for OpenAPI 3.0', () => {
  it('are valid, and say the same', async () => {
    const schemas = schemasOf(library)
    expect(await problemsOf(schemas)).toEqual([])
    for (const [name, { example }] of Object.entries(schemas)) {
      if (example !== undefined) expect(accepts(schemas, name, example), name).toBe(true)
    }
    const book = { title: 'T', publisherId: 1, authors: [{ id: 1 }], contract: { signed: true } }
    for (const more of [{}, { cover: null, price: null, seriesId: null, publisher: null }]) {
      expect(accepts(schemas, 'book.create', { ...book, ...more })).toBe(true)
    }
    for (const more of [{ title: null }, { price: 'x' }, { nope: 1 }, { contract: null }]) {
      expect(accepts(schemas, 'book.create', { ...book, ...more })).toBe(false)
    }
  })

  it('allow what only a pattern says, such as the paths of a filter', () => {
    const schemas = schemasOf(library)
    for (const filter of [{ 'publisher.name': 'Ink' }, { price: { gte: 5 } }]) {
      expect(accepts(schemas, 'book.filter', filter)).toBe(true)
    }
    expect(accepts(schemas, 'book.filter', { price: { gte: 'x' } })).toBe(false)
  })

  it.each<[TSchema, good: unknown, bad: unknown]>([
    [Type.Literal('a'), 'a', 'b'],
    [Type.Union([Type.Literal('a'), Type.Literal('b')]), 'b', 'c'],
    [Type.Tuple([Type.Number(), Type.Boolean()]), [1, true], [1, 'x']],
    [Type.Any(), [1], undefined],
    [Type.Object({ a: Type.Optional(Type.Null()) }), { a: null }, { a: 1 }],
    [Type.Record(Type.String(), Type.Number()), { a: 1 }, 1],
    [Type.Array(Type.Union([Type.String(), Type.Null()])), [null], [1]],
    [Type.Object({ a: Type.Unsafe({ type: ['string', 'integer', 'null'] }) }), { a: null }, { a: 1.5 }],
    [
      Type.Object({ a: Type.Unsafe({ type: ['string', 'integer'], anyOf: [{ const: 1 }, { const: true }] }) }),
      { a: 1 },
      { a: true },
    ],
    [Type.Recursive((This) => Type.Object({ next: Type.Optional(This) })), { next: {} }, { next: 1 }],
  ])('are valid for a field of any type: %j', async (field, good, bad) => {
    for (const value of [field, Type.Optional(field)]) {
      const schemas = schemasOf(defineResources({ thing: { fields: { value } } }))
      expect(await problemsOf(schemas)).toEqual([])
      expect(accepts(schemas, 'thing.create', { value: good })).toBe(true)
      if (bad !== undefined) expect(accepts(schemas, 'thing.create', { value: bad })).toBe(false)
      expect(accepts(schemas, 'thing.patch', { value: null })).toBe(value !== field)
    }
  })

  it('have bounds as OpenAPI 3.0 writes them', () => {
    expect(toOpenApi30({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 })).toEqual({
      type: 'number',
      minimum: 0,
      exclusiveMinimum: true,
      maximum: 1,
      exclusiveMaximum: true,
    })
  })
})
