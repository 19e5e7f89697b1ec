import type { Address } from './address.ts'
import { inTurn } from './connections.ts'
import type { Written } from './execution.ts'
import type { Draft } from './plan/draft.ts'
import { setsFieldsOnly } from './plan/unseen.ts'
import { andThen, forEachInTurn, type PromiseOrValue } from './promise-or-value.ts'
import type { Runner } from './query/prepare.ts'
import type { Statements } from './query/statements.ts'
import { recordValues, shown } from './read.ts'

/** Writes a record that nobody has looked at; comes to undefined if there is none. */
export type UnseenWrite = (on: Runner) => PromiseOrValue<Written | undefined>

/** Writes that are the same whatever a record holds; undefined where that decides. */
export interface UnseenWrites {
  patch(at: Address, id: number, draft: Draft): UnseenWrite | undefined
  delete(at: Address, id: number): UnseenWrite | undefined
}

export function unseenWritesOf(statements: Statements): UnseenWrites {
  return {
    patch(at, id, draft) {
      if (!setsFieldsOnly(draft)) return undefined
      const { statement, toValues } = statements.assignment(at.place, draft.values)
      const record = statements.record(at.place)
      const values = recordValues(at, id)
      return (on) => {
        const assign = () => statement.run(on, { ...values, ...toValues(draft.values) })
        const read = () => record.json(on, values)
        return andThen(inTurn(on, assign, read), (json) => (json ? { id, json: shown(at, json) } : undefined))
      }
    },
    delete(at, id) {
      const removal = statements.removal(at.place)
      if (removal === undefined) return undefined
      const values = recordValues(at, id)
      return (on) => {
        const along = forEachInTurn(removal.along, (statement) => statement.run(on, values))
        const record = andThen(along, () => removal.record.run(on, values))
        return andThen(record, ([found]) => (found === undefined ? undefined : GONE))
      }
    },
  }
}

const GONE: Written = { id: undefined, json: undefined }
