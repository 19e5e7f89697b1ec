import { changeRows } from './change-rows.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'

/**
 * A rule that writes each change into a table of the application's own, in the transaction of the write: who has done what to which
 * record, with what was before and what came after. The page on rules has the table.
 *
 * @example
 * const rules = { invoice: audit('audit'), line: audit('audit') }
 */
export function audit(table: string): ReadyMadeRule {
  return changeRows('audit', table)
}
