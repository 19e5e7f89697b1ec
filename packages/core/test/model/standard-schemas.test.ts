import { defineResources, field, ModelError, planCreate, type StandardSchema } from '@fastify-crud/core'
import { resourceOf } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readSchema } from '../../src/model/check/read-schema.ts'

function fieldOf(schema: StandardSchema) {
  const [found] = resourceOf(defineResources({ a: { fields: { x: schema } } }), 'a').fields
  if (found === undefined) throw new Error('there is no field')
  const { required, nullable, storage, default: given } = found
  return { required, nullable, storage, schema: found.schema, default: given }
}

/** The problem of a model with one field `a.x`. */
function problemOf(schema: unknown): string {
  try {
    defineResources({ a: { fields: { x: schema } } } as never)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    const [problem, ...others] = error.problems
    expect(others).toEqual([])
    expect(problem?.place).toBe('a.fields.x')
    return problem?.message ?? ''
  }
  return ''
}

const needed = { required: true, nullable: false, default: undefined }

test.each<[string, StandardSchema, object]>([
  ['zod: a text', z.string().min(1), { ...needed, schema: { type: 'string', minLength: 1 } }],
  ['zod: undefined is a value', z.number().optional(), { required: false, nullable: true, storage: 'number' }],
  ['zod: null is a value', z.string().nullable(), { required: true, nullable: true, storage: 'string' }],
  ['zod: both are values', z.string().nullish(), { required: false, nullable: true, storage: 'string' }],
  [
    'zod: null is refused by a check',
    z
      .string()
      .nullable()
      .refine((text) => text !== null),
    { ...needed },
  ],
  ['zod: a default', z.boolean().default(false), { required: false, nullable: false, default: false }],
  ['zod: a default of the input', z.string().prefault('a'), { required: false, nullable: false, default: 'a' }],
  ['zod: null by default', z.string().nullable().default(null), { required: false, nullable: true, default: null }],
  ['zod: a default of a field', field(z.string(), { default: 'a' }), { required: false, default: 'a' }],
  ['zod: an integer', z.int(), { ...needed, storage: 'integer' }],
  ['zod: a date', z.iso.date(), { ...needed, storage: 'date' }],
  ['zod: bytes', z.base64(), { ...needed, storage: 'bytes' }],
  ['zod: a format of its own', z.cuid2(), { schema: { type: 'string', pattern: '^[0-9a-z]+$' } }],
  ['zod: a name of its own', z.string().meta({ id: 'name' }).nullable(), { nullable: true, storage: 'string' }],
  ['zod: a tuple', z.tuple([z.string(), z.int()]), { ...needed, storage: 'json' }],
  ['zod: further properties', z.looseObject({ a: z.string() }), { ...needed, storage: 'json' }],
  ['zod: any values of any names', z.record(z.string(), z.unknown()), { ...needed, storage: 'json' }],
  [
    'zod: an object that is cut',
    z.object({ a: z.string() }),
    { schema: expect.objectContaining({ additionalProperties: false }) },
  ],
  ['ArkType: a text', type('string'), { ...needed, schema: { type: 'string' } }],
  [
    'ArkType: undefined is a value',
    type('string | undefined'),
    { required: false, nullable: true, schema: { type: 'string' } },
  ],
  ['ArkType: null is a value', type('boolean | null'), { required: true, nullable: true, storage: 'boolean' }],
  ['ArkType: an object', type({ a: 'string', 'b?': 'number' }), { ...needed, storage: 'json' }],
  ['ArkType: a part may be undefined', type({ a: 'string | undefined' }), { ...needed, storage: 'json' }],
  ['ArkType: read-only', field(type('string'), { readOnly: true }), { required: false, nullable: false }],
  ['ArkType: itself', type.module({ node: { value: 'string', 'next?': 'node' } }).node, { ...needed, storage: 'json' }],
  ['Valibot: a text', toStandardJsonSchema(v.string()), { ...needed, schema: { type: 'string' } }],
  ['Valibot: undefined is a value', toStandardJsonSchema(v.optional(v.number())), { required: false, nullable: true }],
  ['Valibot: null is a value', toStandardJsonSchema(v.nullable(v.string())), { required: true, nullable: true }],
  [
    'Valibot: a default',
    toStandardJsonSchema(v.optional(v.string(), 'a')),
    { required: false, nullable: false, default: 'a' },
  ],
  ['Valibot: a brand', toStandardJsonSchema(v.pipe(v.string(), v.brand('id'))), { ...needed, storage: 'string' }],
  ['Valibot: lazy', toStandardJsonSchema(v.lazy(() => v.string())), { ...needed, storage: 'string' }],
  [
    'any library, without a check',
    {
      '~standard': {
        version: 1,
        vendor: 'mine',
        jsonSchema: { input: () => ({ type: ['string', 'null'] }), output: () => ({ type: ['string', 'null'] }) },
      },
    },
    { required: true, nullable: true, storage: 'string' },
  ],
])('%s', (_, schema, expected) => {
  expect(fieldOf(schema)).toMatchObject(expected)
})

