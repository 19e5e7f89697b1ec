import type { Address } from './address.ts'
import { type Application, type Applied, applyJoined, applyStepByStep, keepChosenIds } from './apply-plan.ts'
import { inTurn } from './connections.ts'
import { CrudError } from './errors.ts'
import { type Model, resourceOf } from './model/model.ts'
import type { RowId } from './plan/changes.ts'
import type { Diff } from './plan/diff.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from './plan/lookups.ts'
import { decide, type Outcome } from './plan/outcome.ts'
import type { Plan } from './plan/plan.ts'
import { andThen, forEachInTurn, orElse, type PromiseOrValue } from './promise-or-value.ts'
import type { QueryContext } from './query/context.ts'
import type { Runner } from './query/prepare.ts'
import type { Statements } from './query/statements.ts'
import { readKept, readRecord, shown } from './read.ts'

/** What a request makes of what is there. */
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

/** What is done about a request within a transaction, or in a savepoint of one. */
export interface Execution {
  /** The plan, or why there is none, given what was seen and what has to be looked up besides. */
  outcomeOf(on: Runner, seen: Seen, rowByRow: boolean): PromiseOrValue<Outcome>
  /** Does of a plan what has to be waited for; what comes out does the rest, and answers. */
  apply(on: Runner, at: Address, plan: Plan, rowByRow: boolean): PromiseOrValue<() => PromiseOrValue<Written>>
  /** Both; fails with a CrudError if the request is refused. */
  carryOut(on: Runner, at: Address, seen: Seen, rowByRow: boolean): PromiseOrValue<() => PromiseOrValue<Written>>
}

export function executionOf({ db }: QueryContext, model: Model, statements: Statements): Execution {
  let hasSequences: boolean | undefined

  function carryOut(
    on: Runner,
    at: Address,
    seen: Seen,
    rowByRow: boolean,
  ): PromiseOrValue<() => PromiseOrValue<Written>> {
    return andThen(outcomeOf(on, seen, rowByRow), (outcome) => {
      if ('refusal' in outcome) throw new CrudError(outcome.refusal)
      return apply(on, at, outcome.plan, rowByRow)
    })
  }

  function outcomeOf(on: Runner, { diff, result }: Seen, rowByRow: boolean): PromiseOrValue<Outcome> {
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
    at: Address,
    plan: Plan,
    rowByRow: boolean,
  ): PromiseOrValue<() => PromiseOrValue<Written>> {
    const application = { on, model, statements }
    const ready = rowByRow ? passOverUsedIds(on, plan) : undefined
    const chosen = andThen(ready, () => keepChosenIds(application, plan))
    const applied = andThen(chosen, () => applySteps(application, plan, rowByRow))
    return andThen(applied, (done) => () => {
      const answered = inTurn(on, done.last, () => readBack(on, at, done))
      return andThen(answered, ([id, json]) => ({ id, json }))
    })
  }

  function applySteps(application: Application, plan: Plan, rowByRow: boolean): PromiseOrValue<Applied> {
    if (statements.ahead !== undefined && !rowByRow && !db.isTransaction) {
      return applyJoined(application, statements.ahead, plan, statements.groups(plan.steps))
    }
    if (hasSequences !== undefined) return applyStepByStep(application, plan, { hasSequences, rowByRow })
    return andThen(statements.sequences?.run(application.on, {}), (found = []) => {
      hasSequences = found.length > 0
      return applyStepByStep(application, plan, { hasSequences, rowByRow })
    })
  }

  /** Rows that came with ids of their own may sit where the database would count next. */
  function passOverUsedIds(on: Runner, plan: Plan): PromiseOrValue<void> {
    const inserted = [...new Set(plan.inserted)]
    return forEachInTurn(inserted, (key) => statements.skipUsedIds(resourceOf(model, key))?.run(on, {}))
  }

  function readBack(on: Runner, at: Address, applied: Applied): PromiseOrValue<string | undefined> {
    return orElse<string | undefined>(
      () => {
        if ('keptBy' in applied) return andThen(readKept(on, applied.keptBy, at), (record) => shown(at, record))
        if (applied.id === undefined) return undefined
        return andThen(readRecord(on, statements, at, applied.id), (record) => shown(at, record))
      },
      (error) => {
        // Not one for the client: by then the write may be committed.
        if (!(error instanceof CrudError)) throw error
        throw new Error('the record cannot be read after it was written', { cause: error })
      },
    )
  }

  return { outcomeOf, apply, carryOut }
}
