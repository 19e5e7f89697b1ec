import type { Model } from '../model/model.ts'
import type { Outcome } from './decide/outcome.ts'
import { planUpdate, type UpdateState } from './plan-update.ts'

/**
 * Plans a PATCH: what the body names changes, nothing else. Elements of an owned array with an id are changed by what
 * they carry, those without are added; associations are added.
 *
 * Pure: the arguments are not changed, no database is asked. A plan without steps means that nothing has to change.
 *
 * @throws TypeError if the model has no such resource.
 *
 * @example
 * planPatch(resources, 'book', { record }, { chapters: [{ id: 1, title: 'Two' }, { title: 'Three' }] })
 */
export function planPatch(model: Model, key: string, state: UpdateState, body: unknown): Outcome {
  return planUpdate('patch', model, key, state, body)
}
