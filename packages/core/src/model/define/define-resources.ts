import { ModelError } from '../../errors.ts'
import { checkTenantDeclaration } from '../check/check-tenant.ts'
import type { Descriptors } from '../descriptors/descriptors.ts'
import type { TenantDeclaration } from '../descriptors/tenant.ts'
import type { Model } from '../model.ts'
import type { KnownEntries } from '../types/known-entries.ts'
import { buildFields } from './build-fields.ts'
import { buildResources } from './build-resources.ts'

export interface ModelOptions<T extends TenantDeclaration | undefined = TenantDeclaration | undefined> {
  /** Whose records there are. Default: all records belong to the one who runs the service. */
  readonly tenant?: T
}

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
export function defineResources<
  const D extends Descriptors<keyof D & string>,
  const T extends TenantDeclaration<keyof D & string> | undefined = undefined,
>(descriptors: D & KnownEntries<D>, { tenant, ...unknown }: ModelOptions<T> = {}): Model<D, T> {
  if (typeof descriptors !== 'object' || descriptors === null) {
    throw new ModelError([{ place: 'resources', message: 'must be an object with a descriptor for each resource' }])
  }
  const problems = [
    ...Object.keys(unknown).map((name) => ({
      place: name,
      message: `a model has no option '${name}'; there is 'tenant'`,
    })),
    ...checkTenantDeclaration(tenant),
  ]
  if (problems.length > 0) throw new ModelError(problems)
  return Object.freeze({
    descriptors,
    tenant: tenant as T,
    resources: buildResources(descriptors, tenant, buildFields),
  })
}
