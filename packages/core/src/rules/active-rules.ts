import type { QueryContext } from '../sql/context.ts'
import { type KeptStatements, keptStatements, type Statements, statementsOf } from '../sql/statements.ts'
import { type RuleScope, ruleScopeOf } from './rule-scope.ts'
import type { RuleSet } from './rule-set.ts'
import { type AfterCommits, afterCommits, type LogOf } from './stages/after-commits.ts'

/** The rules of a model in one database. */
export interface ActiveRules extends RuleSet {
  readonly scope: RuleScope
  readonly statements: Statements
  /** What is compiled for them, in whichever database. */
  readonly kept: KeptStatements
  readonly afterCommits: AfterCommits
}

/** `context`: without rights, as rules see all rows. */
export function activeRules(set: RuleSet, context: QueryContext, logOf?: LogOf): ActiveRules {
  const kept = keptStatements()
  const statements = statementsOf(context, kept)
  return { ...set, scope: ruleScopeOf(set), statements, kept, afterCommits: afterCommits(logOf) }
}

/** The same rules in another database, or on another connection. */
export function rulesIn(
  rules: ActiveRules,
  context: QueryContext,
  { afterCommits }: Pick<ActiveRules, 'afterCommits'> = rules,
): ActiveRules {
  return { ...rules, statements: statementsOf(context, rules.kept), afterCommits }
}
