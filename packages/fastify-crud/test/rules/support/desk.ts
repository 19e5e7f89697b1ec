import { set, stamps } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import type { TestRules } from './rules.ts'

const text = Type.String()

/** Tickets own comments, and comments own replies. Rules say to which organisation they belong, and who wrote them. */
export const desk = defineResources({
  org: { fields: { name: text } },
  user: { fields: { name: text } },
  ticket: {
    fields: { title: text },
    relations: {
      org: needs.one('org'),
      topic: knows.one('org'),
      createdBy: knows.one('user'),
      updatedBy: knows.one('user'),
      comments: owns.many('comment'),
    },
  },
  comment: {
    fields: { text },
    relations: { ticket: ownedBy('ticket'), author: needs.one('user'), replies: owns.many('reply') },
  },
  reply: {
    fields: { text },
    relations: { comment: ownedBy('comment'), author: needs.one('user', { foreignKey: 'writtenBy' }) },
  },
})

const user = ({ caller }: { readonly caller: JsonBody }) => caller.id

export const deskRules: TestRules = {
  ticket: [set({ orgId: ({ caller }) => caller.org }), stamps({ createdById: 'id', updatedById: 'id' })],
  comment: set({ authorId: user }),
  reply: set({ writtenBy: user }),
}

export type DeskRows = Awaited<ReturnType<typeof fillDesk>>

/** Two organisations and two users. */
export async function fillDesk(db: TestKysely) {
  const all = createStore({ db, resources: desk })
  return {
    north: await all.org.create({ name: 'North' }),
    south: await all.org.create({ name: 'South' }),
    ada: await all.user.create({ name: 'Ada' }),
    bo: await all.user.create({ name: 'Bo' }),
  }
}
