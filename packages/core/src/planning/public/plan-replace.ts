import type { Model } from '../../model/model.ts'
import type { Outcome } from './outcome.ts'
import { planUpdate, type UpdateState } from './plan-update.ts'

/**
 * Plans a PUT: the record becomes what the body says, at every depth of what it owns. Fields that the body leaves out
 * become their default or null, children that it does not list are removed, the associations become the listed ones.
 *
 * Pure: it changes no argument and asks no database. A plan without steps means that nothing has to change.
 *
 * @throws TypeError if the model has no such resource or relation, if the record lacks a relation or field, if there is no owner
 * where there must be one, or if a fact is missing that `planLookups` asks for.
 *
 * @example
 * planReplace(resources, 'book', { record }, { ...record, title: 'Plans, second edition' })
 */
export function planReplace(model: Model, key: string, state: UpdateState, body: unknown): Outcome {
  return planUpdate('replace', model, key, state, body)
}