const changes = 'and what is stored is what a body has; leave out what changes values'
const json = 'a value is JSON: write a date as a text with a format'

describe('a schema is refused, and the error says what to do', () => {
  test.each<[string, unknown, string, string]>([
    ['zod: a transform', z.string().transform(Number), 'changes values (Transforms', changes],
    [
      'zod: a pipe',
      z
        .string()
        .transform((text) => text.length)
        .pipe(z.number()),
      'its input and its output have other types',
      changes,
    ],
    ['zod: coercion', z.coerce.number(), 'it takes values of other types than its JSON Schema', changes],
    ['zod: coercion to a text', z.coerce.string(), 'it takes values of other types than its JSON Schema', changes],
    [
      'zod: coercion to a boolean',
      z.coerce.boolean().nullable(),
      'it takes values of other types than its JSON Schema',
      changes,
    ],
    [
      'zod: coercion inside',
      z.array(z.object({ n: z.coerce.number(), s: z.string().min(2) })),
      'it takes values of other types than its JSON Schema',
      changes,
    ],
    ['zod: catch', z.string().catch('a'), 'it takes values of other types than its JSON Schema', changes],
    [
      'zod: a default inside',
      z.object({ a: z.object({ b: z.string().default('x') }) }),
      'its input and its output have other types',
      changes,
    ],
    ['zod: a codec', z.stringbool(), 'its input and its output have other types', changes],
    [
      'zod: values of other types',
      z.record(z.string(), z.stringbool()),
      'its input and its output have other types',
      changes,
    ],
    ['zod: a date object', z.date(), 'has no JSON Schema (Date cannot be represented in JSON Schema)', json],
    ['zod: a date of anything', z.coerce.date(), 'has no JSON Schema (Date', json],
    ['zod: a bigint', z.bigint(), 'has no JSON Schema (BigInt', json],
    ['zod: a promise', z.promise(z.string()), 'is of promises', 'take the schema of what they resolve to'],
    ['zod: a branch that says nothing', z.union([z.string(), z.any()]), 'says nothing of the values at /anyOf/1', json],
    ['zod: anything', z.unknown(), 'says nothing of the values ({})', 'any JSON value as Type.Any()'],
    ['zod: a random default', z.uuid().default(() => crypto.randomUUID()), 'another default each time', 'a rule (set)'],
    [
      'zod: the time as default',
      z.iso.datetime().default(() => new Date().toISOString()),
      'another default each time',
      'dbDefault',
    ],
    [
      'ArkType: a morph',
      type('string').pipe((text) => text.length),
      'its input and its output have other types',
      changes,
    ],
    ['ArkType: a parsed number', type('string.numeric.parse'), 'its input and its output have other types', changes],
    ['ArkType: a default inside', type({ a: 'string = "x"' }), 'its input and its output have other types', changes],
    ['ArkType: a date object', type('Date'), 'says nothing of the values ({})', json],
    ['ArkType: a date object inside', type({ when: 'Date' }), 'says nothing of the values at /properties/when', json],
    ['ArkType: a date object or a text', type('string | Date'), 'says nothing of the values at /anyOf/1', json],
    ['ArkType: a promise', type('Promise'), 'says nothing of the values', json],
    [
      'Valibot: a transform',
      toStandardJsonSchema(v.pipe(v.string(), v.transform(Number))),
      'changes values (The "transform"',
      changes,
    ],
    [
      'Valibot: a parsed number',
      toStandardJsonSchema(v.pipe(v.string(), v.toNumber())),
      'changes values (The "to_number"',
      changes,
    ],
    ['Valibot: a date object', toStandardJsonSchema(v.date()), 'has no JSON Schema (The "date"', json],
    [
      'Valibot: no JSON Schema',
      v.string(),
      'this looks like a schema of valibot',
      'toStandardJsonSchema(…) of @valibot/to-json-schema makes one',
    ],
    [
      'an old version of a library',
      { '~standard': { version: 1, vendor: 'zod', validate: () => ({ value: 1 }) } },
      'this looks like a schema of zod',
      'z.toJSONSchema(…) of zod 4 makes one',
    ],
  ])('%s', (_, schema, why, wayOut) => {
    const problem = problemOf(schema)
    expect(problem).toContain(why)
    expect(problem).toContain(wayOut)
  })

  test('as all fields, or as a resource', () => {
    const whole = { a: { fields: z.object({ x: z.string() }) }, b: z.object({ x: z.string() }), c: { x: z.string() } }
    expect(() => defineResources(whole as never)).toThrow(
      /a\.fields: 'fields' is not a schema[\s\S]*b: a descriptor is not a schema[\s\S]*c\.x: .*declare a field under 'fields'/,
    )
  })

  test('with all other problems of the model', () => {
    const fields = { x: z.date(), y: z.coerce.number(), z: { type: 'strin' } }
    expect(() => defineResources({ a: { fields } } as never)).toThrow(
      /3 problems[\s\S]*a\.fields\.x[\s\S]*\.y[\s\S]*\.z/,
    )
  })

  test('with a default that its own check refuses', () => {
    const even = z.number().refine((n) => n % 2 === 0, 'must be even')
    expect(problemOf(field(even, { default: 3 }))).toBe('its default must be even')
  })
})

