import { databaseErrorKind } from '../../connection/database-errors.ts'
import { forbidden, type Refusal } from '../../errors.ts'
import { tenantIn } from '../../model/any-tenant.ts'
import { noLookups } from '../../plan/decide/lookups.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** Why a write is refused whose tenant does not exist; undefined if it does, or the error is not about what rows name. */
export async function refusalOfTenant(
  { context: { tenants, reach }, statements, sessions }: WriteParts,
  { requestContext }: WriteCall,
  error: unknown,
): Promise<Refusal | undefined> {
  const tenant = tenantIn(requestContext)
  if (tenants === undefined || reach !== 'one tenant' || tenant === null || databaseErrorKind(error) !== 'foreignKey') {
    return undefined
  }
  const given = new Map([[tenants.of, new Set([tenant])]])
  const { query, values, toFacts } = statements.lookup({ ...noLookups, given })
  const found = toFacts((await sessions.value<string>(query, values, requestContext)) as string)
  if (found.given.get(tenants.of)?.has(tenant)) return undefined
  return forbidden(`there is no ${tenants.of.key} ${tenant}`, [])
}
