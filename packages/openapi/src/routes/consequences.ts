import { type Link, ownedTree, type Reference, type Resource, type UpdateOperation } from '@fastify-crud/core/internal'

/** What a delete does to related records, to any depth. */
export interface Consequences {
  /** The resources whose records go with it. */
  readonly goes: readonly Resource[]
  /** The relations whose records refuse it. */
  readonly refuses: readonly (Reference | Link)[]
  /** The foreign keys that become null. */
  readonly cleared: readonly Reference[]
  /** The associations that are dropped, their records staying. */
  readonly dropped: readonly Link[]
}

/** What deleting a record of this resource does to related ones. */
export function consequencesOfDelete(resource: Resource): Consequences {
  const deleted = ownedTree(resource)
  const references = deleted.flatMap((gone) => gone.referencedBy)
  const links = deleted.flatMap((gone) => gone.linkedBy)
  return {
    goes: resource.recursive.length > 0 ? deleted : deleted.slice(1),
    refuses: [...references, ...links].filter((relation) => relation.needs),
    cleared: references.filter((reference) => !reference.needs),
    dropped: links.filter((link) => !link.needs),
  }
}

/** The relations that can refuse what PUT or PATCH of this resource removes, at any depth of the owned tree. */
export function refusesRemoval(resource: Resource, operation: UpdateOperation): readonly (Reference | Link)[] {
  const owned = ownedTree(resource).flatMap((owner) => owner.owns)
  const removable = owned.filter((owns) => !owns.required && (operation === 'replace' || !owns.many))
  return [...new Set(removable.flatMap((owns) => consequencesOfDelete(owns.target).refuses))]
}
