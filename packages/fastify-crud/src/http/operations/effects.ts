import type { Effects } from '@fastify-crud/core'
import { effectsWithout, type Mount, type Resource } from '@fastify-crud/core/internal'
import { EFFECTS_MEDIA_TYPE } from '@fastify-crud/openapi'
import type { FastifyReply } from 'fastify'
import { hiddenResources } from '../../access/hidden-resources.ts'
import type { Service } from '../../service.ts'
import { type Answer, effectsIn } from '../answer.ts'
import type { Call } from './operation.ts'

/** What the effects of a route's writes show. */
interface EffectsOfRoute {
  /**
   * Asks what the request may see, before anything is written. Resolves to a function that leaves the rest out of an
   * answer's effects.
   */
  shownTo(call: Call): Promise<(answer: Answer) => Answer>
}

/** `touched`: the resources whose records such a write may change. Of others, which rules write, `authorize` is not
 * asked, and nothing is shown. */
export function effectsOfRoute(service: Service, mount: Mount, touched: readonly Resource[]): EffectsOfRoute {
  const { model } = service.stores
  const findHidden = hiddenResources(service, mount.path, touched)
  const asked = new Set(touched)
  return {
    async shownTo(call) {
      if (findHidden === undefined) return unchanged
      const hidden = await findHidden(call, call.at, undefined)
      const isHidden = (resource: Resource) => !asked.has(resource) || hidden?.has(resource) === true
      return (answer) => {
        const effects = effectsIn(answer)
        if (effects === undefined || typeof answer !== 'object') return answer
        return { ...answer, effects: effectsWithout(model, effects, isHidden) }
      }
    },
  }
}

const unchanged = (answer: Answer): Answer => answer

export function sendEffects(reply: FastifyReply, status: number, effects: Effects): FastifyReply {
  return reply.code(status).header('content-type', EFFECTS_MEDIA_TYPE).send(JSON.stringify(effects))
}
