import { ModelError, type ModelProblem } from '../../errors.ts'
import { checkDefaultInclude } from '../check/check-default-include.ts'
import { checkDescriptor } from '../check/check-descriptor.ts'
import { checkInsertable } from '../check/check-insertable.ts'
import { checkSoftDelete } from '../check/check-soft-delete.ts'
import { checkTableNames } from '../check/check-table-names.ts'
import { checkUnwritten } from '../check/check-unwritten.ts'
import type { Descriptors } from '../descriptors/descriptors.ts'
import type { TenantDeclaration } from '../descriptors/tenant.ts'
import type { Resource } from '../model.ts'
import { buildComputed } from './build-computed.ts'
import { buildIds } from './build-ids.ts'
import { buildIndexes } from './build-indexes.ts'
import { buildRelations } from './build-relations.ts'
import { buildSearch } from './build-search.ts'
import { buildSoftDelete } from './build-soft-delete.ts'
import { buildTenant } from './build-tenant.ts'
import { buildUniques } from './build-uniques.ts'
import { finish, newResource, type ResourceDraft } from './resource-draft.ts'

/**
 * Builds the resources of a model, and freezes them. Throws a ModelError that lists all problems.
 *
 * `addFields`: gives a resource its fields.
 */
export function buildResources(
  descriptors: Descriptors,
  tenant: TenantDeclaration | undefined,
  addFields: (draft: ResourceDraft, problems: ModelProblem[]) => void,
): ReadonlyMap<string, Resource> {
  const problems: ModelProblem[] = []
  const drafts = new Map<string, ResourceDraft>()
  for (const [key, descriptor] of Object.entries(descriptors)) {
    if (checkDescriptor(key, descriptor, problems)) drafts.set(key, newResource(key, descriptor))
  }
  // Relations can only be checked if all descriptors are sound.
  if (drafts.size < Object.keys(descriptors).length) throw new ModelError(problems)
  if (drafts.size === 0 && problems.length === 0) problems.push({ place: 'resources', message: 'there is no resource' })

  for (const draft of drafts.values()) addFields(draft, problems)
  for (const draft of drafts.values()) buildSoftDelete(draft)
  buildRelations(drafts, problems)
  buildTenant(drafts, tenant, problems)
  buildIds(drafts, problems)
  for (const draft of drafts.values()) buildComputed(draft, problems)
  for (const draft of drafts.values()) buildUniques(draft, problems)
  for (const draft of drafts.values()) buildIndexes(draft, problems)
  for (const draft of drafts.values()) buildSearch(draft, problems)
  for (const draft of drafts.values()) checkDefaultInclude(draft, problems)
  for (const draft of drafts.values()) checkUnwritten(draft, problems)
  for (const draft of drafts.values()) checkSoftDelete(draft, problems)
  checkTableNames(drafts, problems)
  if (problems.length === 0) checkInsertable(drafts, problems)
  if (problems.length > 0) throw new ModelError(problems)

  const resources = new Map<string, Resource>()
  for (const draft of drafts.values()) resources.set(draft.key, finish(draft))
  return resources
}
