import { CrudError, forbidden, invalid, notFound, shortened } from '../../errors.ts'
import { type Address, linkParam, resourcesInAddress } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { idKindIn } from '../../model/ids/short-id.ts'
import type { Link, Model, Resource } from '../../model/model.ts'
import { refusalOfReadOnly } from '../../planning/public/outcome.ts'
import type { QueryContext } from '../../sql/context.ts'

/**
 * The address, if its owners' ids are ids. A program may hand in anything, such as the text of a path. That is refused:
 * the answer that there is no such record would hide the mistake.
 */
export function checkedAddress(at: Address): Address {
  for (const [{ key, id: kind }, owner] of ownersOf(at)) {
    if (kind.fromJson(owner) === undefined) throw notAnId(`${key}_id`, `the id of the ${key}`, kind, owner)
  }
  return at
}

/** The id of a record at the address, if it is one, and the owners' ids are. */
export function checkedId(at: Address, id: Id): Id {
  const kind = idKindIn(checkedAddress(at).path)
  if (kind.fromJson(id) === undefined) throw notAnId('id', 'the id', kind, id)
  return id
}

/** The id of a record at the other end of a link, if it is one. */
export function checkedTarget({ path }: Address, link: Link, id: Id): Id {
  const { key, id: kind } = link.target
  const known = kind.fromJson(id)
  if (known === undefined) throw notAnId(linkParam(path, link), `the id of the ${key}`, kind, id)
  return known
}

/** An id that no record can have names nothing: fails with `CRUD_ERR_NOT_FOUND`. `id`: of a record at the address. */
export function checkIds(at: Address, id?: Id): void {
  for (const [resource, owner] of ownersOf(at)) checkPossible(resource, owner)
  if (id !== undefined) checkPossible(at.path.resource, id)
}

function checkPossible({ key, id: kind }: Resource, id: Id): void {
  if (kind.fromJson(id) === undefined) throw new CrudError(notFound(key, id))
}

function ownersOf({ path, owners }: Address): readonly (readonly [Resource, Id])[] {
  if (owners.length === 0) return NONE
  const resources = resourcesInAddress(path)
  return owners.map((owner, level) => [resources[level] ?? path.resource, owner])
}

const NONE: readonly never[] = []

/** `parameter`: what paths call the id. */
function notAnId(parameter: string, what: string, { inWords, name: type }: Resource['id'], given: unknown): CrudError {
  const message = `${what} must be ${inWords}, not ${described(given)}`
  return new CrudError(invalid([{ parameter, message, keyword: 'id', params: { type } }]))
}

function described(value: unknown): string {
  if (typeof value === 'string') return `'${shortened(value)}'`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : 'an object'
}

/** Fails with `CRUD_ERR_METHOD` where records are only read, and with `CRUD_ERR_FORBIDDEN` where a tenant would write
 * what all tenants share. */
export function checkWritable({ reach }: QueryContext, model: Model, resource: Resource): void {
  const { key, tenant } = resource
  const refusal = refusalOfReadOnly(resource)
  if (refusal !== undefined) throw new CrudError(refusal)
  if (model.tenant === undefined || reach !== 'one tenant' || tenant !== undefined) return
  throw new CrudError(forbidden(`all tenants share the records of ${key}, so none of them writes them`, []))
}
