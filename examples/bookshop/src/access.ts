import type { Action, Authorize, Policies, PolicyRule } from 'fastify-crud'
import type { Caller } from './caller.ts'
import type { resources } from './resources.ts'

/** What is nobody's business but the staff's and, for their own, the customers'. */
export const privateResources: ReadonlySet<string> = new Set(['contract', 'customer', 'order', 'line', 'audit'])

const ofCustomers: ReadonlySet<string> = new Set(['customer', 'order', 'line'])

/** Whether somebody may do this kind of thing at all, to whichever record. */
export function mayDo({ roles }: Caller, action: Action, resource: string): boolean {
  // Only the rules write it.
  if (resource === 'audit' && action !== 'View') return false
  if (action === 'Delete') return roles.includes('owner')
  if (roles.includes('staff')) return true
  const isCustomer = roles.includes('customer')
  if (action === 'Edit') return isCustomer && resource === 'customer'
  if (action === 'Add') return false
  return !privateResources.has(resource) || (isCustomer && ofCustomers.has(resource))
}

/** Asked before anything is read. False is answered with 403. */
export const authorize: Authorize<string, Caller> = (_request, { action, resource, caller }) =>
  mayDo(caller, action, resource)

const isMyself: PolicyRule<typeof resources, 'customer', Caller> = ({ eb, my }) => eb('id', '=', my('customer'))

/** With which records, once `authorize` has allowed it. The database checks it; to a customer, the orders of others do not exist. */
export const policies: Policies<typeof resources, Caller> = {
  customer: { customer: { View: isMyself, Edit: isMyself }, staff: true },
  // By the column's name. The lines of an order need no policy: they are seen with their order.
  order: { customer: { View: ({ eb, my }) => eb('customer_id', '=', my('customer')) }, staff: true },
  contract: { staff: true },
  audit: { staff: true },
  book: true,
  author: true,
  publisher: true,
  series: true,
  category: true,
  tag: true,
  boxSet: true,
}
