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
  account: {
    fields: {
      name: { type: 'string' },
      createdAt: { type: 'string', readOnly: true },
      secret: { type: 'string', writeOnly: true },
      notes: { type: ['string', 'null'], default: null, summary: false },
      plain: { type: 'string', readOnly: false, writeOnly: false, summary: true },
    },
    relations: { friend: knows.one('account'), keys: owns.many('key') },
  },
  key: {
    fields: {
      seen: Object.assign(Type.Integer(), { readOnly: true }),
      hash: Type.Optional(Object.assign(Type.String(), { writeOnly: true })),
      salt: Object.assign(Type1.String(), { writeOnly: true }),
      label: Object.assign(Type1.String(), { summary: false }),
    },
    relations: { account: ownedBy('account'), others: knows.many('key') },
  },
})
type Model = typeof model

type Friend = { id: number; name: string; createdAt: string; plain: string } | null
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

describe('The options of a field', () => {
  test('tell what a record shows, and what others show of it', () => {
    expectTypeOf<Omit<RecordOf<Model, 'account'>, 'keys'>>().toEqualTypeOf<{
      id: number
      name: string
      createdAt: string
      notes: string | null
      plain: string
      friendId: number | null
      friend: Friend
    }>()
    expectTypeOf<ItemOf<RecordOf<Model, 'account'>['keys']>>().toEqualTypeOf<{
      id: number
      seen: number
      label: string
      others: { id: number; seen: number }[]
    }>()
  })

  test('keep read-only fields out of the body of a create, at every depth', () => {
    expectTypeOf<Omit<CreateBody<Model, 'account'>, 'keys'>>().toEqualTypeOf<{
      id?: never
      name: string
      createdAt?: never
      secret: string
      notes?: string | null
      plain: string
      friendId?: number | null
      friend?: Friend
    }>()
    expectTypeOf<ItemOf<CreateBody<Model, 'account'>['keys']>>().toEqualTypeOf<{
      id?: never
      seen?: never
      hash?: string | null
      salt: string
      label: string
      others?: readonly { id: number; seen?: number; label?: string }[]
    }>()
  })

  test('let the body of a replace be a record that was read, and set what is write-only', () => {
    expectTypeOf<RecordOf<Model, 'account'>>().toExtend<ReplaceBody<Model, 'account'>>()
    expectTypeOf<{ name: string; plain: string; secret: string }>().toExtend<ReplaceBody<Model, 'account'>>()
    expectTypeOf<{ name: string; plain: string; secret: null }>().not.toExtend<ReplaceBody<Model, 'account'>>()
    expectTypeOf<{ name: string; secret: string }>().not.toExtend<ReplaceBody<Model, 'account'>>()
  })

  test('keep read-only fields out of the body of a patch, at every depth', () => {
    expectTypeOf<{ secret: string }>().toExtend<PatchBody<Model, 'account'>>()
    expectTypeOf<{ createdAt: string }>().not.toExtend<PatchBody<Model, 'account'>>()
    expectTypeOf<{ keys: { id: number; salt: string }[] }>().toExtend<PatchBody<Model, 'account'>>()
    expectTypeOf<{ keys: { id: number; seen: number }[] }>().not.toExtend<PatchBody<Model, 'account'>>()
  })
})
