import type { Model } from '../../model/model.ts'
import type { Outcome } from './outcome.ts'
import { planUpdate, type UpdateState } from './plan-update.ts'

/**
 * Plans a PATCH: changes what the body names and nothing else. An element of an owned array with an id changes that record,
 * one without an id adds a record. Associations are added.
 *
 * Pure: it changes no argument and asks no database. A plan without steps means that nothing has to change.
 *
 * @throws TypeError if the model has no such resource or relation, if the record lacks a relation or field, if there is no owner
 * where there must be one, or if a fact is missing that `planLookups` asks for.
 *
 * @example
 * planPatch(resources, 'book', { record }, { chapters: [{ id: 1, title: 'Two' }, { title: 'Three' }] })
 */
export function planPatch(model: Model, key: string, state: UpdateState, body: unknown): Outcome {
  return planUpdate('patch', model, key, state, body)
}
