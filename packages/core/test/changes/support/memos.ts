import { defineResources, type Model, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

/** What writers of a storm write. */
export const memos = defineResources({
  memo: { fields: { text: Type.String() }, relations: { lines: owns.many('line') }, history: true },
  line: { fields: { text: Type.String() }, relations: { memo: ownedBy('memo') } },
})

export const memosModel = memos as Model
