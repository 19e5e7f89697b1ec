import { Type } from '@sinclair/typebox'
import { expectTypeOf, test } from 'vitest'
import {
  type CreateBody,
  defineResources,
  needs,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
} from '../../src/index.ts'

const resources = defineResources({
  book: {
    fields: { title: Type.String() },
    relations: {
      publisher: needs.one('publisher'),
      editor: needs.one('person', { optional: true }),
      lector: needs.one('person', { optional: true, unique: true, foreignKey: 'readBy' }),
      printer: needs.one('person', { optional: false }),
    },
  },
  publisher: {},
  person: { fields: { name: Type.String() } },
})

type D = typeof resources
type Person = { id: number; name: string }

test('a record shows the foreign key and the record of an optional need, or null', () => {
  expectTypeOf<RecordOf<D, 'book'>>().toEqualTypeOf<{
    id: number
    title: string
    publisherId: number
    publisher: { id: number }
    editorId: number | null
    editor: Person | null
    readBy: number | null
    lector: Person | null
    printerId: number
    printer: Person
  }>()
})

test('the bodies of a create and a replace may leave it out, and it may be null', () => {
  const least = { title: '', publisherId: 1, printerId: 1 }
  expectTypeOf(least).toExtend<CreateBody<D, 'book'>>()
  expectTypeOf(least).toExtend<ReplaceBody<D, 'book'>>()
  expectTypeOf<{ editorId: null; readBy: null; editor: null }>().toExtend<PatchBody<D, 'book'>>()
  expectTypeOf<RecordOf<D, 'book'>>().toExtend<ReplaceBody<D, 'book'>>()
  expectTypeOf<CreateBody<D, 'book'>['editorId']>().toEqualTypeOf<number | null | undefined>()
  expectTypeOf<CreateBody<D, 'book'>['printerId']>().toEqualTypeOf<number>()
})

test('a need that is not optional cannot be null', () => {
  const bodies: PatchBody<D, 'book'>[] = [
    // @ts-expect-error
    { printerId: null },
    // @ts-expect-error
    { printer: null },
  ]
  expectTypeOf(bodies).not.toBeAny()
})
