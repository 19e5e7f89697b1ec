import { databaseErrorKind } from '../connection/database-errors.ts'
import { andThen, forEachInTurn, orElse, type PromiseOrValue } from '../connection/promise-or-value.ts'
import { pipeline, type Session } from '../connection/session.ts'
import { inReadersTransaction, inTransaction } from '../connection/transaction.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Draft } from '../plan/body/draft.ts'
import { setsFieldsOnly } from '../plan/decide/sets-fields-only.ts'
import type { Prepared } from '../query/prepare.ts'
import { behindLock, type Lock, lockOf, transactionWith } from './lock.ts'
import { recordValues, sendable, shownIfSendable } from './read.ts'
import type { WriteParts, WriteRequest, Written } from './write-request.ts'

/**
 * A write that is the same whatever the record holds, so it needs no reading first: a PATCH of plain fields, a DELETE of a record
 * that nothing can refer to. It saves a round trip.
 */
export interface BlindWrite {
  readonly lock: Lock | undefined
  /** Whether there is something to write; undefined where that is not asked first. */
  readonly isWanted: ((session: Session) => PromiseOrValue<boolean>) | undefined
  /** Undefined if it changed nothing. `readsBack`: the record is read afterwards, for the answer. */
  write(session: Session, readsBack: boolean): PromiseOrValue<Written | undefined>
}

/** The blind write of a PATCH; undefined where the current state decides. */
export function blindPatch(parts: WriteParts, at: Address, id: number, draft: Draft): BlindWrite | undefined {
  const { context, statements } = parts
  // In the caller's transaction there is one attempt only, so what is refused could not be looked at.
  if (context.db.isTransaction || !setsFieldsOnly(draft)) return undefined
  const { update, isWanted, toValues } = statements.blindUpdate(at.place, draft.values)
  const record = statements.record(at.place)
  const ofRecord = recordValues(at, id)
  const values = toValues(ofRecord, draft.values)
  // A record without owners is updated in the very row that others lock.
  const isTop = at.owners.length === 0 && at.place.resource.recursive.length === 0
  return {
    lock: isTop ? undefined : lockOf(context, statements, at, id),
    isWanted: isWanted && ((session) => andThen(session.value(isWanted, values), (one) => one !== undefined)),
    write(session, readsBack) {
      // What changes nothing locks nothing: others may write before it is read. Then the record is read and compared.
      let hasChanged = isWanted !== undefined
      const change = () =>
        andThen(session.rows(update, values), (rows) => {
          hasChanged ||= rows.length > 0
        })
      const read = () => (readsBack ? session.value<string>(record, ofRecord) : NOT_READ)
      return andThen(pipeline(session, change, read), (json) =>
        typeof json === 'string' && hasChanged
          ? { id, json: shownIfSendable(at, sendable(json, context.maxAnswer)) }
          : undefined,
      )
    },
  }
}

/** The blind write of a DELETE; undefined where the current state decides. */
export function blindDelete(parts: WriteParts, at: Address, id: number): BlindWrite | undefined {
  const { context, statements } = parts
  if (context.db.isTransaction) return undefined
  const removal = statements.blindDelete(at.place)
  if (removal.length === 0) return undefined
  const values = recordValues(at, id)
  return {
    lock: lockOf(context, statements, at, id),
    isWanted: undefined,
    write(session) {
      const along = forEachInTurn(removal.slice(0, -1), (statement) => session.rows(statement, values))
      const gone = andThen(along, () => session.rows(removal.at(-1) as Prepared, values))
      return andThen(gone, (rows) => (rows.length === 0 ? undefined : GONE))
    },
  }
}

/** In place of the record's JSON. */
const NOT_READ = ''

const GONE: Written = { id: undefined, json: undefined }

/**
 * Carries out the blind write of a request, if it has one. Returns undefined if that changed nothing, or if the database refused
 * it: then the record has to be read to tell what becomes of the request.
 */
export function writeBlind(
  { context }: WriteParts,
  session: Session,
  { blind, readsBack }: WriteRequest,
): PromiseOrValue<Written | undefined> {
  if (blind === undefined) return undefined
  const { lock, isWanted, write } = blind
  const boundaries = transactionWith(session, context, lock)
  const writeAll = () =>
    andThen(
      behindLock(session, lock, () => write(session, readsBack)),
      (written) => written ?? nothing(session),
    )
  const inOne = () => inTransaction(session, boundaries, () => writeAll)
  return orElse(() => {
    if (isWanted === undefined) return inOne()
    if (!session.beginsAsReader) return andThen(isWanted(session), (is) => (is ? inOne() : undefined))
    const ask = () => isWanted(session)
    return inReadersTransaction(session, boundaries, ask, (is) => (is ? writeAll : () => undefined))
  }, giveUp)
}

/** Rolls back what a transaction has done. Where statements are pipelined, the commit is sent already: nothing was changed. */
function nothing(session: Session): undefined {
  if (!session.pipelines) throw new NothingWrittenError()
}

class NothingWrittenError extends Error {
  override readonly name = 'NothingWrittenError'
}

function giveUp(error: unknown): undefined {
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
