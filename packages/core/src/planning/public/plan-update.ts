import { invalid, type Problem } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { shortIdOf } from '../../model/ids/short-id.ts'
import { type Model, resourceOf } from '../../model/model.ts'
import type { UpdateOperation } from '../../model/operations.ts'
import { assignIds } from '../body/assign-ids.ts'
import type { Draft } from '../body/draft.ts'
import { lacks } from '../body/faults.ts'
import { withPathId } from '../body/id-of-body.ts'
import { namedBesides } from '../body/named-relations.ts'
import { readBody } from '../body/read-body.ts'
import type { Update } from '../diff/changes.ts'
import { type Diff, newDiff, update } from '../diff/diff.ts'
import { type RecordData, withWholeIds } from '../rows.ts'
import { checkRecord } from './check-record.ts'
import { type HalfPlan, halfPlan, outcomeOf } from './half-plan.ts'
import type { Fact } from './lookup.ts'
import type { Outcome } from './outcome.ts'
import { type Owner, ownerOf } from './owner.ts'
import { refusalOfReadOnly } from './read-only.ts'

/**
 * The record that a PUT or PATCH changes, as a GET shows it. With `defaultInclude`, it also needs the relations that the body names, and
 * all that its owned records own.
 */
export interface UpdateState {
  readonly record: RecordData
  /** Required for a resource whose records all have owners: unique keys may depend on it. */
  readonly owner?: Owner
  /** The answers to what `planLookups` asks. */
  readonly facts?: readonly Fact[]
}

export function planUpdate(
  operation: UpdateOperation,
  model: Model,
  key: string,
  state: UpdateState,
  body: unknown,
): Outcome {
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
  return halfPlan(changesToUpdate(draft, record, owner), [record.id])
}

export function changesToUpdate(draft: Draft, record: RecordData, owner?: Update['owner']): Diff {
  const diff = newDiff(draft.reading)
  update(draft, record, owner, diff)
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
