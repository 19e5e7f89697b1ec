import type { OpenDatabase, TestDatabase } from '../../support/databases.ts'
import { wrappedDatabase } from '../../support/wrapped-pool.ts'

/** Stops a service in front of one of its statements, so that others come in between. */
export interface Pauses {
  /** The service is going to stop before its n-th statement from now, counted from 1. */
  stopBefore(n: number): Stop
}

export interface Stop {
  /** Resolves when the service has stopped there; never if it sends fewer statements. */
  readonly reached: Promise<void>
  /** Lets it go on; it does not stop again. */
  go(): void
}

/** A PostgreSQL database that is open already, for a service that can be stopped in front of each statement. */
export function pausing(first: OpenDatabase): { readonly kind: TestDatabase; readonly pauses: Pauses } {
  let before = async (): Promise<void> => {}
  const kind = wrappedDatabase(first, async (_, run) => {
    await before()
    return run()
  })
  const pauses: Pauses = {
    stopBefore(n) {
      const reached = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      let count = 0
      before = async () => {
        count += 1
        if (count !== n) return
        reached.resolve()
        await gone.promise
      }
      return {
        reached: reached.promise,
        go() {
          before = async () => {}
          gone.resolve()
        },
      }
    },
  }
  return { kind, pauses }
}
