import { askerIn } from '../../model/callers.ts'
import type { RuleLog } from '../rule-types.ts'
import type { CommittedOf } from './ruled-write.ts'

/** The log of a request. */
export type LogOf = (requestContext: unknown) => RuleLog

/** The work of rules and actions after commits. No request waits for it. */
export interface AfterCommits {
  /** Runs the rules in a turn of their own, and then the work of an action: the answer goes first. */
  run(committed: readonly CommittedOf[], requestContext: unknown, works?: readonly ActionWork[]): void
  /** Resolves when all that was begun is done. */
  settled(): Promise<void>
}

/** What an action does after its commit. */
export interface ActionWork {
  /** The action, for the log. */
  readonly of: string
  readonly work: (input: { readonly log: RuleLog }) => unknown
}

/** `logOf`: default: the console. */
export function afterCommits(logOf: LogOf = () => console): AfterCommits {
  const pending = new Set<Promise<void>>()

  async function runAll(
    committed: readonly CommittedOf[],
    requestContext: unknown,
    works: readonly ActionWork[],
  ): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const log = logOf(requestContext)
    const asker = askerIn(requestContext)
    const attempt = async (of: string, work: () => unknown) => {
      try {
        await work()
      } catch (error) {
        log.error({ err: error }, `fastify-crud: afterCommit of ${of} failed; the write is done`)
      }
    }
    for (const { rules, rows } of committed) {
      for (const afterCommit of rules.afterCommit) {
        await attempt(rules.resource.key, () => afterCommit({ rows, ...asker, log }))
      }
    }
    for (const { of, work } of works) await attempt(of, () => work({ log }))
  }

  return {
    run(committed, requestContext, works = []) {
      if (committed.length + works.length === 0) return
      const running = runAll(committed, requestContext, works)
        // A log that fails must not end the process.
        .catch(() => undefined)
        .finally(() => pending.delete(running))
      pending.add(running)
    },
    async settled() {
      while (pending.size > 0) await Promise.allSettled(pending)
    },
  }
}
