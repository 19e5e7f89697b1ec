import Type, { type Static } from 'typebox'
import { describe, expectTypeOf, test } from 'vitest'
import { type CreateBody, defineResources, type PatchBody, type RecordOf, type ReplaceBody } from '../../src/index.ts'

const schemas = {
  string: Type.String(),
  integer: Type.Integer(),
  number: Type.Number(),
  boolean: Type.Boolean(),
  literal: Type.Literal('a'),
  enumeration: Type.Enum(['a', 'b']),
  union: Type.Union([Type.String(), Type.Null()]),
  object: Type.Object({ a: Type.String(), b: Type.Optional(Type.Object({ c: Type.Array(Type.Integer()) })) }),
  array: Type.Array(Type.Union([Type.Literal('x'), Type.Literal(1)])),
  tuple: Type.Tuple([Type.String(), Type.Number()]),
  record: Type.Record(Type.String(), Type.Boolean()),
  intersection: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Number() })]),
  unsafe: Type.Unsafe<'soft' | 'hard'>({ type: 'string', enum: ['soft', 'hard'] }),
  unknown: Type.Unknown(),
}
const all = defineResources({ all: { fields: schemas } })
type All = RecordOf<typeof all, 'all'>
type Expected = { [N in keyof typeof schemas]: Static<(typeof schemas)[N]> }

const notes = defineResources({
  note: {
    fields: {
      text: Type.String(),
      rank: Object.assign(Type.Integer(), { default: 1 }),
      more: Type.Optional(Type.Object({ a: Type.Optional(Type.String()) })),
    },
  },
})
type Notes = typeof notes

describe('With typebox 1', () => {
  test('a record has the types that typebox tells', () => {
    expectTypeOf<Omit<All, 'id'>>().branded.toEqualTypeOf<Expected>()
    expectTypeOf<All['object']>().toEqualTypeOf<{ a: string; b?: { c: number[] } }>()
    expectTypeOf<All['tuple']>().toEqualTypeOf<[string, number]>()
    expectTypeOf<All['enumeration']>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<All['unsafe']>().toEqualTypeOf<'soft' | 'hard'>()
  })

  test('an optional field may be null in a record, and be left out of a body', () => {
    expectTypeOf<RecordOf<Notes, 'note'>>().toEqualTypeOf<{
      id: number
      text: string
      rank: number
      more: { a?: string } | null
    }>()
    expectTypeOf<CreateBody<Notes, 'note'>>().toEqualTypeOf<{
      id?: never
      text: string
      rank?: number
      more?: { a?: string } | null
    }>()
    expectTypeOf<{ text: string }>().toExtend<ReplaceBody<Notes, 'note'>>()
    expectTypeOf<Record<never, never>>().not.toExtend<ReplaceBody<Notes, 'note'>>()
    expectTypeOf<{ more: null }>().toExtend<PatchBody<Notes, 'note'>>()
    expectTypeOf<{ text: null }>().not.toExtend<PatchBody<Notes, 'note'>>()
  })

  test('a schema may refer to itself', () => {
    const tree = defineResources({
      tree: {
        fields: {
          root: Type.Cyclic({ Node: Type.Object({ name: Type.String(), next: Type.Array(Type.Ref('Node')) }) }, 'Node'),
        },
      },
    })
    type Root = RecordOf<typeof tree, 'tree'>['root']
    expectTypeOf<Root['name']>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<Root['next'][number]>['next'][number]['name']>().toEqualTypeOf<string>()
  })
})
