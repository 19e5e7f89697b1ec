import type { Model } from '@fastify-crud/core'
import type { Operation } from '@fastify-crud/core/internal'
import { ACTIONS } from './authorize.ts'
import { isSingle } from './is-single.ts'
import type { Handlers, ReplacedEndpoint } from './replaced-endpoint.ts'

const OPERATIONS: readonly Operation[] = ['list', 'findOne', 'create', 'replace', 'patch', 'delete']

/** Throws a TypeError for a handler that would replace nothing, or that does not say who may call it. */
export function checkHandlers(handlers: Handlers, model: Model): void {
  for (const [key, operations] of Object.entries(handlers)) {
    if (!model.resources.has(key)) {
      throw new TypeError(`handlers.${key}: no resource '${key}'; there are ${[...model.resources.keys()].join(', ')}`)
    }
    for (const [operation, endpoint] of Object.entries(operations ?? {})) {
      const name = `handlers.${key}.${operation}`
      if (!OPERATIONS.includes(operation as Operation)) {
        throw new TypeError(`${name}: no operation '${operation}'; there are ${OPERATIONS.join(', ')}`)
      }
      checkEndpoint(name, operation as Operation, endpoint)
    }
  }
}

function checkEndpoint(name: string, operation: Operation, endpoint: ReplacedEndpoint | undefined): void {
  if (typeof endpoint?.handler !== 'function') throw new TypeError(`${name}.handler: must be a function`)
  const { access } = endpoint
  if (typeof access !== 'object' || access === null) {
    throw new TypeError(`${name}.access: a replaced endpoint declares its access, such as { action: 'View' }`)
  }
  if (!ACTIONS.includes(access.action))
    throw new TypeError(`${name}.access.action: must be one of ${ACTIONS.join(', ')}`)
  if (isSingle(operation) && typeof access.id !== 'string') {
    throw new TypeError(`${name}.access.id: must name the path parameter that holds the record's id, such as 'id'`)
  }
}
