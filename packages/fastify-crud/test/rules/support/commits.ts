import { beforeEach } from 'vitest'
import type { Committed, TestRule } from './rules.ts'

export interface Commits {
  /** What `afterCommit` was told, by call. */
  readonly calls: Committed[]
  /** The rule that collects them. */
  readonly rule: TestRule
  /** Resolves as soon as there were so many calls. */
  until(count: number): Promise<void>
}

/** Collects the calls of `afterCommit` in one test. */
export function useCommits(): Commits {
  const calls: Committed[] = []
  let look = (): void => {}
  beforeEach(() => {
    calls.splice(0)
    look = () => {}
  })
  return {
    calls,
    rule: {
      afterCommit(committed) {
        calls.push(committed)
        look()
      },
    },
    until: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (calls.length >= count) resolve()
        }
        look()
      }),
  }
}
