import { Type } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  type CreateBody,
  defineResources,
  type Filter,
  field,
  ownedBy,
  owns,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
  type ResourceDescriptor,
  type StandardSchema,
  type TablesOf,
} from '../../src/index.ts'

const resources = defineResources({
  ofZod: {
    fields: {
      name: z.string().min(1),
      price: z.number().optional(),
      nick: z.string().nullable(),
      both: z.int().nullish(),
      kind: z.enum(['a', 'b']),
      done: z.boolean().default(false),
      none: z.string().nullable().default(null),
      address: z.object({ city: z.string(), zip: z.string().optional() }),
      tags: z.array(z.string()),
      branded: z.string().brand<'Code'>(),
      mood: field(z.enum(['good', 'bad']), { default: 'good' }),
      secret: field(z.string(), { writeOnly: true }),
      made: field(z.iso.datetime(), { readOnly: true }),
    },
    relations: { parts: owns.many('ofArkType') },
  },
  ofArkType: {
    fields: {
      name: type('string >= 1'),
      price: type('number | undefined'),
      nick: type('string | null'),
      kind: type("'a' | 'b'"),
      address: type({ city: 'string', 'zip?': 'string' }),
      mood: field(type("'good' | 'bad'"), { default: 'good' }),
      secret: field(type('string'), { writeOnly: true }),
    },
    relations: { of: ownedBy('ofZod') },
  },
  ofValibot: {
    fields: {
      name: toStandardJsonSchema(v.pipe(v.string(), v.minLength(1))),
      price: toStandardJsonSchema(v.optional(v.number())),
      nick: toStandardJsonSchema(v.nullable(v.string())),
      kind: toStandardJsonSchema(v.picklist(['a', 'b'])),
      done: toStandardJsonSchema(v.optional(v.boolean(), false)),
      address: toStandardJsonSchema(v.object({ city: v.string(), zip: v.optional(v.string()) })),
      mood: field(toStandardJsonSchema(v.picklist(['good', 'bad'])), { default: 'good' }),
    },
  },
  mixed: {
    fields: {
      boxed: Type.Optional(Type.String()),
      plain: { type: 'integer' },
      zod: z.string(),
      ark: type('boolean'),
      vali: toStandardJsonSchema(v.number()),
      made: z.toJSONSchema(z.string()),
    },
  },
})
type Resources = typeof resources

describe('Fields of zod', () => {
  type Shown = RecordOf<Resources, 'ofZod'>

  test('have the types of its output in records, with null for undefined', () => {
    expectTypeOf<Shown['name']>().toEqualTypeOf<string>()
    expectTypeOf<Shown['price']>().toEqualTypeOf<number | null>()
    expectTypeOf<Shown['nick']>().toEqualTypeOf<string | null>()
    expectTypeOf<Shown['both']>().toEqualTypeOf<number | null>()
    expectTypeOf<Shown['kind']>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<Shown['done']>().toEqualTypeOf<boolean>()
    expectTypeOf<Shown['none']>().toEqualTypeOf<string | null>()
    expectTypeOf<Shown['address']>().toEqualTypeOf<{ city: string; zip?: string | undefined }>()
    expectTypeOf<Shown['tags']>().toEqualTypeOf<string[]>()
    expectTypeOf<Shown['branded']>().toEqualTypeOf<string & z.core.$brand<'Code'>>()
    expectTypeOf<Shown['mood']>().toEqualTypeOf<'good' | 'bad'>()
    expectTypeOf<Shown['made']>().toEqualTypeOf<string>()
    expectTypeOf<'secret'>().not.toExtend<keyof Shown>()
    expectTypeOf<Shown['parts'][0]['price']>().toEqualTypeOf<number | null>()
  })

  test('have those of its input in bodies, and may be left out where undefined is one', () => {
    type Body = CreateBody<Resources, 'ofZod'>
    const body = {
      name: 'a',
      nick: null,
      kind: 'a',
      address: { city: 'c' },
      tags: [],
      branded: 'x',
      secret: 's',
    } as const
    type Given = Omit<typeof body, 'tags'> & { tags: string[] }
    expectTypeOf<Given>().toExtend<Body>()
    expectTypeOf<Given & { price: null; both: null; none: null }>().toExtend<Body>()
    expectTypeOf<Omit<Given, 'nick'>>().not.toExtend<Body>()
    expectTypeOf<Omit<Given, 'branded'>>().not.toExtend<Body>()
    expectTypeOf<Omit<Given, 'secret'>>().not.toExtend<Body>()
    expectTypeOf<Given & { done: null }>().not.toExtend<Body>()
    expectTypeOf<Given & { made: string }>().not.toExtend<Body>()
    expectTypeOf<Body['branded']>().toEqualTypeOf<string>()
    expectTypeOf<Body['done']>().toEqualTypeOf<boolean | undefined>()
  })

  test('are in bodies of PUT and PATCH', () => {
    expectTypeOf<Shown>().toExtend<ReplaceBody<Resources, 'ofZod'>>()
    expectTypeOf<{ kind: 'b'; price: null }>().toExtend<PatchBody<Resources, 'ofZod'>>()
    expectTypeOf<{ kind: 'c' }>().not.toExtend<PatchBody<Resources, 'ofZod'>>()
    expectTypeOf<{ name: null }>().not.toExtend<PatchBody<Resources, 'ofZod'>>()
  })

  test('are in filters and in tables for Kysely', () => {
    const filter: Filter<Resources, 'ofZod'> = { price: { gte: 1 }, kind: 'a' }
    // @ts-expect-error a text is no number
    const wrong: Filter<Resources, 'ofZod'> = { price: { gte: '1' } }
    expectTypeOf([filter, wrong]).toExtend<object[]>()
    type Row = TablesOf<Resources, 'sqlite'>['ofZod']
    expectTypeOf<Row['price']>().toEqualTypeOf<number | null>()
    expectTypeOf<Row['kind']>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<Row['done']>().toEqualTypeOf<0 | 1>()
    expectTypeOf<Row['address']>().toEqualTypeOf<string>()
  })
})

