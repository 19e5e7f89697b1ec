import type { FastifyRequest } from 'fastify'
import type { AnyKysely } from 'fastify-crud'

/** Who is asking. */
export interface Caller {
  /** The name that the request says; null for a visitor. */
  readonly name: string | null
  /** The id of the customer; null for everybody else. */
  readonly customer: number | null
  readonly roles: readonly ('customer' | 'staff' | 'owner')[]
}

/** Somebody who does not say a name. */
export const visitor: Caller = { name: null, customer: null, roles: [] }

const staff: ReadonlyMap<string, Caller> = new Map([
  ['ada', { name: 'ada', customer: null, roles: ['staff'] }],
  ['ben', { name: 'ben', customer: null, roles: ['staff', 'owner'] }],
])

/**
 * The name by which a request says who asks, in the header `x-user`. This is a demonstration: a real application finds
 * its user by a session or a token, not by a name.
 */
function nameIn({ headers }: FastifyRequest): string | undefined {
  const header = headers['x-user']
  return header === undefined ? undefined : String(header)
}

/** The user of that name: somebody of the staff, or a customer by the email address. Undefined if there is none. */
export async function findCaller(db: AnyKysely, name: string | undefined): Promise<Caller | undefined> {
  if (name === undefined) return visitor
  const ofStaff = staff.get(name)
  if (ofStaff !== undefined) return ofStaff
  const found = await db.selectFrom('customer').select('id').where('email', '=', name).executeTakeFirst()
  return found && { name, customer: Number(found.id), roles: ['customer'] }
}

/** For the plugin: who asks. A name that nobody has is answered with 401. */
export function callerIn(db: AnyKysely): (request: FastifyRequest) => Promise<Caller> {
  return async (request) => {
    const caller = await findCaller(db, nameIn(request))
    if (caller === undefined)
      throw new UnknownUserError('x-user names nobody: try ada, ben, or the email of a customer')
    return caller
  }
}

class UnknownUserError extends Error {
  readonly statusCode = 401
}
