import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  type CreateBody,
  defineResources,
  field,
  type PatchBody,
  type RecordOf,
  type ResourceDescriptor,
} from '../../src/index.ts'

interface Written {
  type: string
  maxLength: number
}
const written: Written = { type: 'string', maxLength: 5 }

const books = defineResources({
  book: {
    fields: {
      title: { type: 'string', minLength: 1 },
      pages: { type: 'integer', default: 0 },
      price: { type: ['number', 'null'] },
      subtitle: { type: ['string', 'null'], default: null },
      binding: { enum: ['soft', 'hard'] },
      colour: { type: 'string', enum: ['red', 'blue'], nullable: true },
      kind: { const: 'book' },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      parts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, at: { type: 'integer' } },
          required: ['name'],
          additionalProperties: false,
        },
      },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      address: {
        $ref: '#/$defs/address',
        $defs: { address: { type: 'object', properties: { city: { type: 'string' } } } },
      },
      data: {},
      written,
    },
  },
})
type Books = typeof books
type Book = RecordOf<Books, 'book'>

describe('With plain JSON Schema', () => {
  test('a record has the types that the schemas tell', () => {
    expectTypeOf<Book['title']>().toEqualTypeOf<string>()
    expectTypeOf<Book['pages']>().toEqualTypeOf<number>()
    expectTypeOf<Book['price']>().toEqualTypeOf<number | null>()
    expectTypeOf<Book['subtitle']>().toEqualTypeOf<string | null>()
    expectTypeOf<Book['binding']>().toEqualTypeOf<'soft' | 'hard'>()
    expectTypeOf<Book['colour']>().toEqualTypeOf<'red' | 'blue' | null>()
    expectTypeOf<Book['kind']>().toEqualTypeOf<'book'>()
    expectTypeOf<Book['either']>().toEqualTypeOf<string | null>()
    expectTypeOf<Book['parts']>().toEqualTypeOf<{ name: string; at?: number }[]>()
    expectTypeOf<Book['counts']>().toEqualTypeOf<Record<string, number>>()
    expectTypeOf<Book['address']>().toEqualTypeOf<{ city?: string }>()
  })

  test('a value is unknown where the type of its schema does not say enough', () => {
    expectTypeOf<Book['data']>().toBeUnknown()
    expectTypeOf<Book['written']>().toBeUnknown()
  })

  test('a field with a default may be left out of a body, and one that may be null may not', () => {
    type Needed =
      | 'title'
      | 'price'
      | 'binding'
      | 'colour'
      | 'kind'
      | 'either'
      | 'parts'
      | 'counts'
      | 'address'
      | 'data'
      | 'written'
    expectTypeOf<Pick<Book, Needed>>().toExtend<CreateBody<Books, 'book'>>()
    expectTypeOf<Omit<Pick<Book, Needed>, 'price'>>().not.toExtend<CreateBody<Books, 'book'>>()
    expectTypeOf<{ subtitle: null; pages: number }>().toExtend<PatchBody<Books, 'book'>>()
    expectTypeOf<{ pages: null }>().not.toExtend<PatchBody<Books, 'book'>>()
  })
})

describe('The JSON Schema that zod makes', () => {
  const people = defineResources({
    person: {
      fields: {
        name: z.toJSONSchema(z.string().min(1)),
        age: z.toJSONSchema(z.int().nullable()),
        mood: field(z.toJSONSchema(z.enum(['good', 'bad'])), { default: 'good' }),
        address: z.toJSONSchema(z.object({ city: z.string().optional() })),
      },
    },
  })
  type Person = RecordOf<typeof people, 'person'>

  test('has the types of its values', () => {
    expectTypeOf<Person['name']>().toEqualTypeOf<string>()
    expectTypeOf<Person['age']>().toEqualTypeOf<number | null>()
    expectTypeOf<Person['mood']>().toEqualTypeOf<'good' | 'bad'>()
    expectTypeOf<Person['address']>().toEqualTypeOf<{ city?: string | undefined }>()
    expectTypeOf<Omit<Person, 'id' | 'mood'>>().toExtend<CreateBody<typeof people, 'person'>>()
  })
})

describe('A descriptor alone', () => {
  const fields = { title: { type: 'string', minLength: 1 }, name: z.toJSONSchema(z.string()) } as const

  test('may have plain JSON Schema where its type is named', () => {
    const satisfying = { fields: { title: { type: 'string', minLength: 1 } } } satisfies ResourceDescriptor
    const typed: ResourceDescriptor = { fields: { title: { type: 'string', minLength: 1 }, data: {} } }
    const given: ResourceDescriptor = { fields }
    const parsed: ResourceDescriptor = { fields: { any: {} as Readonly<Record<string, unknown>> } }
    expectTypeOf(satisfying.fields.title.type).toExtend<string>()
    expectTypeOf([typed, given, parsed]).toEqualTypeOf<ResourceDescriptor[]>()
  })

  test('does not compile with what is no JSON Schema', () => {
    // @ts-expect-error a function
    const withFunction: ResourceDescriptor = { fields: { x: String } }
    // @ts-expect-error a schema of an older zod
    const withZod: ResourceDescriptor = { fields: { x: { '~standard': { version: 1, vendor: 'zod' } } } }
    // @ts-expect-error a text
    const withText: ResourceDescriptor = { fields: { x: 'string' } }
    expectTypeOf([withFunction, withZod, withText]).toEqualTypeOf<ResourceDescriptor[]>()
  })
})

test('What is no JSON Schema is a compile error', () => {
  const compiled = (_calls: () => unknown): void => {}
  // @ts-expect-error a function
  compiled(() => defineResources({ a: { fields: { x: String } } }))
  // @ts-expect-error a schema of another library
  compiled(() => defineResources({ a: { fields: { x: { '~standard': { version: 1, vendor: 'zod' } } } } }))
  // @ts-expect-error a text
  compiled(() => defineResources({ a: { fields: { x: 'string' } } }))
})
