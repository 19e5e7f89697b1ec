import type { Address } from './address.ts'
import { type Application, type Applied, applyJoined, applyStepByStep, keepChosenIds } from './apply-plan.ts'
import { inTurn, onConnection } from './connections.ts'
import { databaseErrorKind, refusalOf } from './database-errors.ts'
import { CrudError } from './errors.ts'
import { type Model, resourceOf } from './model/model.ts'
import type { RowId } from './plan/changes.ts'
import type { Diff } from './plan/diff.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from './plan/lookups.ts'
import { decide, isSettled, type Outcome } from './plan/outcome.ts'
import { hasChosenIds, type Plan } from './plan/plan.ts'
import type { QueryContext } from './query/context.ts'
import { CHANGED } from './query/dialect.ts'
import { ownerValues } from './query/place-condition.ts'
import type { Runner } from './query/prepare.ts'
import type { Statements, StatementsAhead } from './query/statements.ts'
import { readKept, readRecord, shown } from './read.ts'
import { StepError } from './step-error.ts'
import { inSavepoint, inTransaction, persistently } from './transaction.ts'

/** What a request makes of what is there. */
export interface Intent {
  /** It writes whatever is there, if it is possible at all: there is no need to look before a transaction is begun. */
  readonly isSureToWrite: boolean
  /** Reads, and compares; what was seen before and is still so need not be compared again. */
  look(on: Runner, before?: Seen): Promise<Seen>
}

export interface Seen {
  readonly diff: Diff
  readonly result: RowId | undefined
  /** The record as the database writes it; undefined if there is none. */
  readonly record: string | undefined
}

export interface Written {
  readonly id: number | undefined
  /** The record as it is after the write; undefined if it is gone. */
  readonly json: string | undefined
}

/** Carries out a write: lock, read, plan, apply, in one transaction, and again as long as others get in its way. */
export type Writer = (at: Address, id: number | undefined, intent: Intent) => Promise<Written>

/**
 * A foreign key or unique value that the plan found free was taken by another writer before the plan was carried out,
 * or only the database knows of it. The second try plans anew and writes row by row, to learn which row it is.
 */
const TRIES_AT_CONSTRAINTS = 2

/** What is removed lets go of those who know it, and is taken up by others before it goes: no reason to refuse. */
const TRIES_AT_REMOVALS = 8

