import type { Model, Resource } from '../model/model.ts'
import { ownedTree } from '../model/resource-tree.ts'
import { isShared } from '../planning/decide/planned-actions.ts'
import type { RuleSet } from './rule-set.ts'

/** For which writes rules run. It is found once, when a store is made. */
export interface RuleScope {
  /** Whether rules run for rows of the resource. */
  readonly ofOwnRows: ReadonlySet<string>
  /** Whether rules run for the owners of rows of the resource, because these rows change. */
  readonly ofOwners: ReadonlySet<string>
  /** The resources of `ofOwnRows` and of `ofOwners`. */
  readonly ofRows: ReadonlySet<string>
  /** Whether rules of rows of the resource take the owner. */
  readonly takesOwner: ReadonlySet<string>
  /** Whether rows of the resource are owners that rules take. */
  readonly isTaken: ReadonlySet<string>
  /** Whether rules of the resource run if only something below a row changes. */
  readonly asOwner: ReadonlySet<string>
  /** Whether rules may run for a write of the resource's records, with all that they own. */
  readonly ofWrites: ReadonlySet<string>
  /** Whether new rows of the resource get numbers. */
  readonly numbered: ReadonlySet<string>
  /** Whether rules run for, or set values in, a write that only sets fields of one of the resource's records. */
  readonly ofPatches: ReadonlySet<string>
  /** For each resource of `ofWrites`, the resources for which rules may run in a write of its records. */
  readonly touched: ReadonlyMap<string, readonly Resource[]>
}

/** By the resources' keys. */
export function ruleScopeOf({ model, rules }: RuleSet): RuleScope {
  const all = [...model.resources.values()]
  const keysOf = (test: (resource: Resource) => boolean) => new Set(all.filter(test).map(({ key }) => key))
  const asksAsOwner = ({ key }: Resource) => {
    const own = rules.get(key)
    return own !== undefined && own.validate.length + own.invariants.length > 0
  }
  const ofOwners = keysOf((resource) => ownersAbove(resource).some(asksAsOwner))
  const ofOwnRows = keysOf(({ key }) => {
    const own = rules.get(key)
    if (own === undefined) return false
    return [own.validate, own.invariants, own.afterWrite, own.atEnd, own.afterCommit].some((part) => part.length > 0)
  })
  const takesOwner = keysOf(({ key }) => rules.get(key)?.takesOwner ?? false)
  const takers = all.filter(({ key }) => takesOwner.has(key))
  const isTaken = new Set(takers.flatMap(({ ownedBy }) => ownedBy.map(({ target }) => target.key)))
  const ofRows = new Set([...ofOwners, ...ofOwnRows])
  const ofWrites = keysOf((resource) =>
    ownedTree(resource).some((one) => changedWith(one).some(({ key }) => ofRows.has(key))),
  )
  const ofPatches = keysOf(
    ({ key }) => ofRows.has(key) || (rules.get(key)?.setMembers.some(({ on }) => on === 'change') ?? false),
  )
  const numbered = keysOf(({ key }) => (rules.get(key)?.numbered.length ?? 0) > 0)
  const touched = touchedBy(all.filter(({ key }) => ofWrites.has(key)))
  const asOwner = keysOf(asksAsOwner)
  return { ofOwnRows, ofRows, ofOwners, takesOwner, isTaken, asOwner, ofWrites, ofPatches, numbered, touched }
}

/** `touched` for all resources, where the application asks about the errors of every write. */
export function touchedInAll({ resources }: Model): RuleScope['touched'] {
  return touchedBy([...resources.values()])
}

function touchedBy(resources: readonly Resource[]): RuleScope['touched'] {
  return new Map(resources.map((resource) => [resource.key, resourcesTouched(resource)]))
}

/** All resources of which rows may change with a record of one, or own such rows. */
export function resourcesTouched(resource: Resource): readonly Resource[] {
  const changed = ownedTree(resource).flatMap(changedWith)
  return [...new Set(changed.flatMap((one) => [one, ...ownersAbove(one)]))]
}

/** All resources whose records may own those of a resource, up to the root. */
function ownersAbove(resource: Resource): readonly Resource[] {
  const found = new Set(resource.ownedBy.map(({ target }) => target))
  // A set grows while it is walked.
  for (const owner of found) for (const { target } of owner.ownedBy) found.add(target)
  return [...found]
}

/** The resources of which rows may change with a row of this one: itself, those at other ends of links, and those that
 * know it. */
function changedWith(resource: Resource): readonly Resource[] {
  const shared = resource.links.filter(isShared).map(({ target }) => target)
  const linking = resource.linkedBy.map(({ source }) => source)
  const knowing = resource.referencedBy.filter(({ needs }) => !needs).map(({ source }) => source)
  return [resource, ...shared, ...linking, ...knowing]
}
