import { defineResources, field, ModelError } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type as Old } from '@sinclair/typebox'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** The problems of a model with one field `a.x`, without their place, which must be that of the field. */
function problemsOf(schema: unknown): readonly string[] {
  try {
    defineResources({ a: { fields: { x: schema } } } as never)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    for (const { place } of error.problems) expect(place).toBe('a.fields.x')
    return error.problems.map(({ message }) => message)
  }
  return []
}

class Schema {
  readonly type = 'string'
}
const circular: { type: string; items?: object } = { type: 'array' }
circular.items = circular
const expected = "a field is a JSON Schema, such as Type.String() of TypeBox or { type: 'string' }"

test.each<[string, unknown, string]>([
  [
    'of zod 3',
    { _def: {} },
    `this looks like a schema of zod, which is not JSON Schema: ${expected}; z.toJSONSchema(…) of zod 4 makes one`,
  ],
  [
    'of zod 4',
    { _zod: {}, type: 'string' },
    `this looks like a schema of zod, which is not JSON Schema: ${expected}; z.toJSONSchema(…) of zod 4 makes one`,
  ],
  [
    'of another library',
    { kind: 'schema', type: 'string', '~standard': { vendor: 'valibot' } },
    `this looks like a schema of valibot, which is not JSON Schema: ${expected}`,
  ],
  [
    'of a library whose schemas are functions',
    Object.assign(() => true, { '~standard': { vendor: 'arktype' } }),
    `this looks like a schema of arktype, which is not JSON Schema: ${expected}`,
  ],
  ['of a class', new Schema(), `${expected}, not an object of the class Schema`],
  ['that is a constructor', String, `${expected}, not the function String`],
  ['that is a text', 'string', `${expected}, not the text "string"`],
  ['that is a boolean', true, `${expected}, not true`],
  ['that is a list', [{ type: 'string' }], `${expected}, not an array`],
  ['that is not there', undefined, `${expected}, not undefined`],
  ['that is null', null, `${expected}, not null`],
  [
    'with a function',
    Type.Refine(Type.String(), () => true),
    'Type.Refine needs a function, which is not part of JSON Schema',
  ],
  [
    'with functions that convert values',
    Old.Transform(Old.String())
      .Decode((text) => text)
      .Encode((text) => text),
    'Type.Transform needs a function, which is not part of JSON Schema',
  ],
  [
    'with functions that convert a part of a value',
    Type.Object({ a: Type.Codec(Type.String()).Decode(Number).Encode(String) }),
    '/properties/a: Type.Codec needs a function, which is not part of JSON Schema',
  ],
  [
    'with a RegExp',
    Type.String({ pattern: /^a/ }),
    '/pattern: must be JSON, not an object of the class RegExp; write "^a"',
  ],
  ['with a bigint', { type: 'integer', maximum: 5n }, '/maximum: must be JSON, not the bigint 5'],
  ['with a Date', { type: 'string', default: new Date(0) }, '/default: must be JSON, not an object of the class Date'],
  ['with NaN', { enum: [1, Number.NaN] }, '/enum/1: must be JSON, not NaN'],
  ['that contains itself', circular, "/items: contains itself; refer to a schema by '$ref'"],
  [
    'with a schema of another kind inside',
    { type: 'array', items: String },
    '/items: a schema is an object or a boolean, not the function String',
  ],
  ['with schemas in no list', { anyOf: { type: 'string' } }, '/anyOf: must be an array, not an object'],
  ['with properties in a list', { type: 'object', properties: [] }, '/properties: must be an object, not an array'],
  [
    'with a misspelt keyword',
    { type: 'string', maxLenght: 3 },
    "JSON Schema 2019-09 has no keyword 'maxLenght'; did you mean 'maxLength'?",
  ],
  [
    'with a misspelt keyword in a property',
    Type.Object({ a: Type.Array(Type.String(), { uniqeItems: true }) }),
    "/properties/a: JSON Schema 2019-09 has no keyword 'uniqeItems'; did you mean 'uniqueItems'?",
  ],
  [
    'with a misspelt keyword in a definition that nothing refers to',
    { type: 'object', $defs: { a: { requird: ['b'] } } },
    "/$defs/a: JSON Schema 2019-09 has no keyword 'requird'; did you mean 'required'?",
  ],
  [
    'with a keyword of its own',
    { type: 'string', isSecretOfOurs: true },
    "JSON Schema 2019-09 has no keyword 'isSecretOfOurs'; a keyword of your own starts with 'x-'",
  ],
  [
    'with a keyword of a later draft',
    { type: 'array', prefixItems: [{ type: 'string' }] },
    "JSON Schema 2019-09 has no keyword 'prefixItems'; write a tuple as 'items: [{…}, {…}], additionalItems: false' (zod does with 'z.toJSONSchema(…, { target: 'draft-7' })')",
  ],
  [
    'with a format that nobody knows',
    { type: 'string', format: 'isbn' },
    'not a schema that values can be checked against: unknown format "isbn" ignored in schema at path "#"',
  ],
])('a schema %s is refused, and the error says what it is', (_, schema, message) => {
  expect(problemsOf(schema)).toEqual([message])
})

