import type { Field, Link, Model, Owns, Reference, Relation, Resource } from './model.ts'
import { onceFor } from './once-for.ts'

/** A resource and all that its records may own, at any depth. */
export function ownedTree(resource: Resource): readonly Resource[] {
  const found = new Set([resource])
  // A set grows while it is walked: every owned resource is visited once, also where a resource owns itself.
  for (const owner of found) for (const owns of owner.owns) found.add(owns.target)
  return [...found]
}

type WithRelations = Pick<Resource, 'owns' | 'ownedBy' | 'references' | 'links' | 'neededBy'>

/** All relations that a resource declares. */
export function allRelationsOf({ owns, ownedBy, references, links, neededBy }: WithRelations): readonly Relation[] {
  return [...owns, ...ownedBy, ...references, ...links, ...neededBy]
}

/** The resources whose records a request is about. A resource may be in both lists. */
export interface ResourcesInRecord {
  /** Its own, and those of what it owns, at any depth. */
  readonly owned: readonly Resource[]
  /** Those that any of them needs or knows. */
  readonly related: readonly Resource[]
}

/** The resources whose records a record shows by default, and those of other relations (`besides`). */
export function resourcesInRecord(
  resource: Resource,
  besides: (relation: Owns | Reference | Link) => boolean = none,
): ResourcesInRecord {
  const isShown = (relation: Owns | Reference | Link) => relation.carried || besides(relation)
  const owned = new Set([resource])
  // A set grows while it is walked: every owned resource is visited once, also where a resource owns itself.
  for (const owner of owned) for (const owns of owner.owns.filter(isShown)) owned.add(owns.target)
  const related = new Set<Resource>()
  for (const { references, links } of owned) {
    for (const { target } of [...references, ...links].filter(isShown)) related.add(target)
  }
  return { owned: [...owned], related: [...related] }
}

const none = (): boolean => false

/**
 * Whether no foreign key of the database keeps others from removing what a relation of the model names: there is none,
 * or what is named would only be marked as deleted. It is found once for each model, as a model may have many stores.
 */
export const hasUnconstrained: (model: Model) => boolean = onceFor(({ resources }) =>
  [...resources.values()].some(isUnconstrained),
)

function isUnconstrained({ references, links }: Resource): boolean {
  return [...references, ...links].some((relation) => !isHeldByDatabase(relation))
}

/** Whether the database keeps the record that a relation names, or tells of it, when others delete it meanwhile. */
export function isHeldByDatabase({ isConstrained, target }: Reference | Link): boolean {
  return isConstrained && target.softDelete === undefined
}

/** The resources whose records may be deleted together with one of a resource: all that own it, and what these own. */
export function deletedTogether(resource: Resource): ReadonlySet<Resource> {
  const found = new Set([resource])
  // A set grows while it is walked.
  for (const { owns, ownedBy } of found) for (const { target } of [...owns, ...ownedBy]) found.add(target)
  return found
}

/** Whether writes may give the records, or owners above them, to other owners. */
export const mayBeMoved: (resource: Resource) => boolean = onceFor((resource) => {
  const found = new Set([resource])
  // A set grows while it is walked.
  for (const one of found) for (const { target } of one.ownedBy) found.add(target)
  return [...found].some(({ movedBy }) => movedBy.length > 0)
})

/** Whether a history is kept of the records: their resource says so, or one that owns them. */
export const keepsHistory: (resource: Resource) => boolean = onceFor((resource) => {
  const found = new Set([resource])
  // A set grows while it is walked.
  for (const one of found) for (const { target } of one.ownedBy) found.add(target)
  return [...found].some(({ history }) => history !== undefined)
})

/** Whether a write of the records may touch records of which a history is kept: by itself, without rules. */
export const reachesHistory: (resource: Resource) => boolean = onceFor((resource) =>
  ownedTree(resource).some((one) => {
    const naming = [...one.referencedBy, ...one.linkedBy].map(({ source }) => source)
    return [one, ...naming, ...one.links.map(({ target }) => target)].some(keepsHistory)
  }),
)

/** Whether a history is kept of any records of a model. */
export const hasHistory: (model: Model) => boolean = onceFor(({ resources }) =>
  [...resources.values()].some(({ history }) => history !== undefined),
)

/** What has a column of a resource's table: its fields, and the moment at which a record was deleted. */
export function storedFields(resource: Resource): readonly Field[] {
  return [...resource.fields, ...fieldsBeside(resource)]
}

/** What has a column of a resource's table, and is none of its fields. */
export function fieldsBeside({ softDelete }: Pick<Resource, 'softDelete'>): readonly Field[] {
  return softDelete === undefined ? [] : [softDelete]
}

/** The link by which the target shows the same table of links; undefined if it does not. */
export function otherEnd({ table, fromColumn, toColumn, target }: Link): Link | undefined {
  return target.links.find(
    (other) => other.table === table && other.fromColumn === toColumn && other.toColumn === fromColumn,
  )
}
