import { checkedLimits, DEFAULT_LIMITS } from '../model/default-limits.ts'
import type { Relation, Resource } from '../model/model.ts'

/** What a query may name, and how much of it. */
export interface Scope {
  /** Resources whose records are not there for the client. No path leads to them. */
  readonly hidden: ReadonlySet<Resource>
  readonly limits: ReadingLimits
  /** Whether the database can compare decimal numbers exactly. */
  readonly comparesDecimals: boolean
}

/** How much one query may ask for. */
export interface ReadingLimits {
  /** Conditions of one filter; beyond: `CRUD_ERR_INVALID`. Default 50. */
  readonly maxFilters: number
  /** Filters inside each other; beyond: `CRUD_ERR_INVALID`. Default 5. */
  readonly maxFilterDepth: number
}

/** The limits with the defaults for those that are undefined. Throws a TypeError for one that is not a positive integer. */
export function readingLimitsOf({
  maxFilters = DEFAULT_LIMITS.maxFilters,
  maxFilterDepth = DEFAULT_LIMITS.maxFilterDepth,
}: Partial<ReadingLimits> = {}): ReadingLimits {
  return checkedLimits({ maxFilters, maxFilterDepth })
}

/** The relations of a resource, by their names, without those that lead to hidden records. */
export function relationsOf(
  { owns, ownedBy, references, links, neededBy }: Resource,
  { hidden }: Pick<Scope, 'hidden'>,
): readonly Relation[] {
  const all = [...owns, ...ownedBy, ...references, ...links, ...neededBy]
  return hidden.size === 0 ? all : all.filter(({ target }) => !hidden.has(target))
}
