import { type TSchema, Type } from '@sinclair/typebox'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { componentOf, propertyOf, validatorOf } from './validator.ts'

function modelOf(field: TSchema) {
  return defineResources({ thing: { fields: { value: field } } })
}

/** The field's schema in a record: required, and as it is when it is optional. */
function shown(field: TSchema): unknown {
  return propertyOf(modelOf(field), 'thing.record', 'value')
}

const Colour = Type.Union([Type.Literal('red'), Type.Literal('blue')])
const samples: readonly [name: string, schema: TSchema, value: unknown][] = [
  ['a string', Type.String(), 'a'],
  ['a decimal', Type.String({ format: 'decimal' }), '1.50'],
  ['a number', Type.Number({ minimum: 0 }), 1.5],
  ['an integer', Type.Integer(), 1],
  ['a boolean', Type.Boolean(), false],
  ['a literal', Type.Literal('a'), 'a'],
  ['a union of literals', Colour, 'red'],
  ['an enum', Type.Unsafe({ type: 'string', enum: ['a', 'b'] }), 'b'],
  ['an enum without a type', Type.Unsafe({ enum: ['a', 'b'] }), 'b'],
  [
    'oneOf',
    Type.Unsafe({
      oneOf: [
        { type: 'string', maxLength: 2 },
        { type: 'string', minLength: 4 },
      ],
    }),
    'a',
  ],
  ['a type and an exception', Type.Unsafe({ type: 'string', not: { const: 'b' } }), 'a'],
  ['an object', Type.Object({ a: Type.Optional(Type.Null()) }), { a: null }],
  [
    'an intersection',
    Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
    { a: '', b: '' },
  ],
  ['an array', Type.Array(Type.Union([Type.String(), Type.Null()])), [null]],
  ['a tuple', Type.Tuple([Type.Number(), Type.Number()]), [1, 2]],
  ['a record', Type.Record(Type.String(), Type.Number()), { a: 1 }],
  ['anything', Type.Any(), { a: [1] }],
  ['a choice with anything', Type.Union([Type.Object({ a: Type.String() }), Type.Any()]), 'x'],
  ['not a string', Type.Not(Type.String()), 1],
]

