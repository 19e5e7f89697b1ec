import type { QueryContext } from '../query/context.ts'
import { type AfterCommits, afterCommits, type LogOf } from './after-commits.ts'
import { type Concern, concernOf } from './concern.ts'
import type { RuleSet } from './rule-set.ts'
import { type StoredRows, storedRowsOf } from './stored-rows.ts'

/** The rules of a model in one database. */
export interface ActiveRules extends RuleSet {
  readonly concern: Concern
  readonly stored: StoredRows
  readonly afterCommits: AfterCommits
}

/** `context`: without rights, as rules see all rows. */
export function activeRules(set: RuleSet, context: QueryContext, logOf: LogOf = () => console): ActiveRules {
  return { ...set, concern: concernOf(set), stored: storedRowsOf(context), afterCommits: afterCommits(logOf) }
}
