import { type Connections, inTurn } from '../connection/connections.ts'
import { databaseErrorKind, refusalOf } from '../connection/database-errors.ts'
import { andThen, atOnce, orElse, type PromiseOrValue, promised } from '../connection/promise-or-value.ts'
import { inReadingTransaction } from '../connection/reading-transaction.ts'
import { inSavepoint, inTransaction, persistently } from '../connection/transaction.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { isSettled } from '../plan/decide/outcome.ts'
import type { QueryContext } from '../query/context.ts'
import { CHANGED } from '../query/dialect/dialect.ts'
import type { Runner } from '../query/prepare.ts'
import { ownerValues } from '../query/reads/place-condition.ts'
import type { Statements, StatementsAhead } from '../query/statements.ts'
import { type UnseenWrite, writeUnseen } from './blind-write.ts'
import { executionOf, type Seen, type Written } from './execution.ts'
import { beginningWith, behindLock, type Lock, lockOf } from './lock.ts'
import { AnswerTooLargeError, recordTooLarge, shownIfSendable } from './read.ts'
import { StepError } from './step-error.ts'

/** A request that writes. */
export interface WriteRequest {
  readonly at: Address
  /** The record; undefined if it is a new one. */
  readonly id: number | undefined
  /** It writes whatever is there, if it is possible at all: there is no need to look before a transaction is begun. */
  readonly isSureToWrite: boolean
  /** The same without a look; undefined where what is there decides. */
  readonly unseen: UnseenWrite | undefined
  /** How much is read of the record before: its state where the whole record is too large for an answer. */
  readonly extent: 'whole' | 'state'
  /** The record is read afterwards: not where the database cannot build it. */
  readonly readsBack: boolean
  /** Reads that much, and compares; what was seen before and is still so need not be compared again. */
  look(on: Runner, extent: 'whole' | 'state', before?: Seen): PromiseOrValue<Seen>
}

/** Carries out a write: lock, read, plan, apply, in one transaction, and again as long as others get in its way. */
export type Writer = (request: WriteRequest) => PromiseOrValue<Written>

/**
 * A foreign key or unique value that the plan found free was taken by another writer before the plan was carried out,
 * or only the database knows of it. The second try plans anew and writes row by row, to learn which row it is.
 */
const TRIES_AT_CONSTRAINTS = 2

/** What is removed lets go of those who know it, and is taken up by others before it goes: no reason to refuse. */
const TRIES_AT_REMOVALS = 8

