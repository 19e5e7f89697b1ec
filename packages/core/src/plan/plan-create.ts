import { exists, invalid, type Problem, withArticle } from '../errors.ts'
import type { Id } from '../model/ids.ts'
import { type Model, type OwnedBy, resourceOf } from '../model/model.ts'
import type { Draft } from './body/draft.ts'
import { readBody } from './body/read-body.ts'
import { type Facts, noFacts } from './decide/lookups.ts'
import { decide, type Outcome, toOutcome } from './decide/outcome.ts'
import type { RowId } from './diff/changes.ts'
import { type Diff, insert, newDiff } from './diff/diff.ts'

/** Where a new record is created, and what exists there already. */
export interface CreateState {
  /** The owner, if the record is owned: its resource's key, the relation through which it owns, its id. */
  readonly owner?: { readonly resource: string; readonly relation: string; readonly id: Id }
  /** Whether the owner has such a record already, of which it may have one. */
  readonly placeTaken?: boolean
  /** The id for the new record. Default: the database assigns one. */
  readonly id?: Id
  /** Whether a record with that id exists. */
  readonly idTaken?: boolean
  /** What is known of other records. A fact that is missing refuses nothing. */
  readonly facts?: Facts
}

/**
 * Plans a POST: a new record with all that it owns and all its associations.
 *
 * Pure: it changes no argument and asks no database.
 *
 * @throws TypeError if the model has no such resource or relation.
 *
 * @example
 * planCreate(resources, 'book', {}, { title: 'Plans', publisherId: 3, authors: [{ id: 1 }], chapters: [{ title: 'One' }] })
 */
export function planCreate(model: Model, key: string, state: CreateState, body: unknown): Outcome {
  const resource = resourceOf(model, key)
  const problems: Problem[] = []
  const draft = readBody(resource, 'create', body, '', problems)
  if (problems.length > 0) return { refusal: invalid(problems) }
  if (state.idTaken === true) return { refusal: exists(`there is ${withArticle(key)} ${state.id} already`) }
  if (state.placeTaken === true)
    return { refusal: exists(`${state.owner?.resource} ${state.owner?.id} has its ${key} already`) }
  const owner = state.owner && { by: ownedByOf(model, state.owner), id: state.owner.id }
  const { diff, result } = changesToCreate(draft, owner, state.id)
  return toOutcome(decide(diff, result, state.facts ?? noFacts))
}

export function changesToCreate(
  draft: Draft,
  owner: { readonly by: OwnedBy; readonly id: Id } | undefined,
  id: Id | undefined,
): { diff: Diff; result: RowId } {
  const diff = newDiff()
  const row = insert(draft, owner, id, diff)
  return { diff, result: id ?? row }
}

function ownedByOf(model: Model, owner: { resource: string; relation: string }): OwnedBy {
  const owns = resourceOf(model, owner.resource).owns.find((relation) => relation.name === owner.relation)
  if (owns === undefined) throw new TypeError(`${owner.resource} owns nothing through '${owner.relation}'`)
  return owns.inverse
}
