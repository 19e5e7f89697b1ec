import type { Action, Authorize } from 'fastify-crud'

interface User {
  readonly may: readonly Action[]
  /** What is nobody else's business: customers, their orders, contracts. */
  readonly seesPrivate: boolean
}

const anyone: User = { may: ['View'], seesPrivate: false }

/** The users of this demonstration. A real application finds its user by a session or a token, not by a name. */
export const users: ReadonlyMap<string, User> = new Map([
  ['ada', { may: ['View', 'Add', 'Edit'], seesPrivate: true }],
  ['ben', { may: ['View', 'Add', 'Edit', 'Delete'], seesPrivate: true }],
])

/** The resources that only users see. */
export const privateResources: ReadonlySet<string> = new Set(['contract', 'customer', 'order', 'line'])

/**
 * Whether the request may go on: asked by the plugin before anything is read. False is answered with 403.
 *
 * The header `x-user` says who asks; a name that nobody has may do nothing.
 */
export const authorize: Authorize = (request, { action, resource }) => {
  const name = request.headers['x-user']
  const user = name === undefined ? anyone : users.get(String(name))
  if (user === undefined) return false
  return user.may.includes(action) && (user.seesPrivate || !privateResources.has(resource))
}
