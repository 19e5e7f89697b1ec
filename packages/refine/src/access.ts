import { type DataClient, isOffered } from '@fastify-crud/client/internal'
import type { AccessControlProvider } from '@refinedev/core'

const OPERATIONS: Readonly<Record<string, string>> = {
  list: 'list',
  show: 'findOne',
  create: 'create',
  clone: 'create',
  edit: 'patch',
  delete: 'delete',
}

/**
 * What a caller may be offered, by `$model`, as an access control provider: also actions of the application, and fields
 * (`action: 'field'`, with the name in `params.field`). What is offered may still be refused, as each request is asked
 * for its record.
 *
 * @example
 * const accessControlProvider = refineAccess(api)
 * const { can } = await accessControlProvider.can({ resource: 'book', action: 'delete' })
 */
export function refineAccess(api: DataClient): AccessControlProvider {
  return {
    async can({ resource: key, action, params }) {
      // A page that is no resource is the application's own.
      if (key === undefined) return { can: true }
      const model = await api.model()
      if (action !== 'field') return answer(isOffered(model, key, OPERATIONS[action] ?? action), key)
      const { fields = {}, relations = {} } = model.resources[key] ?? {}
      const field = String(params?.field)
      return answer(Object.hasOwn(fields, field) || Object.hasOwn(relations, field), `${key}.${field}`)
    },
  }
}

function answer(can: boolean, what: string): { can: boolean; reason?: string } {
  return can ? { can } : { can, reason: `the service does not offer you this of '${what}'` }
}
