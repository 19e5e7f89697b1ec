import { Type } from '@sinclair/typebox'
import { defineActions, defineResources, ownedBy, owns } from 'fastify-crud'

/** When an action is as far as a test wants it. */
export type Moment = 'in run' | 'before the commit' | 'after the commit'

export const bank = defineResources({
  account: {
    fields: { amount: Type.Integer(), notes: Type.Integer({ default: 0 }) },
    relations: { entries: owns.many('entry') },
  },
  entry: { fields: { amount: Type.Integer() }, relations: { account: ownedBy('account') } },
})

/** The table that a transaction writes to by itself. */
export const JOURNAL = 'create table journal (amount integer not null)'

/** Options with an action that writes in every way that one can; `reached` is called at each moment of it. */
export function bankOptions(reached: (moment: Moment) => void) {
  const actions = defineActions(bank, {
    account: {
      deposit: {
        body: Type.Object({ amount: Type.Integer() }),
        asks: 'Edit',
        async run({ id, body: { amount }, store, system, db, afterCommit }) {
          await store.account.patch(id, { amount: { $add: amount } })
          await store.account.owned(id, 'entries').create({ amount })
          await system.account.patch(id, { notes: { $add: 1 } })
          await (db as typeof db & Journal).insertInto('journal').values({ amount }).execute()
          afterCommit(() => reached('after the commit'))
          reached('in run')
        },
      },
    },
  })
  const invariant = { reads: ['amount'] as const, test: () => reached('before the commit') }
  return { actions, rules: { account: { invariant } } } as const
}

/** A batch of the action, behind a new account and before an entry of it. */
export function batchAround(path: string) {
  return {
    requests: [
      { method: 'POST', path: '/account', body: { amount: 1 }, as: 'new' },
      { method: 'POST', path, body: { amount: 5 } },
      { method: 'POST', path: '/account/$new.new/entry', body: { amount: 2 } },
    ],
  }
}

interface Journal {
  insertInto(table: 'journal'): { values(row: { amount: number }): { execute(): Promise<unknown> } }
}