describe('the schema of a field', () => {
  it.each(samples)('%s takes null only if the field may be null', (_, schema, value) => {
    const required = validatorOf(modelOf(schema))
    expect(required('thing.create', { value })).toEqual([])
    expect(required('thing.record', { id: 1, value })).toEqual([])
    expect(required('thing.create', { value: null })).not.toEqual([])
    expect(required('thing.create', {})).not.toEqual([])
    const optional = validatorOf(modelOf(Type.Optional(schema)))
    expect(optional('thing.create', { value })).toEqual([])
    expect(optional('thing.record', { id: 1, value: null })).toEqual([])
    expect(optional('thing.create', { value: null })).toEqual([])
    expect(optional('thing.create', {})).toEqual([])
  })

  it('takes null where the schema says so itself', () => {
    for (const schema of [
      Type.Union([Type.String(), Type.Null()]),
      Type.Unsafe({ type: ['string', 'null'] }),
      Type.Unsafe({ enum: ['a', null] }),
      Type.Unsafe({ oneOf: [{ type: 'string' }, { type: 'null' }] }),
    ]) {
      const wrong = validatorOf(modelOf(schema))
      expect(wrong('thing.create', { value: null })).toEqual([])
      expect(wrong('thing.create', { value: 'a' })).toEqual([])
      expect(wrong('thing.create', {})).not.toEqual([])
    }
  })

  it('says null as a type where that is enough', () => {
    expect(shown(Type.Optional(Type.String({ format: 'date' })))).toEqual({ type: ['string', 'null'], format: 'date' })
    expect(shown(Type.Optional(Type.Unsafe({ type: 'string', enum: ['a'] })))).toEqual({
      type: ['string', 'null'],
      enum: ['a', null],
    })
    expect(shown(Type.Optional(Colour))).toEqual({
      anyOf: [{ const: 'red', type: 'string' }, { const: 'blue', type: 'string' }, { type: 'null' }],
    })
  })

  it('keeps what describes the field beside the choice', () => {
    expect(shown(Type.Optional(Type.Literal('a', { description: 'Always a.' })))).toEqual({
      description: 'Always a.',
      anyOf: [{ const: 'a', type: 'string' }, { type: 'null' }],
    })
  })

  it('writes tuples as JSON Schema 2020-12 does', () => {
    expect(shown(Type.Object({ at: Type.Tuple([Type.Number(), Type.Number()]) }))).toMatchObject({
      properties: { at: { prefixItems: [{ type: 'number' }, { type: 'number' }], items: false } },
    })
  })

  it("does not repeat the field's own $id", () => {
    expect(shown(Type.String({ $id: 'Name' }))).toEqual({ type: 'string' })
    const Node = Type.Recursive((This) => Type.Object({ next: Type.Optional(This) }), { $id: 'Node' })
    const wrong = validatorOf(modelOf(Type.Object({ head: Node })))
    expect(wrong('thing.create', { value: { head: { next: {} } } })).toEqual([])
    expect(wrong('thing.record', { id: 1, value: { head: { next: 1 } } })).not.toEqual([])
  })

  it.each<[name: string, schema: TSchema]>([
    ['a recursive type', Type.Recursive((This) => Type.Object({ next: Type.Optional(This) }))],
    [
      'the schema itself',
      Type.Unsafe({ type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false }),
    ],
    [
      'a definition',
      Type.Unsafe({
        $ref: '#/$defs/a~1b',
        $defs: { 'a/b': { type: 'object', properties: { next: { $ref: '#/$defs/a~1b' } } } },
      }),
    ],
  ])('refers to its own parts wherever it stands: %s', (_, schema) => {
    for (const field of [schema, Type.Optional(schema)]) {
      const wrong = validatorOf(modelOf(field))
      for (const body of ['thing.create', 'thing.replace', 'thing.patch']) {
        expect(wrong(body, { value: { next: { next: {} } } })).toEqual([])
        expect(wrong(body, { value: { next: { next: 1 } } })).not.toEqual([])
      }
      expect(wrong('thing.patch', { value: null }).length > 0).toBe(field === schema)
    }
  })

  it('is plain data, and leaves the descriptor as it was', () => {
    const field = Object.freeze(Type.Optional(Type.String({ default: 'a' })))
    expect(Object.getOwnPropertySymbols(shown(field))).toEqual([])
    expect(shown(field)).toEqual({ type: ['string', 'null'] })
    expect(propertyOf(modelOf(field), 'thing.create', 'value')).toEqual({ type: ['string', 'null'], default: 'a' })
  })

  it('says nothing of how TypeBox marks its schemas', () => {
    expect(shown(Type.Unsafe({ type: 'string', '~kind': 'String', '~optional': true }))).toEqual({
      type: ['string', 'null'],
    })
  })

  it('is not `readOnly` or `writeOnly` inside of a value: that is stored and returned as a whole', () => {
    const model = modelOf(Type.Object({ a: Type.String({ readOnly: true }), b: Type.String({ writeOnly: true }) }))
    for (const component of ['thing.record', 'thing.create', 'thing.replace', 'thing.patch']) {
      expect(JSON.stringify(componentOf(model, component))).not.toMatch(/readOnly|writeOnly/)
    }
  })

  it('is valid JSON Schema 2020-12', () => {
    for (const [, schema] of samples) {
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      for (const name of ['thing.record', 'thing.create', 'thing.replace', 'thing.patch']) {
        expect(ajv.validateSchema(componentOf(modelOf(Type.Optional(schema)), name)), name).toBe(true)
      }
    }
  })
})
