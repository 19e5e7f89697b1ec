import { isGivenByDatabase, mayBeGivenByDatabase } from '../../model/descriptors/field-options.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { type Field, type Model, resourceOf } from '../../model/model.ts'
import { groupBy, isNew, type RecordData } from '../../planning/rows.ts'
import { kyselyTransaction, momentOf, whileRulesRun } from '../../session/kysely-transaction.ts'
import type { Session } from '../../session/session.ts'
import type { RowsAsked } from '../../sql/reads/rows-query.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import {
  changeAtEnd,
  idOfRow,
  type NewRowIds,
  plannedRow,
  type RowsAfter,
  type RuledRow,
  rowChange,
  rowOf,
} from '../rows/row-change.ts'
import { readRows, readStored } from '../rows/stored-rows.ts'
import type { CheckedInvariant, ResourceRules } from '../rule-set.ts'
import type { ChangedRow, RuleTools, WrittenRow } from '../rule-types.ts'
import type { Ruled, RuledWith } from './refusals.ts'
import { type Refusals, refusals } from './refusals.ts'

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
  /** What is left to do when the write is done. */
  left(ids: NewRowIds): LeftByWrite
}

/** What a write leaves to do. */
export interface LeftByWrite {
  /** The rows for `afterCommit`, by resource. */
  readonly committed: readonly CommittedOf[]
  /** Tests before the commit; none where the write has done them itself. */
  readonly tests: readonly InvariantTest[]
  readonly using: InvariantTools
}

/** The rows of a resource, and the rules that run for them after the commit. */
export interface CommittedOf {
  readonly rules: ResourceRules
  readonly rows: readonly ChangedRow[]
}

