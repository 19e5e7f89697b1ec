import { Type } from '@sinclair/typebox'
import Type1 from 'typebox'
import { describe, expectTypeOf, test } from 'vitest'
import { type CreateBody, dbDefault, defineResources, field, type RecordOf } from '../../src/index.ts'

const model = defineResources({
  note: {
    fields: {
      text: Type.String(),
      rank: field(Type.Integer(), { default: 1 }),
      done: field(Type1.Boolean(), { default: false }),
      remark: field(Type.Optional(Type.String()), { summary: false }),
      createdAt: field(Type.String({ format: 'date-time' }), { readOnly: true }),
      secret: field(Type1.String(), { writeOnly: true }),
      number: field({ type: 'integer' }, { default: dbDefault, index: true }),
      pay: field(Type.Optional(Type.Number()), { access: { View: ['hr'], Edit: ['hr'] } }),
      tags: field(Type.Array(Type.String()), { default: [] }),
      size: field(Type.Object({ sides: Type.Array(Type.Integer()) }), { default: { sides: [1, 2] } }),
    },
  },
})
type Model = typeof model

describe('a field with options', () => {
  test('is in a record as the options say', () => {
    expectTypeOf<RecordOf<Model, 'note'>>().toEqualTypeOf<{
      id: number
      text: string
      rank: number
      done: boolean
      remark: string | null
      createdAt: string
      number: number
      pay?: number | null
      tags: string[]
      size: { sides: number[] }
    }>()
  })

  test('is in the body of a create as the options say', () => {
    expectTypeOf<CreateBody<Model, 'note'>>().toEqualTypeOf<{
      id?: never
      text: string
      rank?: number
      done?: boolean
      remark?: string | null
      createdAt?: never
      secret: string
      number?: number
      pay?: number | null
      tags?: string[]
      size?: { sides: number[] }
    }>()
  })

  test('has no options that do not exist, and no default of another type', () => {
    // @ts-expect-error it is spelled readOnly
    const misspelled = () => field(Type.String(), { readonly: true })
    // @ts-expect-error the field is an integer
    const wrong = () => field(Type.Integer(), { default: 'one' })
    expectTypeOf([misspelled, wrong]).not.toBeAny()
  })
})
