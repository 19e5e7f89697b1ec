import type { QueryContext } from '../query/context.ts'
import { type Statements, statementsOf } from '../query/statements.ts'
import { type RuleScope, ruleScopeOf } from './rule-scope.ts'
import type { RuleSet } from './rule-set.ts'
import { type AfterCommits, afterCommits, type LogOf } from './stages/after-commits.ts'

/** The rules of a model in one database. */
export interface ActiveRules extends RuleSet {
  readonly scope: RuleScope
  readonly statements: Statements
  readonly afterCommits: AfterCommits
}

/** `context`: without rights, as rules see all rows. */
export function activeRules(set: RuleSet, context: QueryContext, logOf: LogOf = () => console): ActiveRules {
  return { ...set, scope: ruleScopeOf(set), statements: statementsOf(context), afterCommits: afterCommits(logOf) }
}
