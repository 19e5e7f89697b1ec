import type { QueryExecutorProvider } from 'kysely'
import type { Address } from './address.ts'
import { applyPlan, StepError } from './apply-plan.ts'
import { databaseErrorKind, refusalOf } from './database-errors.ts'
import { CrudError } from './errors.ts'
import { type Model, resourceOf } from './model/model.ts'
import type { RowId } from './plan/changes.ts'
import type { Diff } from './plan/diff.ts'
import { type Facts, isNothing, type Lookups, lookupsOf, noFacts } from './plan/lookups.ts'
import { decide } from './plan/outcome.ts'
import type { Plan } from './plan/plan.ts'
import type { QueryContext } from './query/context.ts'
import type { AnyKysely } from './query/database.ts'
import type { Statements } from './query/statements.ts'
import { readRecord } from './read.ts'
import { inTransaction, persistently } from './transaction.ts'

/** What a request makes of what is there: reads it under the lock, and compares. */
export type Intent = (on: QueryExecutorProvider) => Promise<{ readonly diff: Diff; readonly result: RowId | undefined }>

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

export function writerOf(context: QueryContext, model: Model, statements: Statements): Writer {
  const { db, dialect } = context
  let hasSequences: boolean | undefined

  async function attempt(
    on: AnyKysely,
    at: Address,
    id: number | undefined,
    intent: Intent,
    rowByRow: boolean,
  ): Promise<Written> {
    const topmost = at.place.path[0]?.source ?? at.place.resource
    const topId = at.owners[0] ?? id
    if (dialect.locksRows && topId !== undefined) await statements.lock(topmost).run(on, { id: topId })
    const { diff, result } = await intent(on)
    const lookups = lookupsOf(diff.changes)
    const outcome = decide(diff, result, await lookUp(on, lookups), lookups)
    if ('refusal' in outcome) throw new CrudError(outcome.refusal)
    hasSequences ??= statements.sequences !== undefined && (await statements.sequences.run(on, {})).rows.length > 0
    if (rowByRow) await passOverUsedIds(on, outcome.plan)
    const written = await applyPlan(on, model, statements, outcome.plan, { hasSequences, rowByRow })
    if (written === undefined) return { id: undefined, json: undefined }
    return { id: written, json: await readRecord(on, statements, at, written) }
  }

  async function lookUp(on: QueryExecutorProvider, lookups: Lookups): Promise<Facts> {
    if (isNothing(lookups)) return noFacts
    const { query, values, toFacts } = statements.lookup(lookups)
    const { rows } = await query.run(on, values)
    return toFacts(rows[0]?.json as string)
  }

  /** Rows that came with ids of their own may sit where the database would count next. */
  async function passOverUsedIds(on: QueryExecutorProvider, plan: Plan): Promise<void> {
    for (const key of new Set(plan.inserted)) await statements.skipUsedIds(resourceOf(model, key))?.run(on, {})
  }

  return async (at, id, intent) => {
    for (let tries = 1; ; tries++) {
      try {
        return await persistently(db, () =>
          inTransaction(context, (on) => attempt(on, at, id, intent, tries >= TRIES_AT_CONSTRAINTS)),
        )
      } catch (error) {
        if (error instanceof CrudError) throw error
        const isStep = error instanceof StepError
        const cause = isStep ? error.cause : error
        if (db.isTransaction || tries >= TRIES_AT_CONSTRAINTS || !isConstraint(cause)) {
          const refusal = refusalOf(cause, isStep ? error.doing : 'write', isStep ? error.pointer : undefined)
          throw refusal === undefined ? error : new CrudError(refusal, { cause })
        }
      }
    }
  }
}

function isConstraint(error: unknown): boolean {
  const kind = databaseErrorKind(error)
  return kind === 'unique' || kind === 'foreignKey' || kind === 'value'
}
