import { type CallerRights, FIELDS_OF_SOME, type FieldRights, type Resource } from '@fastify-crud/core/internal'
import type { Action } from '../access/authorize.ts'
import type { RecordsReach } from '../access/who-asks.ts'

/** What a description of a model shows. */
export interface Sight {
  readonly fields: FieldRights
  /** Whether there may be records of the resource for the caller to see. */
  sees(resource: Resource): boolean
  /** Whether the caller knows of the resource. */
  knows(resource: Resource): boolean
  /** Whether a request may be offered that asks for all of these actions. */
  offers(resource: Resource, actions: readonly Action[]): boolean
}

/** Of the whole model: what some caller may see and do. */
export const WHOLE: Sight = {
  fields: FIELDS_OF_SOME,
  sees: () => true,
  knows: () => true,
  offers: () => true,
}

/** What rights alone leave a caller of the model. */
export function sightOf({ fields, forbids }: CallerRights, reach: RecordsReach): Sight {
  return {
    fields,
    sees: (resource) => !forbids(resource, 'View'),
    // Whoever may add records that it will not see has to know what they are.
    knows: (resource) => !forbids(resource, 'View') || !forbids(resource, 'Add'),
    offers(resource, actions) {
      return reach.of(resource) && actions.every((action) => !forbids(resource, action))
    },
  }
}
