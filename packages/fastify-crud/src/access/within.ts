import type { Operation, Resource } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import type { AccessMemory } from './access.ts'
import { checkAsker, type Requester } from './who-asks.ts'

/** The batch that a request is a part of. */
export interface Within {
  /** That of the batch: it is what the application is told of. */
  readonly request: FastifyRequest
  /** With the stores of the batch's transaction; before it, with those outside. */
  readonly asking: Requester
  readonly memory: AccessMemory
  /** Nothing is asked and nothing is looked up: only what the request itself tells is looked at. */
  readonly isCheck: boolean
  /** Is told what the effects of the batch show of this request's; undefined: nobody asks for them. */
  readonly noteSight: ((sight: EffectsSight) => void) | undefined
}

/** What a caller may be told of what a request does. */
export interface EffectsSight {
  /** The resources whose records it may change. */
  readonly touched: ReadonlySet<Resource>
  readonly hidden: ReadonlySet<Resource> | undefined
}

/** Who asks, of a request within a batch: that is known already. */
export function askedWithin(service: Service, resource: Resource, operation: Operation): (within: Within) => Requester {
  const check = checkAsker(service, resource, operation)
  return ({ asking, isCheck }) => {
    if (!isCheck) check(asking)
    return asking
  }
}
