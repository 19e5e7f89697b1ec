import { defineActions, defineResources, field, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

const text = Type.String()

/** What the clients of a storm write. `count` is one more for each write that says so, and each has lines of its own. */
export const memos = defineResources({
  memo: {
    fields: { text, count: field(Type.Integer(), { default: 0 }) },
    relations: { lines: owns.many('line') },
  },
  line: { fields: { text }, relations: { memo: ownedBy('memo') } },
})

export const memoActions = defineActions(memos, {
  memo: {
    note: {
      asks: 'Edit',
      body: Type.Object({ text }),
      answer: Type.Object({ noted: text }),
      async run({ id, body, store }) {
        await store.memo.patch(id, { count: { $add: 1 } })
        await store.memo.patch(id, { lines: [{ text: `${body.text} 1` }, { text: `${body.text} 2` }] })
        return { noted: body.text }
      },
    },
  },
})
