import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { GuardedRows } from '../../planning/decide/guarded-rows.ts'
import { groupBy } from '../../planning/rows.ts'
import type { ActionWork } from './after-commits.ts'
import { type CommittedOf, checkInvariants, type InvariantTest, type LeftByWrite } from './ruled-write.ts'

/**
 * The end of several writes in one transaction of the library, such as those of an action. To rules, they are one
 * write: invariants are tested once, and `afterCommit` runs once for each resource.
 */
export interface EndTogether {
  /** Takes what a write has left, or an action that has ended well. */
  take(left: readonly LeftByWrite[], works?: readonly ActionWork[]): void
  /** Tests the invariants, each once for a record. Fails as they do, without pointers. */
  checkInvariants(): Promise<void>
  /** Takes what a write has stored, to have policies asked again at the end. Absent: nobody does. */
  readonly takeStored?: (stored: StoredByWrite) => void
  /** The rows of all writes, for after the commit. */
  committed(): readonly CommittedOf[]
  /** All that was taken. */
  readonly left: readonly LeftByWrite[]
  /** What actions do after the commit. */
  readonly works: readonly ActionWork[]
}

/** The rows that a write has stored. */
export interface StoredByWrite {
  /** Those that policies have allowed. */
  readonly guarded: readonly GuardedRows<Id>[]
  /** All that were there before. */
  readonly edited: readonly { readonly resource: Resource; readonly id: Id }[]
  /** Fails unless the policies still allow the rows. */
  readonly askAgain: (rows: readonly GuardedRows<Id>[]) => Promise<void>
}

export function endTogether(): EndTogether {
  const left: LeftByWrite[] = []
  const works: ActionWork[] = []
  return {
    left,
    works,
    take(more, moreWorks = []) {
      left.push(...more)
      works.push(...moreWorks)
    },
    async checkInvariants() {
      // Each caller's own: the application itself may have written, too.
      for (const [, ofCaller] of groupBy(left, ({ using }) => using.asker.caller)) {
        const [{ using }] = ofCaller as [LeftByWrite]
        await checkInvariants(using, firstTests(ofCaller.flatMap(({ tests }) => tests)))
      }
    },
    committed: () =>
      groupBy(
        left.flatMap(({ committed }) => committed),
        ({ rules }) => rules,
      ).map(([rules, all]) => ({ rules, rows: all.flatMap(({ rows }) => rows) })),
  }
}

/**
 * Tests the invariants of requests that end together, each once for a record: as its first request found it, and told
 * where its last one says so. Fails with what `refusalIn` makes of a failure and of the index of the request.
 */
export async function checkInvariantsOfAll(
  ends: readonly EndTogether[],
  refusalIn: (index: number, error: unknown) => unknown,
): Promise<void> {
  const found = ends.flatMap(({ left }, index) =>
    left.flatMap(({ using, tests }) => tests.map((test) => ({ index, using, test }))),
  )
  const byRecord = groupBy(found, ({ using }) => using.asker.caller).flatMap(([, ofCaller]) =>
    groupBy(ofCaller, ({ test }) => test.invariant).flatMap(([, ofOne]) => groupBy(ofOne, ({ test }) => test.id)),
  )
  const tests = byRecord.map(([, all]) => {
    const [first, last] = [all[0], all.at(-1)] as [(typeof found)[number], (typeof found)[number]]
    return { ...last, test: { ...last.test, before: first.test.before } }
  })
  for (const index of ends.keys()) {
    const ofRequest = tests.filter((one) => one.index === index)
    for (const [using, all] of groupBy(ofRequest, (one) => one.using)) {
      try {
        await checkInvariants(
          using,
          all.map(({ test }) => test),
        )
      } catch (error) {
        throw refusalIn(index, error)
      }
    }
  }
}

/** The first test of each record knows how it was. Bodies of the single writes are not the client's. */
function firstTests(all: readonly InvariantTest[]): readonly InvariantTest[] {
  return groupBy(all, ({ invariant }) => invariant).flatMap(([, tests]) => {
    const first = new Map(tests.toReversed().map((test) => [test.id, test]))
    return [...first.values()].map((test) => ({ ...test, row: { ...test.row, pointer: '', isInBody: false } }))
  })
}
