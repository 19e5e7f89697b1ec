import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../call.ts'

/** Whether all requests for an endpoint are about many records. */
export function isForMany({ operation, suffix }: Endpoint): boolean {
  return suffix === '' && (operation === 'patch' || operation === 'delete')
}

/** Whether a request is about as many records as its body or a filter names, or about one that its unique values name. */
export function isOfMany(endpoint: Endpoint, { body, query }: FastifyRequest): boolean {
  const { operation, suffix } = endpoint
  if (isForMany(endpoint)) return true
  if (suffix !== '') return false
  switch (operation) {
    case 'create':
      return Array.isArray(body)
    case 'replace':
      return Array.isArray(body) || Object.hasOwn(query as object, 'by')
    default:
      return false
  }
}
