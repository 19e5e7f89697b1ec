import { type DataClient, isOffered } from '@fastify-crud/client/internal'

/** What react-admin asks before it shows a button, a page or a field. */
export interface OfferQuestion {
  /** Such as `list`, `edit`, or the name of an action of the application. */
  readonly action: string
  /** The key of a resource, or that of a field of it: `book.title`. */
  readonly resource: string
}

const OPERATIONS: Readonly<Record<string, string>> = {
  list: 'list',
  export: 'list',
  show: 'findOne',
  create: 'create',
  clone: 'create',
  edit: 'patch',
  delete: 'delete',
}

/**
 * Says what a caller may be offered, by `$model`: for `canAccess` of an auth provider. What is offered may still be
 * refused, as each request is asked for its record.
 *
 * @example
 * const canAccess = reactAdminAccess(api) // a method of an auth provider
 * const isOffered = await canAccess({ action: 'delete', resource: 'book' })
 */
export function reactAdminAccess(api: DataClient): (question: OfferQuestion) => Promise<boolean> {
  return async ({ action, resource: asked }) => {
    const model = await api.model()
    const [key = '', ...path] = asked.split('.')
    if (path.length === 0) return isOffered(model, key, OPERATIONS[action] ?? action)
    const { fields = {}, relations = {} } = model.resources[key] ?? {}
    const [name = ''] = path
    if (Object.hasOwn(relations, name)) return action !== 'write' || relations[name]?.readOnly !== true
    return Object.hasOwn(fields, name) && (action !== 'write' || fields[name]?.readOnly !== true)
  }
}