export function writerOf(context: QueryContext, statements: Statements, connections: Connections): Writer {
  const { db, dialect } = context
  const { decisionOn, apply, carryOut, carryOutAtOnce } = executionOf(context, statements)

  function write(request: WriteRequest, tries: number): PromiseOrValue<Written> {
    return orElse(
      () => persistently(db, () => connections.hold((on) => attempt(on, request, tries))),
      (error) => {
        if (error instanceof CrudError) throw error
        if (error instanceof AnswerTooLargeError)
          return write({ ...request, extent: 'state', unseen: undefined }, tries)
        if (databaseErrorKind(error) === 'tooLarge') return writeWithoutAnswer(request, tries)
        const isStep = error instanceof StepError
        const cause = isStep ? error.cause : error
        const most = isStep && error.doing === 'remove' ? TRIES_AT_REMOVALS : TRIES_AT_CONSTRAINTS
        if (!db.isTransaction && tries < most && isConstraint(cause)) return write(request, tries + 1)
        const refusal = refusalOf(cause, isStep ? error.doing : 'write', isStep ? error.pointer : undefined)
        throw refusal === undefined ? error : new CrudError(refusal, { cause })
      },
    )
  }

  function writeWithoutAnswer(request: WriteRequest, tries: number): PromiseOrValue<Written> {
    if (!request.readsBack) throw recordTooLarge(request.at, request.id, context.maxAnswer)
    return write({ ...request, extent: 'state', readsBack: false }, tries)
  }

  /** What the database has refused has to be looked at to tell why. */
  function attempt(on: Runner, request: WriteRequest, tries: number): PromiseOrValue<Written> {
    const { unseen } = request
    const withLook = () => attemptWithLook(on, request, tries >= TRIES_AT_CONSTRAINTS)
    if (unseen === undefined || tries > 1) return withLook()
    return andThen(writeUnseen(on, context, unseen, request.readsBack), (written) => written ?? withLook())
  }

  /**
   * Unless it is sure to write it looks first: a transaction is begun only when there is something to write, or as one that
   * keeps nobody from writing.
   */
  function attemptWithLook(on: Runner, request: WriteRequest, rowByRow: boolean): PromiseOrValue<Written> {
    if (request.isSureToWrite) return begin(on, request, rowByRow)
    if (on.canBeginReading) return lookAndCarryOutAtOnce(on, request, rowByRow)
    return andThen(request.look(on, request.extent), (seen) =>
      isSettled(seen.diff) ? settled(request, seen) : begin(on, request, rowByRow, seen),
    )
  }

  function lookAndCarryOutAtOnce(on: Runner, request: WriteRequest, rowByRow: boolean): Written {
    const attempt = (singly: boolean) =>
      inReadingTransaction(
        on,
        dialect.begin,
        () => atOnce(request.look(on, request.extent)),
        (seen) => {
          if (isSettled(seen.diff)) return settled(request, seen)
          return carryOutAtOnce(on, answeredFrom(request), seen, rowByRow, singly)
        },
      )
    try {
      return attempt(true)
    } catch (error) {
      // Rows may name each other by foreign keys that the model does not know: then all are right, but not one by one.
      const isForeignKey = error instanceof StepError && databaseErrorKind(error.cause) === 'foreignKey'
      if (!isForeignKey || rowByRow) throw error
      return attempt(false)
    }
  }

  function settled({ id, at }: WriteRequest, seen: Seen): Written {
    return { id, json: shownIfSendable(at, seen.record) }
  }

  function begin(on: Runner, request: WriteRequest, rowByRow: boolean, seen?: Seen): PromiseOrValue<Written> {
    const lock = lockOf(context, statements, request.at, request.id)
    if (db.isTransaction) {
      return inSavepoint(on, async () => {
        await lock?.statement.run(on, lock.values)
        const last = await carryOut(on, answeredFrom(request), await request.look(on, request.extent), false)
        return last()
      })
    }
    const { ahead } = statements
    if (seen?.record === undefined || lock === undefined || ahead === undefined || !on.isBatched || rowByRow) {
      return underLock(on, request, lock, rowByRow, seen)
    }
    return andThen(
      onWhatWasSeen(on, request, lock, seen, ahead),
      (written) => written ?? underLock(on, request, lock, rowByRow, seen),
    )
  }

  function underLock(
    on: Runner,
    request: WriteRequest,
    lock: Lock | undefined,
    rowByRow: boolean,
    seen: Seen | undefined,
  ): PromiseOrValue<Written> {
    const look = () => request.look(on, request.extent, seen)
    return inTransaction(on, beginningWith(on, context, lock), () =>
      andThen(behindLock(on, lock, look), (now) => carryOut(on, answeredFrom(request), now, rowByRow)),
    )
  }

  /**
   * Carries out what was planned before the lock was there, all at once, and has the database see to it that the record is
   * still the same. Undefined if it is not, or if the request would be refused: that is decided under the lock.
   */
  async function onWhatWasSeen(
    on: Runner,
    { at, id }: WriteRequest,
    lock: Lock,
    seen: Seen,
    ahead: StatementsAhead,
  ): Promise<Written | undefined> {
    const decision = await decisionOn(on, seen, false)
    if ('refusal' in decision) return undefined
    const values = { id, json: seen.record, ...ownerValues(at.owners) }
    const check = () => orElse<unknown>(() => ahead.unchanged(at.place).run(on, values), rethrowChanged)
    try {
      return await inTransaction(on, dialect.begin, async () => {
        const checked = promised(() => inTurn(on, () => lock.statement.run(on, lock.values), check))
        // It is waited for below, whatever fails first.
        checked.catch(() => {})
        const last = await orElse(
          () => apply(on, at, decision.ordered, false),
          async (error) => {
            await checked
            throw error
          },
        )
        return () => inTurn(on, () => checked, last)
      })
    } catch (error) {
      if (error instanceof ChangedError) return undefined
      throw error
    }
  }

  return (request) => write(request, 1)
}

/** Where the record is read after the write. */
function answeredFrom({ at, readsBack }: WriteRequest): Address | undefined {
  return readsBack ? at : undefined
}

/** The record is not what it was when the write was planned. */
class ChangedError extends Error {
  override readonly name = 'ChangedError'
}

function rethrowChanged(error: unknown): never {
  throw error instanceof Error && error.message.includes(CHANGED) ? new ChangedError(CHANGED, { cause: error }) : error
}

function isConstraint(error: unknown): boolean {
  const kind = databaseErrorKind(error)
  return kind === 'unique' || kind === 'foreignKey' || kind === 'value' || kind === 'refused'
}
