import { type Refusal, stillNeeded } from '../../errors.ts'
import { type Model, type Resource, resourceOf } from '../../model/model.ts'
import { NO_POINTER } from '../diff/changes.ts'
import { type Diff, newDiff } from '../diff/diff.ts'
import { remove } from '../diff/remove.ts'
import { type RecordData, type RecordOwner, withWholeIds } from '../rows.ts'
import { checkRecord } from './check-record.ts'
import { type HalfPlan, halfPlan, outcomeOf } from './half-plan.ts'
import type { Fact } from './lookup.ts'
import type { Outcome } from './outcome.ts'
import { type Owner, ownerOf } from './owner.ts'
import { refusalOfReadOnly } from './read-only.ts'

/**
 * The record that a DELETE removes, as a GET shows it, with what it owns and does not carry by default. Only its id and the ids of what
 * it owns count.
 */
export interface DeleteState {
  readonly record: RecordData
  /** Required for a resource whose records all have owners. */
  readonly owner?: Owner
  /** The answers to what `planLookups` asks. */
  readonly facts?: readonly Fact[]
}

/**
 * Plans a DELETE: removes the record and all that it owns, and the links and foreign keys by which others know it. Refused
 * while another record, which stays, needs one of those that would be removed, and where the owner must have the record.
 *
 * Pure: it changes no argument and asks no database.
 *
 * @throws TypeError if the model has no such resource or relation, if the record lacks a relation through which it owns, if
 * there is no owner where there must be one, or if a fact is missing that `planLookups` asks for.
 *
 * @example
 * planDelete(resources, 'book', { record })
 */
export function planDelete(model: Model, key: string, state: DeleteState): Outcome {
  return outcomeOf(halfPlanOfDelete(model, key, state), state.facts)
}

export function halfPlanOfDelete(model: Model, key: string, state: DeleteState): HalfPlan {
  const resource = resourceOf(model, key)
  const readOnly = refusalOfReadOnly(resource)
  if (readOnly !== undefined) return { refusal: readOnly }
  const owner = ownerOf(resource, state.owner)
  checkRecord(resource, state.record, 'ids')
  return halfPlan(changesToDelete(resource, withWholeIds(resource, state.record, owner?.id), owner), [])
}

export function changesToDelete(resource: Resource, record: RecordData, owner: RecordOwner | undefined): Diff {
  const diff = { ...newDiff(), required: owner && requiredByOwner(owner) }
  remove(resource, record, 'addressed', NO_POINTER, diff.changes)
  return diff
}

/** A child that its owner must have goes with the owner only. */
export function requiredByOwner({ by: { inverse }, id }: RecordOwner): Refusal | undefined {
  if (!inverse.required) return undefined
  const { source, name } = inverse
  const blocker = { resource: source.key, relation: name, count: 1 }
  return stillNeeded(`${source.key} ${id} must have its ${name}`, [], [blocker])
}
