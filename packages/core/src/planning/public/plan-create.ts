import { idTaken, invalid, notFound, type Problem, placeTaken, type Refusal } from '../../errors.ts'
import { type Id, isGivenByClient } from '../../model/ids/id-kind.ts'
import { idBelow, isOwnersId, shortIdOf } from '../../model/ids/short-id.ts'
import { type Model, type Resource, resourceOf } from '../../model/model.ts'
import { whyNotChosen } from '../../model/operations.ts'
import type { Draft, MutableDraft } from '../body/draft.ts'
import { assignIds } from '../body/draft.ts'
import { withPathId } from '../body/id-of-body.ts'
import { readBody, requireNewId } from '../body/read-body.ts'
import { type Diff, insert, newDiff } from '../diff/diff.ts'
import type { RecordOwner, RowId } from '../rows.ts'
import type { Fact } from './lookup.ts'
import type { Outcome } from './outcome.ts'
import {
  type HalfPlan,
  halfPlan,
  type Owner,
  outcomeOf,
  ownerOf,
  refusalOfReadOnly,
  type WriteCondition,
} from './outcome.ts'
import { checkId } from './plan-update.ts'

/** Where a new record is created. */
export interface CreateState {
  /** Required for a resource whose records all have owners. */
  readonly owner?: Owner
  /** The id for the new record. Default: the database assigns one. */
  readonly id?: Id
  /** The answers to what `planLookups` asks. */
  readonly facts?: readonly Fact[]
}

/**
 * Plans a POST: a new record with all that it owns and all its associations.
 *
 * Pure: it changes no argument and asks no database.
 *
 * @throws TypeError if the model has no such resource or relation, if there is no owner where there must be one, or if
 * a fact is missing that `planLookups` asks for.
 *
 * @example
 * planCreate(
 *   resources,
 *   'book',
 *   {
 *     facts: [
 *       { lookup: 'existing', resource: 'publisher', ids: [3], found: [3] },
 *       { lookup: 'existing', resource: 'author', ids: [1], found: [1] },
 *     ],
 *   },
 *   { title: 'Plans', publisherId: 3, authors: [{ id: 1 }], chapters: [{ title: 'One' }] },
 * )
 */
export function planCreate(model: Model, key: string, state: CreateState, body: unknown): Outcome {
  return outcomeOf(halfPlanOfCreate(model, key, state, body), state.facts)
}

export function halfPlanOfCreate(model: Model, key: string, state: CreateState, body: unknown): HalfPlan {
  const resource = resourceOf(model, key)
  const readOnly = refusalOfReadOnly(resource)
  if (readOnly !== undefined) return { refusal: readOnly }
  const owner = ownerOf(resource, state.owner)
  const problems: Problem[] = []
  const draft = readBody(resource, 'create', withPathId(resource, 'create', body, state.id), '', problems)
  checkNewId(draft, state.id, problems)
  if (problems.length > 0) return { refusal: invalid(problems) }
  const refusal = state.id === undefined ? undefined : refusalOfChoice(resource, state.id, owner?.id)
  if (refusal !== undefined) return { refusal }
  giveIds(draft, state.id)
  const { diff, result } = changesToCreate(draft, owner)
  return halfPlan(diff, [result], conditionsOf(resource, owner, chosenId(draft, state.id, owner?.id)))
}

/** The owner is there, and there is room for the record. */
function conditionsOf(resource: Resource, owner: RecordOwner | undefined, id: Id | undefined): WriteCondition[] {
  const conditions: WriteCondition[] = []
  if (owner !== undefined) {
    const { name, foreignKey, target, inverse: owns } = owner.by
    conditions.push({
      lookup: { lookup: 'existing', resource: target.key, ids: [owner.id] },
      isMetIfFound: true,
      refusal: notFound(target.key, owner.id),
    })
    if (!owns.many) {
      conditions.push({
        lookup: {
          lookup: 'holders',
          resource: resource.key,
          unique: [name],
          values: [{ [foreignKey]: owner.id }],
        },
        isMetIfFound: false,
        refusal: placeTaken(target.key, owner.id, owns.name),
      })
    }
  }
  if (id !== undefined) {
    conditions.push({
      lookup: { lookup: 'existing', resource: resource.key, ids: [id] },
      isMetIfFound: false,
      refusal: idTaken(resource.key, id),
    })
  }
  return conditions
}

/** Why a client may not choose the id for a new record; undefined if it may. `owner`: that of the owner, where the path
 * names it. */
export function refusalOfChoice(resource: Resource, id: Id, owner: Id | undefined): Refusal | undefined {
  const { id: kind } = resource
  const refuse = (message: string) => invalid([{ parameter: 'id', message, keyword: 'id' }])
  if (owner !== undefined && isOwnersId(resource) && id !== owner) {
    return refuse(`is not the id of the owner, ${JSON.stringify(owner)}`)
  }
  const reason = whyNotChosen(resource)
  if (reason !== undefined) return refuse(reason)
  return kind.isChoosable(id) ? undefined : refuse(kind.choiceProblem)
}

/** The path may have the id of a new record (`id`), and the body where clients give ids. If both have one, they are the
 * same. */
export function checkNewId(draft: Draft, id: Id | undefined, problems: Problem[]): void {
  if (id === undefined) requireNewId(draft, problems)
  else checkId(draft, id, problems)
}

/** Gives ids to the new records of a draft: the one that a path has, and those that the library assigns. */
export function giveIds(draft: Draft, id: Id | undefined): void {
  if (id !== undefined) (draft as MutableDraft).id = shortIdOf(draft.resource, id)
  assignIds(draft)
}

/** The id that a client chose for the new record of a draft, which may be taken. `owner`: the owner's id. */
export function chosenId(draft: Draft, inPath: Id | undefined, owner: Id | undefined): Id | undefined {
  if (inPath !== undefined || !isGivenByClient(draft.resource.id)) return inPath
  const { resource, id } = draft
  return resource.idMembers.length === 0 ? id : idBelow(resource, id, owner)
}

export function changesToCreate(draft: Draft, owner: RecordOwner | undefined): { diff: Diff; result: RowId } {
  const diff = newDiff(draft.reading)
  const row = insert(draft, owner, diff)
  return { diff, result: diff.changes.inserts[row.new]?.id ?? row }
}