/** `rows`: those for which rules run, each with rules of its own. */
export function ruledWrite(using: RuledWith, rows: readonly RuledRow[]): RuledWrite {
  const { session, statements, locks, asker, chosenIds } = using
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
    return { ...changeOf(one, ids), changedBelow, ...asker, db, lock, ...refusing.of(one.row) }
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
          await rule({ ...(change as ChangedRow), ...asker, db, moment })
      }
      if (!using.endsLater) await checkInvariants(using, testsOf(pending, ids))
    },
    left: (ids) => ({
      committed: groupBy(toCommit, ({ rules }) => rules).flatMap(([rules, ofResource]) => {
        const changes = ofResource.flatMap((one) => changeAtEnd(changeOf(one, ids)) ?? [])
        return changes.length === 0 ? [] : [{ rules, rows: changes }]
      }),
      tests: using.endsLater ? testsOf(pending, ids) : [],
      using,
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

/**
 * The rows in one order for all requests: by the records that they name. A rule that locks these records row by row
 * then takes them in one order, however the body lists the rows. Otherwise two requests could each wait for the other.
 */
function inLockOrder<One extends { readonly row: RuledRow }>(all: readonly One[]): readonly One[] {
  const seen = new Set<RuledRow['resource']>()
  const mayNameTheSame = all.some(({ row: { resource } }) => {
    return resource.references.length > 0 && seen.size === seen.add(resource).size
  })
  return mayNameTheSame ? all.toSorted((one, other) => compare(one.row, other.row)) : all
}

function compare(one: RuledRow, other: RuledRow): number {
  const { key, references } = one.resource
  if (key !== other.resource.key) return key < other.resource.key ? -1 : 1
  for (const { position, property, target } of references) {
    const [first, second] = [one, other].map(({ values, record }) => values?.[position] ?? record?.[property] ?? null)
    if (first === second) continue
    if (first === null || second === null) return first === null ? 1 : -1
    return target.id.compare(first as Id, second as Id)
  }
  return 0
}

/** Reads the fields of rows that the database has filled. The rest of a row is as the plan says. */
async function readFilled(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<RowsAfter> {
  const filled = new Map<RuledRow, AnyRow | null>()
  const read = await readRows(statements, session, rows, ids)
  for (const [row, { record }] of read) {
    const values = Object.fromEntries(fieldsFilled(row).map(({ name }) => [name, record[name] ?? null]))
    const planned = plannedRow(row, ids)
    filled.set(row, planned && Object.freeze({ ...planned, ...values }))
  }
  return filled
}

/** Reads rows as a whole, as `afterWrite` rules may have written to them. */
async function readAtEnd(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<RowsAfter> {
  const kept = rows.filter(({ action }) => action !== 'Delete')
  const read = await readRows(statements, session, kept, ids)
  return new Map(
    kept.map((row) => {
      const stored = read.get(row)
      return [row, stored === undefined ? null : rowOf(row.resource, stored.record, stored.owner)]
    }),
  )
}

/** Whether only the database knows the row as it is stored. */
function mayBeFilled(row: RuledRow): boolean {
  return row.action !== 'Delete' && fieldsFilled(row).length > 0
}

/** The fields that the database may fill: in a new row by defaults, and in a row that changes by triggers and generated
 * columns. */
function fieldsFilled({ resource, action, values }: RuledRow): readonly Field[] {
  return resource.fields.filter((field) => {
    if (action !== 'Add') return isGivenByDatabase(field) || field.hasDbDefault
    return mayBeGivenByDatabase(field) && values?.[field.position] === undefined
  })
}

/** An invariant, the records that it has to hold for, and these records before the write. */
interface PendingInvariant {
  readonly invariant: CheckedInvariant
  readonly rows: readonly RuledRow[]
  readonly before: ReadonlyMap<Id, RecordData>
}

/** `all`: the records that are there after the write, and have invariants. */
async function readBeforeInvariants(
  { statements, session }: Pick<RuledWith, 'statements' | 'session'>,
  all: readonly Ruled[],
): Promise<readonly PendingInvariant[]> {
  const pending = groupBy(all, ({ rules }) => rules).flatMap(([{ invariants }, ofResource]) => {
    const rows = ofResource.map(({ row }) => row)
    return invariants.map((invariant) => ({ invariant, rows }))
  })
  const asked = pending.map(({ invariant, rows }) => ({
    invariant,
    ids: rows.flatMap(({ id }) => (isNew(id) ? [] : [id])),
  }))
  const read = await readAll(statements, session, asked)
  return pending.map((one, index) => ({ ...one, before: read[index] ?? new Map() }))
}

/** An invariant and one record that it has to hold for. */
export interface InvariantTest {
  readonly invariant: CheckedInvariant
  readonly row: Pick<RuledRow, 'pointer' | 'isInBody' | 'isShown'>
  readonly id: Id
  /** The record before the write; null for a new one. */
  readonly before: RecordData | null
}

/** What the tests of invariants are done with. */
export type InvariantTools = Pick<RuledWith, 'db' | 'statements' | 'session' | 'asker'>

function testsOf(pending: readonly PendingInvariant[], ids: NewRowIds): readonly InvariantTest[] {
  return pending.flatMap(({ invariant, rows, before }) =>
    rows.map((row) => {
      const id = idOfRow(row, ids) as Id
      return { invariant, row, id, before: before.get(id) ?? null }
    }),
  )
}

/** Fails unless all of them hold. */
export async function checkInvariants(
  { db, statements, session, asker }: InvariantTools,
  tests: readonly InvariantTest[],
): Promise<void> {
  const all = groupBy(tests, ({ invariant }) => invariant)
  const asked = all.map(([invariant, ofOne]) => ({ invariant, ids: ofOne.map(({ id }) => id) }))
  const read = await readAll(statements, session, asked)
  const refusing = refusals()
  await whileRulesRun(db, async () => {
    for (const [index, [invariant, ofOne]] of all.entries()) {
      for (const { row, id, before } of ofOne) {
        const after = read[index]?.get(id)
        // A rule may have removed it.
        if (after === undefined) continue
        await invariant.test({ before, after, ...asker, ...refusing.of(row) } as never)
      }
    }
  })
  refusing.check()
}

/** The records of each invariant with what its `reads` names, by their ids. */
async function readAll(
  statements: RuleStatements,
  session: Session,
  all: readonly { readonly invariant: CheckedInvariant; readonly ids: readonly Id[] }[],
): Promise<readonly ReadonlyMap<Id, RecordData>[]> {
  const asked = all.map(({ invariant: { selection }, ids }): RowsAsked => ({ selection, naming: undefined, ids }))
  if (asked.every(({ ids }) => ids.length === 0)) return []
  const answers = await readStored(statements, session, asked)
  return answers.map((rows) => new Map(rows.map(({ record }) => [record.id, record])))
}
