import { type ModelProblem, withArticle } from '../../errors.ts'
import { isText, type Kinds, oneOf, required, wrongEntries } from '../check/entries.ts'
import { didYouMean, problemOfName } from '../check/names.ts'
import { type TenantDeclaration, tenantColumn } from '../descriptors/tenant.ts'
import { isObject } from '../is-object.ts'
import type { Link, Reference, Resource, TenantColumn } from '../model.ts'
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
      reference.isFixed = true
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

const ENTRIES: Kinds<keyof TenantDeclaration> = {
  resource: required(isText, 'must be the key of a resource'),
  column: (name) => (name === undefined ? undefined : problemOfName(name)),
  keys: oneOf(['whole', 'plain'], "must be 'whole' or 'plain'"),
}

/** Checks what a model says of tenants as its type does, for authors who write JavaScript. */
export function checkTenantDeclaration(given: unknown): readonly ModelProblem[] {
  if (given === undefined) return []
  if (!isObject(given)) return [{ place: 'tenant', message: "must be an object, such as { resource: 'org' }" }]
  const wrong = wrongEntries(given, ENTRIES, 'tenants have no')
  return wrong.map(({ name, message }) => ({ place: `tenant.${name}`, message }))
}

/** What is wrong with the tenants of a model. `of`: the tenants. `column`: what each table has for its tenant. */
function checkTenant(
  drafts: ReadonlyMap<string, ResourceDraft>,
  of: ResourceDraft,
  column: string,
  problems: ModelProblem[],
): void {
  checkTenants(of, problems)
  for (const draft of drafts.values()) {
    if (draft.tenant === undefined) checkShared(draft, problems)
    else if (draft !== of) checkColumn(draft, column, problems)
  }
}

/** The resource whose records are the tenants. */
function checkTenants(of: ResourceDraft, problems: ModelProblem[]): void {
  const place = 'tenant.resource'
  if (of.tenant === undefined) {
    problems.push({ place: `${of.key}.tenant`, message: 'the tenants themselves cannot be shared by all tenants' })
  }
  if (of.ownedBy.length > 0) problems.push({ place, message: `a tenant has no owner, and ${of.key} has one` })
  const { id } = buildingOf(of).descriptor
  if (Array.isArray(id) || id === false) {
    problems.push({ place, message: `a tenant's id has a column of its own, and that of ${of.key} has none` })
  }
  const whose = `all records are a tenant's already; use needs.one('${of.key}') in the other resource to show it`
  for (const { name, target } of of.owns) {
    if (target.tenant === undefined) continue
    problems.push({ place: `${of.key}.relations.${name}`, message: `${withArticle(of.key)} owns no records: ${whose}` })
  }
  for (const { name } of of.links) {
    const message = `${withArticle(of.key)} has no link tables: let a resource of its own need both`
    problems.push({ place: `${of.key}.relations.${name}`, message })
  }
}

/** A resource that all tenants share would show one tenant's record to the others. */
function checkShared({ key, owns, ownedBy, references, links }: ResourceDraft, problems: ModelProblem[]): void {
  for (const { name, target } of [...owns, ...ownedBy, ...references, ...links]) {
    if (target.tenant === undefined) continue
    const message = `all tenants share the records of ${key}, so they cannot own or name ${withArticle(target.key)}, which is one tenant's`
    problems.push({ place: `${key}.relations.${name}`, message })
  }
}

/** The tenant's column is no other one's. */
function checkColumn(draft: ResourceDraft, column: string, problems: ModelProblem[]): void {
  const isColumn = (name: string) => name.toLowerCase() === column.toLowerCase()
  const others = [
    ...draft.fields.map((field) => ({ name: field.name, column: field.column })),
    ...draft.ownedBy,
    ...draft.references.filter(({ isFixed }) => !isFixed),
    ...ownIds(draft),
  ]
  for (const { name, column: own } of others) {
    if (!isColumn(own)) continue
    const message = `its column '${own}' is that of the tenant: name that one otherwise, with tenant: { column: '…' }`
    problems.push({ place: `${draft.key}.${name}`, message })
  }
  const shownAs = draft.references.some(({ isFixed }) => isFixed) ? undefined : column
  for (const [name, own] of propertiesOf(draft)) {
    if (name !== shownAs || isColumn(own)) continue
    const message = 'lists of all tenants show the tenant by this name: name that one otherwise'
    problems.push({ place: `${draft.key}.${name}`, message })
  }
  for (const { name, isFixed, nullable } of draft.references) {
    if (!isFixed || !nullable) continue
    problems.push({ place: `${draft.key}.relations.${name}`, message: 'every record has a tenant: use needs.one' })
  }
  for (const { name, fromColumn, toColumn } of draft.links) {
    const own = [fromColumn, toColumn].find(isColumn)
    if (own === undefined) continue
    const message = `the column '${own}' of its link table is that of the tenant: name it otherwise, with 'from' or 'to'`
    problems.push({ place: `${draft.key}.relations.${name}`, message })
  }
}

/** What a record may show, with the column that it is in, if it is in one of the table. */
function propertiesOf(draft: ResourceDraft): readonly (readonly [string, string])[] {
  const { fields, references, owns, links } = draft
  const { computed } = buildingOf(draft).descriptor
  return [
    ...Object.keys(computed ?? {}).map((name) => [name, ''] as const),
    ...fields.map(({ name, column }) => [name, column] as const),
    ...references.flatMap(({ name, foreignKey, column }) => [[name, ''] as const, [foreignKey, column] as const]),
    ...[...owns, ...links].map(({ name }) => [name, ''] as const),
  ]
}

function ownIds({ idMembers, idColumns }: Resource): readonly { readonly name: string; readonly column: string }[] {
  return idMembers.length > 0 ? [] : [{ name: 'id', column: idColumns[0] }]
}
