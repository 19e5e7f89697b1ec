import type { ModelProblem } from '../../errors.ts'
import { checkTenant } from '../check/check-tenant.ts'
import { didYouMean } from '../check/suggest.ts'
import { type TenantDeclaration, tenantColumn } from '../descriptors/tenant.ts'
import type { Link, Reference, TenantColumn } from '../model.ts'
import { buildingOf, type ResourceDraft } from './resource-draft.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

type Drafts = ReadonlyMap<string, ResourceDraft>

/** Gives the tables of a model the column of their tenant. Their relations are built. */
export function buildTenant(drafts: Drafts, declared: TenantDeclaration | undefined, problems: ModelProblem[]): void {
  if (declared === undefined) {
    refuseShared(drafts, problems)
    return
  }
  const of = drafts.get(declared.resource)
  if (of === undefined) {
    const hint = didYouMean(declared.resource, drafts.keys())
    problems.push({ place: 'tenant.resource', message: `there is no resource '${declared.resource}'${hint}` })
    return
  }
  const column = tenantColumn(declared)
  const ofOthers: TenantColumn = Object.freeze({ of, column, isOwnId: false })
  for (const draft of drafts.values()) {
    if (buildingOf(draft).descriptor.tenant === false) continue
    draft.tenant = draft === of ? Object.freeze({ of, column: of.idColumns[0], isOwnId: true }) : ofOthers
    for (const link of draft.links as Mutable<Link>[]) link.tenant = ofOthers
    for (const reference of draft.references as Mutable<Reference>[]) {
      if (reference.target !== of || reference.column !== column) continue
      reference.isTenant = true
      reference.setByRule = true
    }
  }
  checkTenant(drafts, of, column, problems)
}

function refuseShared(drafts: Drafts, problems: ModelProblem[]): void {
  for (const draft of drafts.values()) {
    if (buildingOf(draft).descriptor.tenant === undefined) continue
    const message =
      "the model has no tenants: name their resource in defineResources(…, { tenant: { resource: 'org' } })"
    problems.push({ place: `${draft.key}.tenant`, message })
  }
}
