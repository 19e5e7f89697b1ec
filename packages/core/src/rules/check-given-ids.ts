import { noSuchRecord } from '../plan/body/faults.ts'
import type { Facts } from '../plan/decide/lookups.ts'
import { type Changes, givenId, isRemoved } from '../plan/diff/changes.ts'
import { doesNotFit } from './does-not-fit.ts'

/**
 * Throws a TypeError if a foreign key that a rule has given names a record that is not there behind the write. No body says it, so no body
 * is to blame. Whether the caller may see the record does not matter.
 */
export function checkGivenIds(changes: Changes, { existingForRules }: Facts): void {
  if (existingForRules.size === 0) return
  for (const { resource, values } of [...changes.inserts, ...changes.updates]) {
    for (const reference of resource.references) {
      const { target, setByRule } = reference
      const id = givenId(values, reference)
      if (!setByRule || id === null || id === undefined) continue
      const isThere = existingForRules.get(target)?.has(id) && !isRemoved(changes, target, id)
      if (!isThere) throw new TypeError(doesNotFit(resource, reference, noSuchRecord(target, id).message))
    }
  }
}
