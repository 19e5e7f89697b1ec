import { type Model, type Resource, resourceOf } from '../model/model.ts'
import { type Facts, noFacts } from './decide/lookups.ts'
import { decide, type Outcome, toOutcome } from './decide/outcome.ts'
import { NO_BODY } from './decide/refuse.ts'
import type { RecordData } from './diff/changes.ts'
import { type Diff, newDiff } from './diff/diff.ts'
import { remove } from './diff/remove.ts'

/** The record that a DELETE is about, as reading it shows it: the ids of it and of what it owns are all that counts. */
export interface DeleteState {
  readonly record: RecordData
  /** What is known of other records; what is left out raises no objection. */
  readonly facts?: Facts
}

/**
 * Plans a DELETE: the record goes with all that it owns; links to it and foreign keys of records that know it go with
 * it. Refused as long as a record outside of what is deleted needs something in it.
 *
 * Pure: the arguments are not changed, no database is asked.
 *
 * @throws TypeError if the model has no such resource.
 *
 * @example
 * planDelete(resources, 'book', { record })
 */
export function planDelete(model: Model, key: string, state: DeleteState): Outcome {
  const diff = changesToDelete(resourceOf(model, key), state.record)
  return toOutcome(decide(diff, undefined, state.facts ?? noFacts))
}

export function changesToDelete(resource: Resource, record: RecordData): Diff {
  const diff = newDiff()
  remove(resource, record, NO_BODY, diff.changes)
  return diff
}
