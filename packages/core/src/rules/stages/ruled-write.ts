import type { Id } from '../../model/ids/id-kind.ts'
import { type Model, resourceOf } from '../../model/model.ts'
import { groupBy } from '../../planning/group-by.ts'
import { isNew } from '../../planning/rows.ts'
import { kyselyTransaction, momentOf } from '../../session/kysely-transaction.ts'
import { whileRulesRun } from '../../session/while-rules-run.ts'
import { changeAtEnd, type RowsAfter, rowChange } from '../rows/row-change.ts'
import { mayBeFilled, readAtEnd, readFilled } from '../rows/rows-after.ts'
import type { NewRowIds, RuledRow } from '../rows/ruled-row.ts'
import type { ResourceRules } from '../rule-set.ts'
import type { ChangedRow, RuleTools, WrittenRow } from '../rule-types.ts'
import { inLockOrder } from './in-lock-order.ts'
import { checkInvariants, type PendingInvariant, readBeforeInvariants } from './invariants.ts'
import { type Refusals, refusals } from './refusals.ts'
import type { Ruled, RuledWith } from './ruled-with.ts'

/** A write for which rules run, stage by stage. */
export interface RuledWrite {
  /** The numbers of the new rows whose ids rules use. */
  readonly namedRows: ReadonlySet<number>
  /** Whether rules run after the statements, and before the commit. */
  readonly runsAfter: boolean
  /** Before the first statement that writes. */
  validate(): Promise<void>
  /** Behind the last statement that writes: `afterWrite`, then invariants. */
  runAfter(ids: NewRowIds): Promise<void>
  /** The rows for `afterCommit`, by resource. */
  committed(ids: NewRowIds): readonly CommittedOf[]
}

/** The rows of a resource, and the rules that run for them after the commit. */
export interface CommittedOf {
  readonly rules: ResourceRules
  readonly rows: readonly ChangedRow[]
}

/** `rows`: those for which rules run, each with rules of its own. */
export function ruledWrite(using: RuledWith, rows: readonly RuledRow[]): RuledWrite {
  const { session, statements, locks, caller, tenant, chosenIds } = using
  const all = rows.map((row): Ruled => ({ row, rules: using.rules.get(row.resource.key) as ResourceRules }))
  const changed = all.filter(({ row }) => !row.isAbove)
  const toValidate = all.filter(({ rules }) => rules.validate.length > 0)
  const toWrite = changed.filter(({ rules }) => rules.afterWrite.length > 0)
  const toEnd = changed.filter(({ rules }) => rules.atEnd.length > 0)
  const toCommit = changed.filter(({ rules }) => rules.afterCommit.length > 0)
  const toTest = all.filter(({ row, rules }) => row.action !== 'Delete' && rules.invariants.length > 0)
  const readAtTheEnd = [...new Set([...toEnd, ...toCommit])]
  // Only `afterWrite` may write once more.
  const readsAtEnd = toWrite.length > 0 && readAtTheEnd.length > 0
  const toFill = withOwners(readsAtEnd ? toWrite : [...toWrite, ...readAtTheEnd]).filter(mayBeFilled)
  let rowsAfter: RowsAfter = new Map()
  let pending: readonly PendingInvariant[] = []

  const lock: RuleTools<Model, string, unknown>['lock'] = (key, ids) =>
    locks.lock(session, new Map([[resourceOf(using.model, key), ids as readonly Id[]]]))

  const db = kyselyTransaction(using.db, session)
  const moment = momentOf(db, using.now)

  const changeOf = (one: Ruled, ids: NewRowIds) => rowChange(one.row, ownerFor(one), ids, rowsAfter)

  const inputOf = (one: Ruled, ids: NewRowIds, refusing: Refusals) => {
    const { changedBelow } = one.row
    return { ...changeOf(one, ids), changedBelow, caller, tenant, db, lock, ...refusing.of(one.row) }
  }

  return {
    namedRows: newRowsIn([...toTest, ...toWrite, ...readAtTheEnd]),
    runsAfter: toWrite.length + toEnd.length + toTest.length + toFill.length > 0,
    async validate() {
      const refusing = refusals()
      const inputs = toValidate.map((one) => ({ ...one, input: inputOf(one, chosenIds, refusing) }))
      await whileRulesRun(using.db, async () => {
        for (const { rules, input } of inLockOrder(inputs)) for (const rule of rules.validate) await rule(input)
      })
      locks.check()
      refusing.check()
      if (toTest.length > 0) pending = await readBeforeInvariants(using, toTest)
    },
    async runAfter(ids) {
      rowsAfter = await readFilled(statements, session, toFill, ids)
      const refusing = refusals()
      await whileRulesRun(using.db, async () => {
        for (const one of toWrite) {
          const input = inputOf(one, ids, refusing)
          for (const rule of one.rules.afterWrite) await rule(input as WrittenRow)
        }
      })
      locks.check()
      refusing.check()
      if (readsAtEnd) rowsAfter = await readAtEnd(statements, session, withOwners(readAtTheEnd), ids)
      for (const one of toEnd) {
        const change = changeAtEnd(changeOf(one, ids))
        for (const rule of change === undefined ? [] : one.rules.atEnd)
          await rule({ ...(change as ChangedRow), caller, tenant, db, moment })
      }
      await checkInvariants(using, pending, ids)
    },
    committed: (ids) =>
      groupBy(toCommit, ({ rules }) => rules).flatMap(([rules, ofResource]) => {
        const changes = ofResource.flatMap((one) => changeAtEnd(changeOf(one, ids)) ?? [])
        return changes.length === 0 ? [] : [{ rules, rows: changes }]
      }),
  }
}

/** The owner's row, if the rules of a row take it. */
function ownerFor({ row: { above }, rules }: Ruled): RuledRow | undefined {
  return rules.takesOwner ? above : undefined
}

/** The rows, and the owners that their rules take, each once. */
function withOwners(all: readonly Ruled[]): readonly RuledRow[] {
  return [...new Set([...all.map(({ row }) => row), ...all.flatMap((one) => ownerFor(one) ?? [])])]
}

/** The numbers of new rows among these and the rows that they link to. */
function newRowsIn(all: readonly Ruled[]): ReadonlySet<number> {
  const ids = all.flatMap(({ row: { id, linked } }) => [id, ...linked.map(([, to]) => to)])
  return new Set(ids.flatMap((id) => (isNew(id) ? [id.new] : [])))
}