describe('Fields of ArkType', () => {
  type Shown = RecordOf<Resources, 'ofArkType'>

  test('have the types of its output in records, with null for undefined', () => {
    expectTypeOf<Shown['name']>().toEqualTypeOf<string>()
    expectTypeOf<Shown['price']>().toEqualTypeOf<number | null>()
    expectTypeOf<Shown['nick']>().toEqualTypeOf<string | null>()
    expectTypeOf<Shown['kind']>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<Shown['address']>().toEqualTypeOf<{ city: string; zip?: string }>()
    expectTypeOf<Shown['mood']>().toEqualTypeOf<'good' | 'bad'>()
    expectTypeOf<'secret'>().not.toExtend<keyof Shown>()
  })

  test('have those of its input in bodies', () => {
    type Body = CreateBody<Resources, 'ofArkType'>
    type Given = { name: string; nick: null; kind: 'a'; address: { city: string }; secret: string }
    expectTypeOf<Given>().toExtend<Body>()
    expectTypeOf<Omit<Given, 'name'>>().not.toExtend<Body>()
    expectTypeOf<Omit<Given, 'nick'>>().not.toExtend<Body>()
    expectTypeOf<Given & { price: string }>().not.toExtend<Body>()
  })
})

describe('Fields of Valibot', () => {
  type Shown = RecordOf<Resources, 'ofValibot'>

  test('have the types of its output in records, with null for undefined', () => {
    expectTypeOf<Shown['name']>().toEqualTypeOf<string>()
    expectTypeOf<Shown['price']>().toEqualTypeOf<number | null>()
    expectTypeOf<Shown['nick']>().toEqualTypeOf<string | null>()
    expectTypeOf<Shown['kind']>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<Shown['done']>().toEqualTypeOf<boolean>()
    expectTypeOf<Shown['address']>().toEqualTypeOf<{ city: string; zip?: string | undefined }>()
  })

  test('have those of its input in bodies', () => {
    type Body = CreateBody<Resources, 'ofValibot'>
    type Given = { name: string; nick: null; kind: 'a'; address: { city: string } }
    expectTypeOf<Given>().toExtend<Body>()
    expectTypeOf<Omit<Given, 'kind'>>().not.toExtend<Body>()
    expectTypeOf<Body['done']>().toEqualTypeOf<boolean | undefined>()
  })
})

describe('One descriptor', () => {
  test('may have fields of all libraries', () => {
    type Mixed = RecordOf<Resources, 'mixed'>
    expectTypeOf<Mixed>().toEqualTypeOf<{
      id: number
      boxed: string | null
      plain: number
      zod: string
      ark: boolean
      vali: number
      made: string
    }>()
    expectTypeOf<Omit<Mixed, 'id' | 'boxed'>>().toExtend<CreateBody<Resources, 'mixed'>>()
  })

  test('may be typed alone', () => {
    const fields = { zod: z.string(), ark: type('string'), vali: toStandardJsonSchema(v.string()) }
    const typed: ResourceDescriptor = { fields }
    const satisfying = { fields } satisfies ResourceDescriptor
    expectTypeOf([typed, satisfying]).toExtend<ResourceDescriptor[]>()
    expectTypeOf(fields.zod).toExtend<StandardSchema<string>>()
    expectTypeOf(fields.ark).toExtend<StandardSchema<string>>()
    expectTypeOf(fields.vali).toExtend<StandardSchema<string>>()
  })

  test('does not compile with a schema that says nothing in JSON Schema, or a default of another type', () => {
    const compiled = (_calls: () => unknown): void => {}
    // @ts-expect-error Valibot without its converter
    compiled(() => defineResources({ a: { fields: { x: v.string() } } }))
    // @ts-expect-error a number for a text
    compiled(() => field(z.string(), { default: 1 }))
    // @ts-expect-error a number for a text
    compiled(() => field(type('string'), { default: 1 }))
  })
})
