import { inTurn } from '../connection/connections.ts'
import { databaseErrorKind } from '../connection/database-errors.ts'
import { andThen, atOnce, forEachInTurn, orElse, type PromiseOrValue } from '../connection/promise-or-value.ts'
import { inReadingTransaction } from '../connection/reading-transaction.ts'
import { inTransaction } from '../connection/transaction.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Draft } from '../plan/body/draft.ts'
import { setsFieldsOnly } from '../plan/decide/sets-fields-only.ts'
import type { QueryContext } from '../query/context.ts'
import type { Prepared, Runner } from '../query/prepare.ts'
import type { Statements } from '../query/statements.ts'
import type { Written } from './execution.ts'
import { beginningWith, behindLock, type Lock, lockOf } from './lock.ts'
import { recordValues, sendable, shownIfSendable } from './read.ts'

/** A write that is the same whatever the record holds, so that nobody has to look at it first. */
export interface UnseenWrite {
  readonly lock: Lock | undefined
  /** Whether there is something to write; undefined where that is not asked first. */
  readonly isWanted: ((on: Runner) => PromiseOrValue<boolean>) | undefined
  /** Undefined if there is no record to be seen. `readsBack`: it is read afterwards, for the answer. */
  write(on: Runner, readsBack: boolean): PromiseOrValue<Written | undefined>
}

/** Such writes; undefined where what is there decides. */
export interface UnseenWrites {
  patch(at: Address, id: number, draft: Draft): UnseenWrite | undefined
  delete(at: Address, id: number): UnseenWrite | undefined
}

export function unseenWritesOf(context: QueryContext, statements: Statements): UnseenWrites {
  // In the caller's transaction there is one try only, so what is refused could not be looked at.
  if (context.db.isTransaction) return NONE
  return {
    patch(at, id, draft) {
      if (!setsFieldsOnly(draft)) return undefined
      const { update, isWanted, toValues } = statements.assignment(at.place, draft.values)
      const record = statements.record(at.place)
      const ofRecord = recordValues(at, id)
      const values = toValues(ofRecord, draft.values)
      // A record without owners is updated in the very row that others lock.
      const isTop = at.owners.length === 0 && at.place.resource.recursive.length === 0
      return {
        lock: isTop ? undefined : lockOf(context, statements, at, id),
        isWanted: isWanted && ((on) => andThen(isWanted.value(on, values), (one) => one !== undefined)),
        write(on, readsBack) {
          // What changes nothing locks nothing: others may have written before it is read. Then a look tells what to answer.
          let hasChanged = isWanted !== undefined
          const change = () =>
            andThen(update.run(on, values), (rows) => {
              hasChanged ||= rows.length > 0
            })
          const read = () => (readsBack ? record.json(on, ofRecord) : NOT_READ)
          return andThen(inTurn(on, change, read), (json) =>
            typeof json === 'string' && hasChanged
              ? { id, json: shownIfSendable(at, sendable(json, statements.maxAnswer)) }
              : undefined,
          )
        },
      }
    },
    delete(at, id) {
      const removal = statements.removal(at.place)
      if (removal.length === 0) return undefined
      const values = recordValues(at, id)
      return {
        lock: lockOf(context, statements, at, id),
        isWanted: undefined,
        write(on) {
          const along = forEachInTurn(removal.slice(0, -1), (statement) => statement.run(on, values))
          const gone = andThen(along, () => (removal.at(-1) as Prepared).run(on, values))
          return andThen(gone, (rows) => (rows.length === 0 ? undefined : GONE))
        },
      }
    },
  }
}

const NONE: UnseenWrites = { patch: () => undefined, delete: () => undefined }

/** In place of the record's JSON. */
const NOT_READ = ''

const GONE: Written = { id: undefined, json: undefined }

/**
 * Carries it out in a transaction. Undefined if that came to nothing, or if the database refused it: then a look tells what
 * becomes of the request.
 */
export function writeUnseen(
  on: Runner,
  context: QueryContext,
  unseen: UnseenWrite,
  readsBack: boolean,
): PromiseOrValue<Written | undefined> {
  const { lock, isWanted, write } = unseen
  const writeAll = () =>
    andThen(
      behindLock(on, lock, () => write(on, readsBack)),
      (written) => written ?? nothing(on),
    )
  const transaction = () =>
    orElse(() => inTransaction(on, beginningWith(on, context, lock), () => writeAll), toBeLookedAt)
  if (isWanted === undefined) return transaction()
  if (!on.canBeginReading) return andThen(isWanted(on), (is) => (is ? transaction() : undefined))
  const ask = () => atOnce(isWanted(on))
  const writeIfWanted = (is: boolean) => (is ? atOnce(writeAll()) : undefined)
  return orElse(() => inReadingTransaction(on, context.dialect.begin, ask, writeIfWanted), toBeLookedAt)
}

/** What the transaction has done is undone. In a batch the commit is behind it already, and there is nothing to undo. */
function nothing(on: Runner): undefined {
  if (!on.isBatched) throw new NothingWrittenError()
}

class NothingWrittenError extends Error {
  override readonly name = 'NothingWrittenError'
}

function toBeLookedAt(error: unknown): undefined {
  if (error instanceof CrudError) throw error
  switch (databaseErrorKind(error)) {
    case 'busy':
    case 'timeout':
    case 'disconnected':
    case 'unavailable':
    case 'tooLarge':
      throw error
  }
}
