import { ModelError, type ModelProblem } from '../errors.ts'
import { buildFields } from './build-fields.ts'
import { buildRelations } from './build-relations.ts'
import { buildUniques } from './build-uniques.ts'
import { checkDescriptor } from './check-descriptor.ts'
import { checkInsertable } from './check-insertable.ts'
import { checkTableNames } from './check-table-names.ts'
import type { Descriptors, KnownEntries } from './descriptors.ts'
import { finish, newResource, type ResourceDraft } from './draft.ts'
import type { Model, Resource } from './model.ts'

/**
 * Checks a whole model once and freezes it.
 *
 * Takes a descriptor for each resource, by the resource's key. Returns the model that the plugin, the store and the plan
 * functions take. A relation to a key that does not exist is also a compile-time error.
 *
 * @throws {ModelError} if anything is wrong; it lists every problem with its place in the descriptors.
 *
 * @example
 * const resources = defineResources({
 *   publisher: { fields: { name: Type.String() }, relations: { books: neededBy.many('book') } },
 *   book: { fields: { title: Type.String() }, relations: { publisher: needs.one('publisher') } },
 * })
 */
export function defineResources<const D extends Descriptors<keyof D & string>>(
  descriptors: D & KnownEntries<D>,
): Model<D> {
  if (typeof descriptors !== 'object' || descriptors === null) {
    throw new ModelError([{ place: 'resources', message: 'must be an object with a descriptor for each resource' }])
  }
  const problems: ModelProblem[] = []
  const drafts = new Map<string, ResourceDraft>()
  for (const [key, descriptor] of Object.entries(descriptors)) {
    if (checkDescriptor(key, descriptor, problems)) drafts.set(key, newResource(key, descriptor))
  }
  // Relations can only be checked if all descriptors are sound.
  if (drafts.size < Object.keys(descriptors).length) throw new ModelError(problems)
  if (drafts.size === 0 && problems.length === 0) problems.push({ place: 'resources', message: 'there is no resource' })

  for (const draft of drafts.values()) buildFields(draft, problems)
  buildRelations(drafts, problems)
  for (const draft of drafts.values()) buildUniques(draft, problems)
  checkTableNames(drafts, problems)
  if (problems.length === 0) checkInsertable(drafts, problems)
  if (problems.length > 0) throw new ModelError(problems)

  const resources = new Map<string, Resource>()
  for (const draft of drafts.values()) resources.set(draft.key, finish(draft))
  return Object.freeze({ descriptors, resources })
}
