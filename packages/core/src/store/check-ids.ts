import { CrudError, invalid, shortened } from '../errors.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { Resource } from '../model/model.ts'

/**
 * The address, if its owners' ids are ids. A program may hand in anything, such as the text of a path. That is refused: the answer that
 * there is no such record would hide the mistake.
 */
export function checkedAddress(at: Address): Address {
  const { resource, relations } = at.path
  for (const [level, owner] of at.owners.entries()) {
    const { key, id: kind } = relations[level]?.source ?? resource
    if (kind.fromJson(owner) === undefined) throw notAnId(`the id of the ${key}`, kind, owner)
  }
  return at
}

/** The id of a record at the address, if it is one, and the owners' ids are. */
export function checkedId(at: Address, id: Id): Id {
  const kind = checkedAddress(at).path.resource.id
  if (kind.fromJson(id) === undefined) throw notAnId('the id', kind, id)
  return id
}

function notAnId(what: string, { inWords }: Resource['id'], given: unknown): CrudError {
  return new CrudError(invalid([{ pointer: '', message: `${what} must be ${inWords}, not ${shown(given)}` }]))
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${shortened(value)}'`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : 'an object'
}
