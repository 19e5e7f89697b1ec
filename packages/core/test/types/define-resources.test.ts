import { Type } from '@sinclair/typebox'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type Descriptors,
  defineResources,
  knows,
  type Model,
  needs,
  ownedBy,
  owns,
  type RecordOf,
} from '../../src/index.ts'
import { bookshop } from './bookshop.ts'

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: () => unknown): void {}

describe('The type of a model', () => {
  test('keeps what the descriptors say, without as const', () => {
    const { book, category } = bookshop.descriptors
    expectTypeOf(book.relations.publisher.target).toEqualTypeOf<'publisher'>()
    expectTypeOf(book.relations.translator.options.foreignKey).toEqualTypeOf<'translatedBy' | undefined>()
    expectTypeOf(book.relations.blurb.options.required).toEqualTypeOf<true | undefined>()
    expectTypeOf(book.relations.cover.options.required).toEqualTypeOf<false | undefined>()
    expectTypeOf(category.relations.parent.options.optional).toEqualTypeOf<true | undefined>()
  })

  test('keeps it when a descriptor is a constant of its own', () => {
    const note = {
      fields: { text: Type.String() },
      relations: { about: knows.one('note', { foreignKey: 'aboutNote' }) },
    }
    const model = defineResources({ note })
    expectTypeOf<RecordOf<typeof model, 'note'>>().toEqualTypeOf<{
      id: number
      text: string
      aboutNote: number | null
      about: { id: number; text: string } | null
    }>()
  })

  test('tells of a default that stands beside what TypeBox makes', () => {
    const { edition } = bookshop.descriptors.book.fields
    expectTypeOf(edition.default).toEqualTypeOf<1>()
    expect(bookshop.resources.get('book')?.fields.find((field) => field.name === 'edition')).toMatchObject({
      default: 1,
      required: false,
      nullable: false,
    })
  })

  test('is a model of any descriptors', () => {
    expectTypeOf(bookshop).toEqualTypeOf<Model<typeof bookshop.descriptors, undefined>>()
    expectTypeOf(bookshop).toExtend<Model>()
    const descriptors: Descriptors = { note: {} }
    expectTypeOf(defineResources(descriptors)).toExtend<Model>()
  })
})

describe('A compile error is', () => {
  test('a relation to a resource that is not there, at that relation', () => {
    compiled(() =>
      defineResources({
        book: {
          relations: {
            // @ts-expect-error
            publisher: needs.one('publihser'),
            // @ts-expect-error
            authors: needs.many('auhtor'),
            // @ts-expect-error
            cover: owns.one('covre', { required: true }),
            // @ts-expect-error
            parent: ownedBy('bok', { optional: true }),
            sequel: knows.one('book'),
          },
        },
        publisher: {},
      }),
    )
  })

  test('an entry that a descriptor does not have', () => {
    compiled(() =>
      defineResources({
        book: {
          fields: {},
          // @ts-expect-error
          relation: {},
        },
      }),
    )
  })

  test('a field that is not a schema', () => {
    compiled(() =>
      defineResources({
        book: {
          fields: {
            // @ts-expect-error
            title: 'string',
          },
        },
      }),
    )
  })

  test('an option that a relation does not have', () => {
    compiled(() => [
      // @ts-expect-error
      needs.one('publisher', { unique: true, foreignKye: 'publishedBy' }),
      // @ts-expect-error
      owns.one('cover', { optional: true }),
      // @ts-expect-error
      ownedBy('book', { foreignKey: 'partOf', required: true }),
    ])
  })
})