test('all problems of a schema are listed', () => {
  expect(problemsOf({ type: 'object', propertis: {}, properties: { a: { typ: 'string' }, b: [] } })).toEqual([
    "JSON Schema 2019-09 has no keyword 'propertis'; did you mean 'properties'?",
    "/properties/a: JSON Schema 2019-09 has no keyword 'typ'; did you mean 'type'?",
    '/properties/b: a schema is an object or a boolean, not an array',
  ])
})

describe('what is accepted', () => {
  const annotations = {
    $id: 'https://example.org/a',
    $comment: 'c',
    title: 't',
    description: 'd',
    examples: ['e'],
    deprecated: true,
    readOnly: true,
    writeOnly: false,
    default: 'YQ==',
    contentEncoding: 'base64',
    contentMediaType: 'image/png',
    'x-order': { nested: [1] },
  }
  const shared = { type: 'string' }
  const data = { a: [1] }
  test.each<[string, object]>([
    ['an empty schema', {}],
    ['a schema without a prototype', Object.assign(Object.create(null), { type: 'string' })],
    ['a frozen schema', Object.freeze({ type: 'string' })],
    ['a keyword without a value', { type: 'string', maxLength: undefined }],
    ['annotations', { type: 'string', ...annotations }],
    ['annotations of TypeBox 0.34', Old.String({ ...annotations, $id: 'https://example.org/b' })],
    ['annotations of typebox 1', Type.String({ ...annotations, $id: 'https://example.org/c' })],
    ['annotations of OpenAPI', { type: 'string', example: 'a', externalDocs: { url: 'b' }, xml: { name: 'c' } }],
    ['a draft that it says it is of', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'string' }],
    ['a later draft', { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }],
    [
      'properties with the names of anything',
      { type: 'object', properties: { maxLenght: { type: 'string' }, '~x': {} } },
    ],
    [
      'one schema in two places',
      { type: 'object', properties: { a: shared, b: { anyOf: [shared, shared], default: [data, data] } } },
    ],
    ['dependencies', { type: 'object', dependencies: { a: ['b'], c: { required: ['d'] } } }],
    ['boolean schemas', { type: 'object', properties: { a: true }, additionalProperties: false }],
    [
      'formats',
      {
        type: 'object',
        properties: { a: { type: 'string', format: 'decimal' }, b: { type: 'string', format: 'uuid' } },
      },
    ],
  ])('%s', (_, schema) => {
    expect(problemsOf(schema)).toEqual([])
  })

  const made = (T: typeof Old | typeof Type): Record<string, object> => {
    const of = T as typeof Old
    return {
      any: of.Any(),
      unknown: of.Unknown(),
      optional: of.Optional(of.String({ format: 'email', minLength: 1 })),
      readonly: of.Readonly(of.Integer({ minimum: 1, multipleOf: 2 })),
      literal: of.Literal('a'),
      union: of.Union([of.String(), of.Null()]),
      object: of.Object({ a: of.Optional(of.String()) }, { additionalProperties: false, minProperties: 1 }),
      array: of.Array(of.Boolean(), { maxItems: 3, contains: of.Literal(true), minContains: 1 }),
      tuple: of.Tuple([of.String(), of.Number()]),
      record: of.Record(of.String(), of.Number()),
      intersection: of.Intersect([of.Object({ a: of.String() }), of.Object({ b: of.String() })], {
        unevaluatedProperties: false,
      }),
      template: of.TemplateLiteral([of.Literal('a'), of.String()]),
      partial: of.Partial(of.Object({ a: of.String() })),
      unsafe: of.Unsafe<string>({ type: 'string' }),
    }
  }
  const old = {
    ...made(Old),
    enumeration: Old.Enum({ A: 'a', B: 'b' }),
    recursive: Old.Recursive((This) => Old.Object({ next: Old.Optional(This) })),
    module: Old.Module({ A: Old.Object({ b: Old.Ref('B') }), B: Old.String() }).Import('A'),
    not: Old.Object({ a: Old.Not(Old.String()) }),
    emptyTuple: Old.Tuple([]),
  }
  const young = {
    ...made(Type),
    enumeration: Type.Enum(['a', 'b']),
    cyclic: Type.Cyclic({ A: Type.Object({ next: Type.Optional(Type.Ref('A')) }) }, 'A'),
    script: Type.Script('{ a: string, b?: number }'),
    immutable: Type.Immutable(Type.Array(Type.String())),
  }
  const zod: Record<string, z.ZodType> = {
    any: z.any(),
    text: z.string().min(1).max(9),
    email: z.email(),
    moment: z.iso.datetime(),
    uuid: z.uuid(),
    integer: z.int().positive(),
    enumeration: z.enum(['a', 'b']),
    literal: z.literal('a'),
    nullable: z.string().nullable(),
    default: z.boolean().default(false),
    array: z.array(z.number()).min(1),
    object: z.object({ a: z.string().optional() }),
    record: z.record(z.string(), z.number()),
    union: z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b') })]),
    named: z.string().meta({ id: 'named', description: 'd' }),
  }
  test.each(Object.entries(zod))('what z.toJSONSchema makes: %s', (_, schema) => {
    expect(problemsOf(z.toJSONSchema(schema))).toEqual([])
    expect(problemsOf(field(z.toJSONSchema(schema), { readOnly: true }))).toEqual([])
  })
  test('what z.toJSONSchema makes of a tuple, in the draft that the error names', () => {
    expect(problemsOf(z.toJSONSchema(z.tuple([z.string(), z.int()]), { target: 'draft-7' }))).toEqual([])
  })
  test.each(Object.entries(old))('what TypeBox 0.34 makes: %s', (_, schema) => {
    expect(problemsOf(schema)).toEqual([])
  })
  test.each(Object.entries(young))('what typebox 1 makes: %s', (_, schema) => {
    expect(problemsOf(schema)).toEqual([])
  })
})

test('two schemas that call a part of theirs the same are checked by their own parts', () => {
  const list = (name: string) =>
    Type.Cyclic({ A: Type.Object({ [name]: Type.Array(Type.Ref('A')) }, { additionalProperties: false }) }, 'A')
  const [x, y] = resourceOf(defineResources({ a: { fields: { x: list('xs'), y: list('ys') } } }), 'a').fields
  expect(x?.check({ xs: [{ xs: [] }] })).toEqual([])
  expect(y?.check({ ys: [{ ys: [] }] })).toEqual([])
  expect(y?.check({ ys: [{ xs: [] }] })).not.toEqual([])
})
