import { kyselyTransaction } from '../../connection/kysely-transaction.ts'
import { whileRulesRun } from '../../connection/while-rules-run.ts'
import type { Id } from '../../model/ids.ts'
import { type Model, resourceOf } from '../../model/model.ts'
import { isNew } from '../../plan/row-id.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import { type FilledRows, mayBeFilled, readFilled, withFilled } from '../rows/filled-rows.ts'
import { type RowsAtEnd, readAtEnd } from '../rows/rows-at-end.ts'
import { afterOf, beforeOf, type NewRowIds, type RuledRow, type RuledWith } from '../rows/ruled-row.ts'
import type { ResourceRules } from '../rule-set.ts'
import type { ChangedRow, RuleTools, WrittenRow } from '../rule-types.ts'
import { inLockOrder } from './in-lock-order.ts'
import { checkInvariants, readBeforeInvariants } from './invariants.ts'
import { type Refusals, refusals } from './refusals.ts'

/** A write for which rules run, stage by stage. */
export interface RuledWrite {
  /** The numbers of the new rows whose ids rules want to know. */
  readonly namedRows: ReadonlySet<number>
  /** Whether rules run after the statements, and before the commit. */
  readonly runsAfter: boolean
  /** Before the first statement that writes. */
  validate(): Promise<void>
  /** Behind the last statement that writes: `afterWrite`, then invariants. */
  runAfter(ids: NewRowIds): Promise<void>
  /** What `afterCommit` gets, by resource. */
  committed(ids: NewRowIds): readonly CommittedOf[]
}

/** The rows of a resource, and the rules that run for them after the commit. */
export interface CommittedOf {
  readonly rules: ResourceRules
  readonly rows: readonly ChangedRow[]
}

/** A row, and the rules that run for it. */
interface Ruled {
  readonly row: RuledRow
  readonly before: AnyRow | null
  readonly rules: ResourceRules
}

/** `rows`: those for which rules run, each with rules of its own. */
export function ruledWrite(using: RuledWith, rows: readonly RuledRow[]): RuledWrite {
  const { session, statements, locks, caller, chosenIds } = using
  const ruled = rows.map((row): Ruled => {
    return { row, before: beforeOf(row), rules: using.rules.get(row.resource.key) as ResourceRules }
  })
  const changed = ruled.filter(({ row }) => !row.isAbove)
  const withInvariants = rows.filter(({ action, resource }) => {
    return action !== 'Delete' && using.rules.get(resource.key)?.invariants.length !== 0
  })
  const toWrite = changed.filter(({ rules }) => rules.afterWrite.length > 0)
  const toEnd = changed.filter(({ rules }) => rules.atEnd.length > 0)
  const toCommit = changed.filter(({ rules }) => rules.afterCommit.length > 0)
  const shownAtEnd = new Set([...toEnd, ...toCommit])
  // Only `afterWrite` may write once more.
  const readsAtEnd = toWrite.length > 0 && shownAtEnd.size > 0
  const filling = readsAtEnd ? toWrite : [...new Set([...toWrite, ...shownAtEnd])]
  const toRead = withOwners(filling).filter(mayBeFilled)
  let filled: FilledRows = new Map()
  let atEnd: RowsAtEnd = new Map()
  const namedRows = new Set(
    [...withInvariants, ...[...toWrite, ...shownAtEnd].map(({ row }) => row)]
      .flatMap(({ id, linked }) => [id, ...linked.map(([, to]) => to)])
      .flatMap((id) => (isNew(id) ? [id.new] : [])),
  )
  let beforeInvariants: Awaited<ReturnType<typeof readBeforeInvariants>> = []

  const lock: RuleTools<Model, string, unknown>['lock'] = (key, ids) =>
    locks.lock(session, new Map([[resourceOf(using.model, key), ids as readonly Id[]]]))

  const db = kyselyTransaction(using.db, session)

  const afterIn = ({ row, before }: Pick<Ruled, 'row' | 'before'>, ids: NewRowIds) =>
    withFilled(afterOf(row, before, ids), row, filled)

  const ownerOf = ({ row, rules }: Ruled, afterRow: (above: Pick<Ruled, 'row' | 'before'>) => AnyRow | null) => {
    const { above } = row
    if (!rules.takesOwner || above === undefined) return null
    const ofAbove = { row: above, before: beforeOf(above) }
    return Object.freeze({ before: ofAbove.before, after: afterRow(ofAbove) })
  }

  const inputOf = (one: Ruled, ids: NewRowIds, refusing: Refusals) => {
    const { row, before } = one
    const { action, changedBelow } = row
    const { refuse, invalid } = refusing.of(row)
    const owner = ownerOf(one, (above) => afterIn(above, ids))
    return { action, before, after: afterIn(one, ids), owner, changedBelow, caller, db, lock, refuse, invalid }
  }

  /** The row at the end of the transaction; undefined if it was not there before, and is not there any more. */
  const endOf = (one: Ruled, ids: NewRowIds): ChangedRow | undefined => {
    const { row, before } = one
    const { action } = row
    const endIn = (of: Pick<Ruled, 'row' | 'before'>) =>
      atEnd.has(of.row) ? (atEnd.get(of.row) ?? null) : afterIn(of, ids)
    const after = endIn(one)
    const owner = ownerOf(one, endIn)
    if (after !== null || action === 'Delete') return { action, before, after, owner }
    return before === null ? undefined : { action: 'Delete', before, after, owner }
  }

  return {
    namedRows,
    runsAfter: toWrite.length + toEnd.length + withInvariants.length + toRead.length > 0,
    async validate() {
      const refusing = refusals()
      const toValidate = ruled.filter(({ rules }) => rules.validate.length > 0)
      const all = toValidate.map((one) => ({ ...one, input: inputOf(one, chosenIds, refusing) }))
      await whileRulesRun(using.db, async () => {
        for (const { rules, input } of inLockOrder(all)) for (const rule of rules.validate) await rule(input)
      })
      locks.check()
      refusing.check()
      if (withInvariants.length > 0) beforeInvariants = await readBeforeInvariants(using, withInvariants)
    },
    async runAfter(ids) {
      if (toRead.length > 0) filled = await readFilled(statements, session, toRead, ids)
      const refusing = refusals()
      await whileRulesRun(using.db, async () => {
        for (const one of toWrite) {
          const input = inputOf(one, ids, refusing)
          for (const rule of one.rules.afterWrite) await rule(input as WrittenRow)
        }
      })
      locks.check()
      refusing.check()
      if (readsAtEnd) {
        atEnd = await readAtEnd(statements, session, withOwners([...shownAtEnd]), ids)
      }
      for (const one of toEnd) {
        const changed = endOf(one, ids)
        for (const rule of changed === undefined ? [] : one.rules.atEnd)
          await rule({ ...(changed as ChangedRow), caller, db })
      }
      await checkInvariants(using, beforeInvariants, ids)
    },
    committed(ids) {
      const byRules = new Map<ResourceRules, ChangedRow[]>()
      for (const one of toCommit) {
        const changed = endOf(one, ids)
        if (changed === undefined) continue
        const known = byRules.get(one.rules) ?? []
        known.push(changed)
        byRules.set(one.rules, known)
      }
      return [...byRules].map(([rules, committed]) => ({ rules, rows: committed }))
    },
  }
}

/** The rows, and the owners that their rules are told of, each once. */
function withOwners(all: readonly Ruled[]): readonly RuledRow[] {
  const owners = all.flatMap(({ row: { above }, rules }) => (rules.takesOwner && above !== undefined ? [above] : []))
  return [...new Set([...all.map(({ row }) => row), ...owners])]
}