export function writerOf(context: QueryContext, model: Model, statements: Statements): Writer {
  const { db, dialect } = context
  const isStillSo = foreignWriteCheck(statements)
  let hasSequences: boolean | undefined

  /** Unless it is sure to write it looks first: a transaction is begun only when there is something to write. */
  async function attempt(
    on: Runner,
    at: Address,
    id: number | undefined,
    intent: Intent,
    tries: number,
  ): Promise<Written> {
    const seen = intent.isSureToWrite ? undefined : await intent.look(on)
    if (seen !== undefined && isSettled(seen.diff)) return { id, json: shown(at, seen.record as string) }
    const top = at.place.path[0]?.source ?? at.place.resource
    const topId = dialect.locksRows ? (at.owners[0] ?? id) : undefined

    if (db.isTransaction) {
      return inSavepoint(on, async () => {
        if (topId !== undefined) await statements.lock(top).run(on, { id: topId })
        const { diff, result } = await intent.look(on)
        const last = await carryOut(on, at, await planOf(on, diff, result, false), false)
        return last()
      })
    }
    const rowByRow = tries >= TRIES_AT_CONSTRAINTS
    const lock = async (): Promise<unknown> => topId !== undefined && statements.lock(top).run(on, { id: topId })
    if (seen !== undefined && statements.ahead !== undefined && on.isBatched && !rowByRow) {
      const written = await onWhatWasSeen(on, at, id, seen, lock, statements.ahead)
      if (written !== undefined) return written
    }
    // As a statement of its own it is one that can be kept; where each is waited for, it goes with the one that begins.
    const isApart = topId === undefined || on.isBatched
    const begin = isApart ? dialect.begin : `${dialect.begin}; ${statements.lock(top).withIntegers({ id: topId })}`
    return inTransaction(on, begin, async () => {
      const look = async (): Promise<Seen> =>
        seen !== undefined && (await isStillSo(on)) ? seen : intent.look(on, seen)
      const [, { diff, result }] = await inTurn(on, async () => isApart && lock(), look)
      return carryOut(on, at, await planOf(on, diff, result, rowByRow), rowByRow)
    })
  }

  /**
   * Carries out what was planned before the lock was there, all at once, and has the database see to it that the record is
   * still the same. Undefined if it is not, or if the request would be refused: that is decided under the lock.
   */
  async function onWhatWasSeen(
    on: Runner,
    at: Address,
    id: number | undefined,
    { diff, result, record }: Seen,
    lock: () => Promise<unknown>,
    ahead: StatementsAhead,
  ): Promise<Written | undefined> {
    const outcome = await outcomeOf(on, diff, result, false)
    if ('refusal' in outcome) return undefined
    const values = { id, json: record, ...ownerValues(at.owners) }
    const check = () => ahead.unchanged(at.place).run(on, values).catch(rethrowChanged)
    try {
      return await inTransaction(on, dialect.begin, async () => {
        const checked = inTurn(on, lock, check)
        // It is waited for below, whatever fails first.
        checked.catch(() => {})
        const last = await carryOut(on, at, outcome.plan, false).catch(async (error) => {
          await checked
          throw error
        })
        return async () => (await inTurn(on, () => checked, last))[1]
      })
    } catch (error) {
      if (error instanceof ChangedError) return undefined
      throw error
    }
  }

  /** Does what has to be waited for; what it resolves to does the rest, and answers. */
  async function carryOut(on: Runner, at: Address, plan: Plan, rowByRow: boolean): Promise<() => Promise<Written>> {
    const application = { on, model, statements }
    if (rowByRow) await passOverUsedIds(on, plan)
    if (hasChosenIds(plan)) await keepChosenIds(application, plan)
    const applied = await apply(application, plan, rowByRow)
    return async () => {
      const [id, json] = await inTurn(on, applied.last, () => readBack(on, at, applied))
      return { id, json }
    }
  }

  async function planOf(on: Runner, diff: Diff, result: RowId | undefined, rowByRow: boolean): Promise<Plan> {
    const outcome = await outcomeOf(on, diff, result, rowByRow)
    if ('refusal' in outcome) throw new CrudError(outcome.refusal)
    return outcome.plan
  }

  async function outcomeOf(on: Runner, diff: Diff, result: RowId | undefined, rowByRow: boolean): Promise<Outcome> {
    const lookups = lookupsOf(diff.changes)
    const facts = isNothing(lookups) ? noFacts : await lookUp(on, lookups)
    return decide(diff, result, facts, lookups, rowByRow)
  }

  async function lookUp(on: Runner, lookups: Lookups): Promise<Facts> {
    const { query, values, toFacts } = statements.lookup(lookups)
    return toFacts((await query.json(on, values)) as string)
  }

  async function apply(application: Application, plan: Plan, rowByRow: boolean): Promise<Applied> {
    if (statements.ahead !== undefined && !rowByRow && !db.isTransaction) {
      return applyJoined(application, statements.ahead, plan, statements.groups(plan.steps))
    }
    hasSequences ??= ((await statements.sequences?.run(application.on, {})) ?? []).length > 0
    return applyStepByStep(application, plan, { hasSequences, rowByRow })
  }

  /** Rows that came with ids of their own may sit where the database would count next. */
  async function passOverUsedIds(on: Runner, plan: Plan): Promise<void> {
    for (const key of new Set(plan.inserted)) await statements.skipUsedIds(resourceOf(model, key))?.run(on, {})
  }

  async function readBack(on: Runner, at: Address, applied: Applied): Promise<string | undefined> {
    try {
      if ('keptBy' in applied) return shown(at, await readKept(on, applied.keptBy, at))
      return applied.id === undefined ? undefined : shown(at, await readRecord(on, statements, at, applied.id))
    } catch (error) {
      // Not one for the client: by then the write may be committed.
      if (!(error instanceof CrudError)) throw error
      throw new Error('the record cannot be read after it was written', { cause: error })
    }
  }

  return async (at, id, intent) => {
    for (let tries = 1; ; tries++) {
      try {
        return await persistently(db, () => onConnection(db, (on) => attempt(on, at, id, intent, tries)))
      } catch (error) {
        if (error instanceof CrudError) throw error
        const isStep = error instanceof StepError
        const cause = isStep ? error.cause : error
        const most = isStep && error.doing === 'remove' ? TRIES_AT_REMOVALS : TRIES_AT_CONSTRAINTS
        if (db.isTransaction || tries >= most || !isConstraint(cause)) {
          const refusal = refusalOf(cause, isStep ? error.doing : 'write', isStep ? error.pointer : undefined)
          throw refusal === undefined ? error : new CrudError(refusal, { cause })
        }
      }
    }
  }
}

/**
 * Whether what was read before the transaction began is still so, where a database can tell. SQLite counts for each
 * connection what others wrote; this one is not used by others as long as a write holds it.
 */
function foreignWriteCheck({ foreignWrites }: Statements): (on: Runner) => Promise<boolean> {
  const counts = new WeakMap<Runner, unknown>()
  return async (on) => {
    if (foreignWrites === undefined) return false
    const [answer] = await foreignWrites.run(on, {})
    const count = Object.values(answer ?? {})[0]
    const isSame = count === counts.get(on)
    counts.set(on, count)
    return isSame
  }
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
  return kind === 'unique' || kind === 'foreignKey' || kind === 'value'
}
