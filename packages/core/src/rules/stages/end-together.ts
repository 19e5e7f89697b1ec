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
  /** The rows of all writes, for after the commit. */
  committed(): readonly CommittedOf[]
  /** All that was taken. */
  readonly left: readonly LeftByWrite[]
  /** What actions do after the commit. */
  readonly works: readonly ActionWork[]
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
      for (const [, ofCaller] of groupBy(left, ({ using }) => using.caller)) {
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

/** The first test of each record knows how it was. Bodies of the single writes are not the client's. */
function firstTests(all: readonly InvariantTest[]): readonly InvariantTest[] {
  return groupBy(all, ({ invariant }) => invariant).flatMap(([, tests]) => {
    const first = new Map(tests.toReversed().map((test) => [test.id, test]))
    return [...first.values()].map((test) => ({ ...test, row: { ...test.row, pointer: '', isInBody: false } }))
  })
}
