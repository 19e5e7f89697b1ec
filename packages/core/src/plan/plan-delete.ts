import { type Model, type Resource, resourceOf } from '../model/model.ts'
import { type Facts, noFacts } from './decide/lookups.ts'
import { decide, NO_BODY, type Outcome, toOutcome } from './decide/outcome.ts'
import type { RecordData } from './diff/changes.ts'
import { type Diff, newDiff } from './diff/diff.ts'
import { remove } from './diff/remove.ts'

/** The record that a DELETE removes, as a GET shows it. Only its id and the ids of what it owns count. */
export interface DeleteState {
  readonly record: RecordData
  /** What is known of other records. A fact that is missing refuses nothing. */
  readonly facts?: Facts
}

/**
 * Plans a DELETE: removes the record and all that it owns, and the links and foreign keys by which others know it. Refused
 * while another record, which stays, needs one of those that would be removed.
 *
 * Pure: it changes no argument and asks no database.
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