test('a planner refuses what the library refuses, and throws if it answers later', () => {
  const plan = (schema: StandardSchema, x: unknown) =>
    planCreate(defineResources({ a: { fields: { x: schema } } }), 'a', {}, { x } as never)
  const short = z.string().refine((text) => text.length < 3, { message: 'too long' })
  expect(plan(short, 'ab')).toHaveProperty('plan')
  expect(plan(short, 'abc')).toMatchObject({
    refusal: { errors: [{ pointer: '/x', message: 'too long', keyword: 'validate' }] },
  })
  expect(() =>
    plan(
      z.string().refine(async () => true),
      'a',
    ),
  ).toThrow("a.fields.x: the 'validate' of its schema is asynchronous")
})

test('a value is refused where its library would leave out, add or change a part', () => {
  const changing: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'mine',
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
      validate: (value) =>
        typeof value === 'object' && value !== null
          ? { value: { ...value, left: undefined, added: 1, list: [1, { a: 'b' }] } }
          : { issues: [{ message: 'must be an object' }] },
    },
  }
  const body = { x: { left: 1, list: [1, { a: 'c' }], same: [1] } }
  const { refusal } = planCreate(defineResources({ a: { fields: { x: changing } } }), 'a', {}, body as never) as never
  expect(refusal).toMatchObject({
    errors: [
      { pointer: '/x/left', message: 'must be left out', keyword: 'additionalProperties' },
      { pointer: '/x/list/1/a', message: 'must be "b"', keyword: 'const', params: { allowedValue: 'b' } },
      { pointer: '/x/added', message: 'must be 1', keyword: 'const', params: { allowedValue: 1 } },
    ],
  })
})

test('a computed field may have such a schema', () => {
  const computed = { y: { schema: z.int().optional(), value: () => undefined as never } }
  const [y] = resourceOf(defineResources({ a: { computed } }), 'a').computed
  expect(y).toMatchObject({ storage: 'integer', nullable: true })
})

test('one function reads the schema of a field, a body or an answer, whatever made it', () => {
  expect(readSchema(Type.Integer())).toEqual({ schema: Type.Integer(), isOptional: false })
  expect(readSchema({ type: 'string' })).toEqual({ schema: { type: 'string' }, isOptional: false })
  expect(readSchema(z.int32())).toMatchObject({ schema: { type: 'integer' }, validate: expect.any(Function) })
  expect(readSchema(String)).toMatchObject({ problem: expect.stringContaining('not the function String') })
})
