import type { Id } from '../../model/ids/id-kind.ts'
import { groupBy } from '../../planning/group-by.ts'
import { isNew, type RecordData } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import { whileRulesRun } from '../../session/while-rules-run.ts'
import type { RowsAsked } from '../../sql/reads/rows-query.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import { idOfRow, type NewRowIds, type RuledRow } from '../rows/ruled-row.ts'
import { readStored } from '../rows/stored-rows.ts'
import type { CheckedInvariant } from '../rule-set.ts'
import { refusals } from './refusals.ts'
import type { Ruled, RuledWith } from './ruled-with.ts'

/** An invariant, the records that it has to hold for, and these records before the write. */
export interface PendingInvariant {
  readonly invariant: CheckedInvariant
  readonly rows: readonly RuledRow[]
  readonly before: ReadonlyMap<Id, RecordData>
}

/** `all`: the records that are there after the write, and have invariants. */
export async function readBeforeInvariants(
  { statements, session }: Pick<RuledWith, 'statements' | 'session'>,
  all: readonly Ruled[],
): Promise<readonly PendingInvariant[]> {
  const pending = groupBy(all, ({ rules }) => rules).flatMap(([{ invariants }, ofResource]) => {
    const rows = ofResource.map(({ row }) => row)
    return invariants.map((invariant) => ({ invariant, rows }))
  })
  const read = await readAll(statements, session, pending, ({ id }) => (isNew(id) ? undefined : id))
  return pending.map((one, index) => ({ ...one, before: read[index] ?? new Map() }))
}

/** Fails unless all of them hold. */
export async function checkInvariants(
  { db, statements, session, caller, tenant }: Pick<RuledWith, 'db' | 'statements' | 'session' | 'caller' | 'tenant'>,
  pending: readonly PendingInvariant[],
  ids: NewRowIds,
): Promise<void> {
  const read = await readAll(statements, session, pending, (row) => idOfRow(row, ids))
  const refusing = refusals()
  await whileRulesRun(db, async () => {
    for (const [index, { invariant, rows, before }] of pending.entries()) {
      for (const row of rows) {
        const id = idOfRow(row, ids) as Id
        const after = read[index]?.get(id)
        // A rule may have removed it.
        if (after === undefined) continue
        await invariant.test({ before: before.get(id) ?? null, after, caller, tenant, ...refusing.of(row) } as never)
      }
    }
  })
  refusing.check()
}

/** The records of each invariant with what its `reads` names, by their ids. */
async function readAll(
  statements: RuleStatements,
  session: Session,
  pending: readonly Pick<PendingInvariant, 'invariant' | 'rows'>[],
  idOf: (row: RuledRow) => Id | undefined,
): Promise<readonly ReadonlyMap<Id, RecordData>[]> {
  const asked = pending.map(({ invariant: { selection }, rows }): RowsAsked => {
    const ids = rows.flatMap((row) => idOf(row) ?? [])
    return { selection, naming: undefined, ids }
  })
  if (asked.every(({ ids }) => ids.length === 0)) return []
  const answers = await readStored(statements, session, asked)
  return answers.map((rows) => new Map(rows.map(({ record }) => [record.id, record])))
}
