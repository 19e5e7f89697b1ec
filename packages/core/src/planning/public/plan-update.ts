import { invalid, type Problem, type Refusal, stillNeeded } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { shortIdOf } from '../../model/ids/short-id.ts'
import { type Model, type Resource, resourceOf } from '../../model/model.ts'
import type { UpdateOperation } from '../../model/operations.ts'
import type { Draft } from '../body/draft.ts'
import { assignIds } from '../body/draft.ts'
import { lacks } from '../body/faults.ts'
import { withPathId } from '../body/id-of-body.ts'
import { namedBesides } from '../body/nested-record.ts'
import { readBody } from '../body/read-body.ts'
import { NO_POINTER, remove, type Update } from '../diff/changes.ts'
import { type Diff, newDiff, updateOrMove } from '../diff/diff.ts'
import { belowThemselves, noteBelow } from '../diff/move.ts'
import { type RecordData, type RecordOwner, withWholeIds } from '../rows.ts'
import type { Fact } from './lookup.ts'
import type { Outcome } from './outcome.ts'
import { checkRecord, type HalfPlan, halfPlan, type Owner, outcomeOf, ownerOf, refusalOfReadOnly } from './outcome.ts'

/**
 * The record that a PUT or PATCH changes, as a GET shows it. With `defaultInclude`, it also needs the relations that
 * the body names, and all that its owned records own.
 */
export interface UpdateState {
  readonly record: RecordData
  /** Required for a resource whose records all have owners: unique keys may depend on it. */
  readonly owner?: Owner
  /** The answers to what `planLookups` asks. */
  readonly facts?: readonly Fact[]
}

function planUpdate(operation: UpdateOperation, model: Model, key: string, state: UpdateState, body: unknown): Outcome {
  return outcomeOf(halfPlanOfUpdate(operation, model, key, state, body), state.facts)
}

export function halfPlanOfUpdate(
  operation: UpdateOperation,
  model: Model,
  key: string,
  state: UpdateState,
  body: unknown,
): HalfPlan {
  const problems: Problem[] = []
  const resource = resourceOf(model, key)
  const readOnly = refusalOfReadOnly(resource)
  if (readOnly !== undefined) return { refusal: readOnly }
  const owner = ownerOf(resource, state.owner)
  const record = withWholeIds(resource, state.record, owner?.id)
  const draft = readBody(resource, operation, withPathId(resource, operation, body, record.id), '', problems)
  checkRecord(resource, record, namedBesides(draft))
  checkId(draft, record.id, problems)
  if (problems.length > draft.reading.unfit.length) return { refusal: invalid(problems) }
  assignIds(draft)
  const diff = changesToUpdate(draft, record, owner)
  const { moved = [] } = diff.changes
  for (const move of moved) noteBelow(move, record)
  diff.problems.push(...belowThemselves(moved))
  return halfPlan(diff, [record.id])
}

export function changesToUpdate(draft: Draft, record: RecordData, owner?: Update['owner']): Diff {
  const diff = newDiff(draft.reading)
  updateOrMove(draft, record, owner, diff)
  return diff
}

/** If the path does not name the record, the body must. */
export function requireId(draft: Draft, problems: Problem[]): void {
  if (draft.id !== undefined || draft.body.id !== undefined) return
  const message = 'is required: it names the record that is written'
  problems.push({ ...lacks('', 'id'), message })
}

/** A body may carry the record's id, but no other. Members that make up an id are compared with those of the record. */
export function checkId(draft: Draft, id: Id, problems: Problem[]): void {
  const short = shortIdOf(draft.resource, id)
  if (draft.id === undefined || draft.id === short || draft.body.id === undefined) return
  const message = `is not the id of the record that is written, ${short}`
  problems.push({ pointer: '/id', message, keyword: 'const', params: { allowedValue: short } })
}

/**
 * Plans a PATCH: changes what the body names and nothing else. An element of an owned array with an id changes that
 * record, one without an id adds a record. Associations are added.
 *
 * Pure: it changes no argument and asks no database. A plan without steps means that nothing has to change.
 *
 * @throws TypeError if the model has no such resource or relation, if the record lacks a relation or field, if there is
 * no owner where there must be one, or if a fact is missing that `planLookups` asks for.
 *
 * @example
 * planPatch(resources, 'book', { record }, { chapters: [{ id: 1, title: 'Two' }, { title: 'Three' }] })
 */
export function planPatch(model: Model, key: string, state: UpdateState, body: unknown): Outcome {
  return planUpdate('patch', model, key, state, body)
}

/**
 * Plans a PUT: the record becomes what the body says, at every depth of what it owns. Fields that the body leaves out
 * become their default or null, children that it does not list are removed, the associations become the listed ones.
 *
 * Pure: it changes no argument and asks no database. A plan without steps means that nothing has to change.
 *
 * @throws TypeError if the model has no such resource or relation, if the record lacks a relation or field, if there is
 * no owner where there must be one, or if a fact is missing that `planLookups` asks for.
 *
 * @example
 * planReplace(resources, 'book', { record }, { ...record, title: 'Plans, second edition' })
 */
export function planReplace(model: Model, key: string, state: UpdateState, body: unknown): Outcome {
  return planUpdate('replace', model, key, state, body)
}

/**
 * The record that a DELETE removes, as a GET shows it, with what it owns and does not carry by default. Only its id and
 * the ids of what it owns count.
 */
export interface DeleteState {
  readonly record: RecordData
  /** Required for a resource whose records all have owners. */
  readonly owner?: Owner
  /** The answers to what `planLookups` asks. */
  readonly facts?: readonly Fact[]
}

/**
 * Plans a DELETE: removes the record and all that it owns, and the links and foreign keys by which others know it.
 * Refused while another record, which stays, needs one of those that would be removed, and where the owner must have
 * the record.
 *
 * Pure: it changes no argument and asks no database.
 *
 * @throws TypeError if the model has no such resource or relation, if the record lacks a relation through which it
 * owns, if there is no owner where there must be one, or if a fact is missing that `planLookups` asks for.
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
