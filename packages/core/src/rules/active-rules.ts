import type { AnyCaller } from '../model/callers.ts'
import type { Model } from '../model/model.ts'
import type { ResourceKey } from '../model/types/resource-keys.ts'
import type { QueryContext } from '../sql/context.ts'
import { type KeptStatements, keptStatements, type Statements, statementsOf } from '../sql/statements.ts'
import type { ReadyMadeRule } from './ready-made/ready-made-rule.ts'
import type { MembersOf } from './rule-row.ts'
import { type RuleScope, ruleScopeOf } from './rule-scope.ts'
import type { RuleSet } from './rule-set.ts'
import type { Rule } from './rule-types.ts'
import type { AfterCommits } from './stages/after-commits.ts'

/** The rules of a model in one database. */
export interface ActiveRules extends RuleSet {
  readonly scope: RuleScope
  readonly statements: Statements
  /** What is compiled for them, in whichever database. */
  readonly kept: KeptStatements
  readonly afterCommits: AfterCommits
}

/** `context`: without rights, as rules see all rows. */
export function activeRules(set: RuleSet, context: QueryContext, afterCommits: AfterCommits): ActiveRules {
  const kept = keptStatements()
  const statements = statementsOf(context, kept)
  return { ...set, scope: ruleScopeOf(set), statements, kept, afterCommits }
}

/** The same rules in another database, or on another connection. */
export function rulesIn(
  rules: ActiveRules,
  context: QueryContext,
  { afterCommits }: Pick<ActiveRules, 'afterCommits'> = rules,
): ActiveRules {
  return { ...rules, statements: statementsOf(context, rules.kept), afterCommits }
}

/**
 * The rules of an application: for each resource a rule, or a list of them. They hold for every write, however it is
 * made: by a route, a nested path, an owner's PUT, a delete that takes others along, the store.
 *
 * `C` is the type of the caller.
 *
 * @example
 * const rules: Rules<typeof resources> = {
 *   invoice: [
 *     timestamps(),
 *     { validate({ before, refuse }) { if (before?.status === 'paid') refuse('a paid invoice cannot be changed') } },
 *   ],
 * }
 */
export type Rules<M extends Model = Model, C = AnyCaller> = {
  readonly [K in ResourceKey<M>]?: RuleOf<M, K, C> | readonly RuleOf<M, K, C>[]
}

/** A rule of the application's own, or one that is ready-made. */
type RuleOf<M extends Model, K extends ResourceKey<M>, C> =
  | Rule<M, K, C>
  | ReadyMadeRule<MembersOf<M['descriptors'], K>, Partial<MembersOf<M['descriptors'], K>>, NamesOf<C>>

/** The names of a caller's values. Where nothing is known of it, any; and such rules are also rules of every caller. */
// biome-ignore lint/suspicious/noExplicitAny: `string` would be no name of a known caller
type NamesOf<C> = unknown extends C ? any : string extends keyof C ? any : string & keyof C
