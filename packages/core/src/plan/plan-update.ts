import { invalid, type Problem } from '../errors.ts'
import type { Id } from '../model/ids.ts'
import { type Model, type Resource, resourceOf } from '../model/model.ts'
import type { UpdateOperation } from '../model/operations.ts'
import type { Draft } from './body/draft.ts'
import { readBody } from './body/read-body.ts'
import { type Facts, noFacts } from './decide/lookups.ts'
import { decide, type Outcome, toOutcome } from './decide/outcome.ts'
import type { RecordData, Update } from './diff/changes.ts'
import { type Diff, newDiff, update } from './diff/diff.ts'

/** The record that a PUT or PATCH changes, as a GET shows it. */
export interface UpdateState {
  readonly record: RecordData
  /** The record's owner, if it has one: the `ownedBy` relation and the owner's id. Unique keys may depend on it. */
  readonly owner?: { readonly relation: string; readonly id: Id }
  /** What is known of other records. A fact that is missing refuses nothing. */
  readonly facts?: Facts
}

export function planUpdate(
  operation: UpdateOperation,
  model: Model,
  key: string,
  state: UpdateState,
  body: unknown,
): Outcome {
  const problems: Problem[] = []
  const resource = resourceOf(model, key)
  const draft = readBody(resource, operation, body, '', problems)
  checkId(draft, state.record.id, problems)
  if (problems.length > 0) return { refusal: invalid(problems) }
  const diff = changesToUpdate(draft, state.record, ownerOf(resource, state))
  return toOutcome(decide(diff, state.record.id, state.facts ?? noFacts))
}

function ownerOf({ ownedBy }: Resource, { owner }: UpdateState): Update['owner'] {
  const by = ownedBy.find(({ name }) => name === owner?.relation)
  return by && owner && { by, id: owner.id }
}

export function changesToUpdate(draft: Draft, record: RecordData, owner?: Update['owner']): Diff {
  const diff = newDiff()
  update(draft, record, owner, diff)
  return diff
}

/** If the path does not name the record, the body must. */
export function requireId(draft: Draft, problems: Problem[]): void {
  if (draft.id !== undefined || draft.body.id !== undefined) return
  problems.push({ pointer: '/id', message: 'is required: it names the record that is written' })
}

/** A body may carry the record's id, but no other. */
export function checkId(draft: Draft, id: Id, problems: Problem[]): void {
  if (draft.id === undefined || draft.id === id) return
  problems.push({ pointer: '/id', message: `is not the id of the record that is written, ${id}` })
}
