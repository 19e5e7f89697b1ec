import { ModelError } from '../../errors.ts'
import type { Descriptors } from '../descriptors/descriptors.ts'
import type { Model } from '../model.ts'
import type { KnownEntries } from '../types/known-entries.ts'
import { buildFields } from './build-fields.ts'
import { buildResources } from './build-resources.ts'

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
  return Object.freeze({ descriptors, resources: buildResources(descriptors, buildFields) })
}
