import { forbidden, type Refusal } from '../errors.ts'
import { tenantIn } from '../model/callers.ts'
import { databaseErrorKind } from '../session/database-errors.ts'
import { lookUpOutside } from './plan-write.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** Why a write is refused whose tenant does not exist; undefined if it does, or the error is not about what rows
 * name. */
export async function refusalOfTenant(
  parts: WriteParts,
  { requestContext }: WriteCall,
  error: unknown,
): Promise<Refusal | undefined> {
  const { tenants, reach } = parts.context
  const tenant = tenantIn(requestContext)
  if (tenants === undefined || reach !== 'one tenant' || tenant === null || databaseErrorKind(error) !== 'foreignKey') {
    return undefined
  }
  const given = new Map([[tenants.of, new Set([tenant])]])
  const found = await lookUpOutside(parts, { given }, requestContext)
  if (found.given.get(tenants.of)?.has(tenant)) return undefined
  return forbidden(`there is no ${tenants.of.key} ${tenant}`, [])
}
