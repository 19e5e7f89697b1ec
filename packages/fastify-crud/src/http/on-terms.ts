import type { Precondition } from '@fastify-crud/core/internal'
import { withoutHidden } from '../access/without-hidden.ts'
import type { Call, Endpoint } from './call.ts'
import { NO_CONDITIONS, refusalOfWrite } from './headers/conditions.ts'
import { etagOf } from './headers/etag.ts'
import { NO_PREFERENCES } from './headers/prefer.ts'

/** A call with the terms that the request's headers set. `mustRead`: the record is read even if the client does not want it. */
export function onTerms(endpoint: Endpoint, call: Call, mustRead: boolean): Call {
  const { conditions, preferences, asked } = call
  if (conditions === NO_CONDITIONS && preferences === NO_PREFERENCES) return call
  const { returns, tx, maxAffected } = preferences
  const terms = {
    precondition: preconditionOf(endpoint, call),
    maxAffected,
    rollsBack: tx === 'rollback',
    readsBack: mustRead || returns !== 'minimal',
  }
  return { ...call, asked: { ...asked, ...terms } }
}

/** Whether a DELETE has to look at the record as the caller sees it. */
export function looksAtRecord({ conditions, preferences }: Call): boolean {
  return conditions !== NO_CONDITIONS || preferences.maxAffected !== undefined
}

function preconditionOf({ operation }: Endpoint, { conditions, query, asked, at }: Call): Precondition | undefined {
  const { ifMatch, ifNoneMatch } = conditions
  if (ifNoneMatch === undefined) {
    if (ifMatch === undefined) return undefined
    // Every record matches `*`, and where there is none, the answer is 404 anyway, unless one is created.
    if (ifMatch === '*' && operation !== 'create' && query.by === undefined) return undefined
  }
  const { hidden } = asked
  const { resource } = at.path
  return ({ exists, json }) => {
    if (json === undefined || hidden?.has(resource)) return refusalOfWrite(conditions, { exists, tag: undefined })
    const shown = hidden === undefined ? json : withoutHidden(resource, json, hidden)
    return refusalOfWrite(conditions, { exists, tag: etagOf(shown) })
  }
}
