import { Type } from '@sinclair/typebox'
import Type1 from 'typebox'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type CreateBody,
  defineResources,
  knows,
  ownedBy,
  owns,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
} from '../../src/index.ts'

const model = defineResources({
  person: {
    fields: {
      name: { type: 'string', access: {} },
      salary: { type: 'integer', access: { View: ['hr'], Edit: ['hr'] } },
      grade: { type: 'string', access: { Edit: ['hr'] } },
      note: { type: 'string', access: { View: ['hr'] } },
      age: { type: 'integer', readOnly: true, access: { View: ['hr'] } },
      pin: { type: 'string', writeOnly: true, access: { Edit: ['hr'] } },
    },
    relations: { boss: knows.one('person'), jobs: owns.many('job') },
  },
  job: {
    fields: {
      title: Object.assign(Type.String(), { access: { View: ['hr'] } }),
      pay: Object.assign(Type1.Integer(), { access: { View: ['hr'], Edit: ['hr'] } }),
      code: Type.Optional(Object.assign(Type.String(), { summary: false, access: { View: ['hr'] } })),
    },
    relations: { person: ownedBy('person'), others: knows.many('job') },
  },
})
type Model = typeof model
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

type Summary = { id: number; name: string; salary?: number; grade: string; note?: string; age?: number }

describe('A field that only some callers see or set', () => {
  test('may be missing in a record and a summary, where not all see it', () => {
    expectTypeOf<Omit<RecordOf<Model, 'person'>, 'jobs' | 'boss' | 'bossId'>>().toEqualTypeOf<Summary>()
    expectTypeOf<RecordOf<Model, 'person'>['boss']>().toEqualTypeOf<Summary | null>()
    expectTypeOf<ItemOf<RecordOf<Model, 'person'>['jobs']>>().toEqualTypeOf<{
      id: number
      title?: string
      pay?: number
      code?: string | null
      others: { id: number; title?: string; pay?: number }[]
    }>()
  })

  test('may be left out of the body of a create, where not all may set it', () => {
    expectTypeOf<Omit<CreateBody<Model, 'person'>, 'jobs' | 'boss'>>().toEqualTypeOf<{
      id?: never
      name: string
      salary?: number
      grade?: string
      note: string
      age?: never
      pin?: string
      bossId?: number | null
    }>()
    expectTypeOf<ItemOf<CreateBody<Model, 'person'>['jobs']>>().toEqualTypeOf<{
      id?: never
      title: string
      pay?: number
      code?: string | null
      others?: readonly { id: number; title?: string; pay?: number; code?: string | null }[]
    }>()
  })

  test('may be left out of the body of a replace, which may be a record that was read', () => {
    expectTypeOf<RecordOf<Model, 'person'>>().toExtend<ReplaceBody<Model, 'person'>>()
    expectTypeOf<{ name: string }>().toExtend<ReplaceBody<Model, 'person'>>()
    expectTypeOf<{ name: string; salary: string }>().not.toExtend<ReplaceBody<Model, 'person'>>()
    expectTypeOf<{ salary: number }>().not.toExtend<ReplaceBody<Model, 'person'>>()
  })

  test('may be in the body of a patch', () => {
    expectTypeOf<{ salary: number; grade: string }>().toExtend<PatchBody<Model, 'person'>>()
    expectTypeOf<{ age: number }>().not.toExtend<PatchBody<Model, 'person'>>()
    expectTypeOf<{ jobs: { id: number; pay: number }[] }>().toExtend<PatchBody<Model, 'person'>>()
  })
})
