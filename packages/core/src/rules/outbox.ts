import { changeRows } from './change-rows.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'

/**
 * A rule that writes each change into a table of the application's own, in the transaction of the write. `readOutbox` gives them to a
 * worker, so none is lost. The page on rules has the table.
 *
 * @example
 * const rules = { invoice: outbox('outbox') }
 */
export function outbox(table: string): ReadyMadeRule {
  return changeRows('outbox', table)
}
