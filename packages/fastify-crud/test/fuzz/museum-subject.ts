import type { CrudOptions } from 'fastify-crud'
import type { Action } from '../../src/access/authorize.ts'
import type { ReplacedEndpoint } from '../../src/http/replaced-endpoint.ts'
import { museum } from '../contract/models/museum.ts'
import { furnishMuseum } from './furnish-museum.ts'
import type { FuzzSubject } from './fuzz-service.ts'
import { museumCallers } from './museum-callers.ts'

/** An endpoint of the application's own that answers as the predefined one does. */
function passingOn(action: Action): ReplacedEndpoint {
  return { access: { action, id: 'id' }, handler: async (_request, _reply, next) => void (await next()) }
}

const options: Partial<CrudOptions> = {
  handlers: {
    item: { findOne: passingOn('View'), replace: passingOn('Edit') },
    part: { patch: passingOn('Edit'), delete: passingOn('Delete') },
  },
  // Now and then, what a record holds is too large for an answer.
  limits: { maxAnswer: 20_000 },
}

export const museumSubject: FuzzSubject = {
  resources: museum,
  callers: museumCallers,
  options,
  rowRules: {},
  furnish: furnishMuseum,
}
