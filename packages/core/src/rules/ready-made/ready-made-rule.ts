import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'
import type { RuleParts } from '../rule-set.ts'

/**
 * A ready-made rule. It becomes the parts of a rule for each resource that it is given to.
 *
 * `Needs`: the values that rows must have; `Gives`: the values that it gives them; `Asks`: the names of values of the
 * caller. They are there for the compiler only.
 */
export interface ReadyMadeRule<
  Needs extends object = object,
  Gives extends object = object,
  Asks extends string = never,
> {
  /** Adds the reasons why the rule does not fit the resource to the problems. */
  readonly partsFor: (resource: Resource, problems: string[], model: Model) => RuleParts
  readonly takes?: (row: Needs) => void
  readonly gives?: Gives
  readonly asks?: Asks
}

/** A row of any resource, as rules see it. */
export type AnyRow = { readonly id: Id } & { readonly [name: string]: unknown }
