import { callerIn, NO_CALLER, tenantIn } from '../../model/callers.ts'
import type { RuleLog } from '../rule-types.ts'
import type { CommittedOf } from './ruled-write.ts'

/** The log of a request. */
export type LogOf = (requestContext: unknown) => RuleLog

/** The work of rules after commits. No request waits for it. */
export interface AfterCommits {
  /** Runs the rules in a turn of their own: the answer goes first. */
  run(committed: readonly CommittedOf[], requestContext: unknown): void
  /** Resolves when all that was begun is done. */
  settled(): Promise<void>
}

/** `logOf`: default: the console. */
export function afterCommits(logOf: LogOf = () => console): AfterCommits {
  const pending = new Set<Promise<void>>()

  async function runAll(committed: readonly CommittedOf[], requestContext: unknown): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    const log = logOf(requestContext)
    const [caller, tenant] = [callerIn(requestContext) ?? NO_CALLER, tenantIn(requestContext)]
    for (const { rules, rows } of committed) {
      for (const afterCommit of rules.afterCommit) {
        try {
          await afterCommit({ rows, caller, tenant, log })
        } catch (error) {
          log.error({ err: error }, `fastify-crud: afterCommit of ${rules.resource.key} failed; the write is done`)
        }
      }
    }
  }

  return {
    run(committed, requestContext) {
      if (committed.length === 0) return
      const running = runAll(committed, requestContext)
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
