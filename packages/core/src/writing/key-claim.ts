import { tenantIn } from '../model/any-tenant.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { databaseErrorKind, isUnknownTable } from '../session/database-errors.ts'
import { pipeline, type Session } from '../session/session.ts'
import { causeOf } from '../session/statement-error.ts'
import { NO_TENANT, ownTableMissing, REPEATS_TABLE } from '../sql/text/own-tables.ts'
import { mayRunRules } from './checks/may-run-rules.ts'
import type { BulkCall, SingleCall, WriteCall, WriteParts, Written } from './write-call.ts'
import type { Repeat } from './write-terms.ts'

/** Another request with the key of this one is done. */
export class KeyUsedError extends Error {
  override readonly name = 'KeyUsedError'
}

/** What the row of a request is found by. */
export function rowOf({ key }: Repeat, requestContext: unknown): { readonly tenant: string; readonly key: string } {
  const tenant = tenantIn(requestContext)
  return { tenant: tenant === null ? NO_TENANT : String(tenant), key }
}

/**
 * Does the work of a write behind the statement that claims the key of its request: in the same message if the session pipelines. So a repeat that
 * comes in the meantime waits for this one. Fails with a {@link KeyUsedError}, whatever the work says, if the key was used before.
 */
export async function behindClaim<Result>(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const { repeat, at } = call
  if (repeat === undefined) return await work()
  const claim = () => claimKey(parts, session, call, repeat)
  if (call.operation === 'bulk' || (call.operation === 'create' && mayRunRules(parts, at))) {
    // A new record may need no reading, and then its rules would run before it is known whether the request is a repeat. Many records are
    // locked and read in several messages anyway.
    await claim()
    return await work()
  }
  const [, result] = await pipeline(session, claim, work)
  return result
}

async function claimKey(parts: WriteParts, session: Session, call: WriteCall, repeat: Repeat): Promise<void> {
  const { body, status } = repeat
  const row = {
    ...rowOf(repeat, call.requestContext),
    body,
    status,
    resource: call.at.path.resource.key,
    ids: idsText(claimedId(call)),
    count: null,
    at: call.now.getTime(),
  }
  try {
    await session.rows(parts.statements.repeats().claim, row)
  } catch (error) {
    const cause = causeOf(error)
    if (databaseErrorKind(cause) === 'unique')
      throw new KeyUsedError('another request had the same key', { cause: error })
    throw isUnknownTable(cause, REPEATS_TABLE) ? new Error(ownTableMissing(REPEATS_TABLE), { cause: error }) : error
  }
}

/** Notes what a request about many records has written: the records, or how many there were. */
export async function noteMany(
  { statements }: WriteParts,
  session: Session,
  { repeat, requestContext, stillMeant }: BulkCall,
  { ids, count }: NonNullable<Written['many']>,
): Promise<void> {
  if (repeat === undefined) return
  const isByFilter = stillMeant !== undefined
  const noted = isByFilter ? { ids: null, count } : { ids: JSON.stringify(ids.map(String)), count: null }
  await session.rows(statements.repeats().note, { ...rowOf(repeat, requestContext), ...noted })
}

/** Notes the record that a request with a key has written, where its claim did not know it. Undefined: the transaction keeps the id. */
export async function noteResult(
  { statements }: WriteParts,
  session: Session,
  call: SingleCall,
  id: Id | undefined,
): Promise<void> {
  const { repeat } = call
  if (repeat === undefined) return
  const row = rowOf(repeat, call.requestContext)
  if (id === undefined) {
    const noted = statements.pipelined?.noteKept(call.at.path.resource)
    if (noted !== undefined) await session.rows(noted, row)
  } else if (id !== claimedId(call))
    await session.rows(statements.repeats().note, { ...row, ids: idsText(id), count: null })
}

/** The id of the record, as far as it is known before the write. */
function claimedId(call: WriteCall): Id | undefined {
  if (call.operation !== 'create') return call.id
  const isWhole = call.at.path.resource.idMembers.length === 0
  return call.chosenId ?? (isWhole ? call.draft.id : undefined)
}

function idsText(id: Id | undefined): string | null {
  return id === undefined ? null : JSON.stringify([String(id)])
}
