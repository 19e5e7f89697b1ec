import { inTurn } from '../connection/connections.ts'
import { andThen, atOnce, forEachInTurn, orElse, type PromiseOrValue } from '../connection/promise-or-value.ts'
import { CrudError } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from '../plan/decide/lookups.ts'
import { type Decision, decide } from '../plan/decide/outcome.ts'
import type { RowId } from '../plan/diff/changes.ts'
import type { Diff } from '../plan/diff/diff.ts'
import type { OrderedChanges } from '../plan/order/ordered.ts'
import type { QueryContext } from '../query/context.ts'
import type { Runner } from '../query/prepare.ts'
import type { Statements } from '../query/statements.ts'
import { needsIds } from '../query/steps/new-ids.ts'
import { type Applied, applyAtOnce, applyJoined, applyStepByStep, keepChosenIds } from './apply-steps.ts'
import { readKept, readRecord, shownIfSendable } from './read.ts'

/** What a request makes of what is there. */
export interface Seen {
  readonly diff: Diff
  readonly result: RowId | undefined
  /** The record as the database writes it; undefined if there is none, or if it is not the whole record. */
  readonly record: string | undefined
}

export interface Written {
  readonly id: number | undefined
  /** The record as it is after the write; undefined if it is gone, or too large for an answer. */
  readonly json: string | undefined
}

/**
 * What is done about a request within a transaction, or in a savepoint of one. `at`: where the record is read afterwards;
 * undefined where the answer goes without it.
 */
export interface Execution {
  /** Decides, given what was seen and what has to be looked up besides. */
  decisionOn(on: Runner, seen: Seen, rowByRow: boolean): PromiseOrValue<Decision>
  /** Does of the changes what has to be waited for; what comes out does the rest, and answers. */
  apply(
    on: Runner,
    at: Address | undefined,
    ordered: OrderedChanges,
    rowByRow: boolean,
  ): PromiseOrValue<() => PromiseOrValue<Written>>
  /** Both; fails with a CrudError if the request is refused. */
  carryOut(
    on: Runner,
    at: Address | undefined,
    seen: Seen,
    rowByRow: boolean,
  ): PromiseOrValue<() => PromiseOrValue<Written>>
  /** The same and what is left, where each statement is done at once; `singly` as in {@link applyAtOnce}. */
  carryOutAtOnce(on: Runner, at: Address | undefined, seen: Seen, rowByRow: boolean, singly: boolean): Written
}

export function executionOf({ db }: QueryContext, statements: Statements): Execution {
  let hasSequences: boolean | undefined

  function carryOut(
    on: Runner,
    at: Address | undefined,
    seen: Seen,
    rowByRow: boolean,
  ): PromiseOrValue<() => PromiseOrValue<Written>> {
    return andThen(decisionOn(on, seen, rowByRow), (decision) => {
      if ('refusal' in decision) throw new CrudError(decision.refusal)
      return apply(on, at, decision.ordered, rowByRow)
    })
  }

  function carryOutAtOnce(
    on: Runner,
    at: Address | undefined,
    seen: Seen,
    rowByRow: boolean,
    singly: boolean,
  ): Written {
    const decision = atOnce(decisionOn(on, seen, rowByRow))
    if ('refusal' in decision) throw new CrudError(decision.refusal)
    const { ordered } = decision
    if (rowByRow || needsIds(ordered)) return atOnce(atOnce(apply(on, at, ordered, rowByRow))())
    applyAtOnce(on, statements, ordered.steps, singly)
    const id = ordered.result as number | undefined
    return { id, json: atOnce(readBack(on, at, { id })) }
  }

  function decisionOn(on: Runner, { diff, result }: Seen, rowByRow: boolean): PromiseOrValue<Decision> {
    const lookups = lookupsOf(diff.changes)
    const facts = isNothing(lookups) ? noFacts : lookUp(on, lookups)
    return andThen(facts, (found) => decide(diff, result, found, lookups, rowByRow))
  }

  function lookUp(on: Runner, lookups: Lookups): PromiseOrValue<Facts> {
    const { query, values, toFacts } = statements.lookup(lookups)
    return andThen(query.json(on, values), (json) => toFacts(json as string))
  }

  function apply(
    on: Runner,
    at: Address | undefined,
    ordered: OrderedChanges,
    rowByRow: boolean,
  ): PromiseOrValue<() => PromiseOrValue<Written>> {
    const isInserting = ordered.inserts.length > 0
    const ready = isInserting ? makeWayForIds(on, ordered, rowByRow) : undefined
    const applied = andThen(ready, () => applySteps(on, ordered, rowByRow))
    return andThen(applied, (done) => () => {
      if (!('last' in done)) return andThen(readBack(on, at, done), (json) => ({ id: done.id, json }))
      let id: number | undefined
      const last = () =>
        andThen(done.last(), (found) => {
          id = found
        })
      return andThen(
        inTurn(on, last, () => readBack(on, at, done)),
        (json) => ({ id, json }),
      )
    })
  }

  function makeWayForIds(on: Runner, ordered: OrderedChanges, rowByRow: boolean): PromiseOrValue<void> {
    const ready = rowByRow ? passOverUsedIds(on, ordered) : undefined
    return andThen(ready, () => keepChosenIds(on, statements, ordered))
  }

  function applySteps(on: Runner, ordered: OrderedChanges, rowByRow: boolean): PromiseOrValue<Applied> {
    if (statements.ahead !== undefined && !rowByRow && !db.isTransaction) {
      return applyJoined(on, statements.ahead, ordered, statements.groups(ordered.steps))
    }
    if (hasSequences !== undefined) return applyStepByStep(on, statements, ordered, { hasSequences, rowByRow })
    return andThen(statements.sequences?.run(on, {}), (found = []) => {
      hasSequences = found.length > 0
      return applyStepByStep(on, statements, ordered, { hasSequences, rowByRow })
    })
  }

  /** Rows that came with ids of their own may sit where the database would count next. */
  function passOverUsedIds(on: Runner, { inserts }: OrderedChanges): PromiseOrValue<void> {
    const inserted = [...new Set(inserts.map(({ resource }) => resource))]
    return forEachInTurn(inserted, (resource) => statements.skipUsedIds(resource)?.run(on, {}))
  }

  function readBack(on: Runner, at: Address | undefined, applied: Applied): PromiseOrValue<string | undefined> {
    if (at === undefined) return undefined
    return orElse<string | undefined>(
      () => {
        if ('keptBy' in applied) {
          return andThen(readKept(on, statements, applied.keptBy, at), (record) => shownIfSendable(at, record))
        }
        if (applied.id === undefined) return undefined
        return andThen(readRecord(on, statements, at, applied.id), (record) => shownIfSendable(at, record))
      },
      (error) => {
        // Not one for the client: by then the write may be committed.
        if (!(error instanceof CrudError)) throw error
        throw new Error('the record cannot be read after it was written', { cause: error })
      },
    )
  }

  return { decisionOn, apply, carryOut, carryOutAtOnce }
}
