import type { Id } from '../../model/ids/id-kind.ts'
import type { Field, ForeignKey } from '../../model/model.ts'
import { noLookups } from '../../planning/decide/lookups.ts'
import { heldOf, type UniqueValues } from '../../planning/decide/unique-values.ts'
import { sameValue } from '../../planning/diff/same-value.ts'
import type { RecordData, RecordOwner } from '../../planning/rows.ts'
import { inPortions } from '../../session/portions.ts'
import type { Session } from '../../session/session.ts'
import type { WriteStatements } from '../../sql/write-statements.ts'
import { lookUp } from '../plan-write.ts'
import type { BulkUpdate, WriteParts } from '../write-call.ts'
import type { FoundRecords } from './compare-many.ts'

/** Another record has the values of a key than the one that was found by them. */
export class HolderChangedError extends Error {
  override readonly name = 'HolderChangedError'
}

/**
 * Between the look for records by a key and their lock, others may have given the values to other records: throws a {@link HolderChangedError}.
 * The database has the last word where a record has other values than its body, as it may take several spellings for the same value.
 */
export async function checkHolders(
  { context, statements }: WriteParts,
  session: Session,
  updates: readonly BulkUpdate[],
  { states, owners }: FoundRecords,
): Promise<void> {
  await inPortions(context.dialect, updates, async (some) => checkSome(statements, session, some, { states, owners }))
}

async function checkSome(
  statements: WriteStatements,
  session: Session,
  updates: readonly BulkUpdate[],
  { states, owners }: FoundRecords,
): Promise<void> {
  const ids: Id[] = []
  const values: UniqueValues[] = []
  for (const one of updates) {
    const asked = valuesInDoubt(one, states.get(one.id) as RecordData, owners.get(one.id), ids.length)
    if (asked === undefined) continue
    ids.push(one.id)
    values.push(asked)
  }
  const [first] = values
  if (first === undefined) return
  const { resource, key } = first
  const { holders } = await lookUp(statements, session, { ...noLookups, holders: [{ resource, key, values }] })
  const held = holders.get(key)
  if (ids.some((id, index) => held?.get(index) !== id))
    throw new HolderChangedError('another record has the values by now')
}

/** The values by which a body names its record, unless the record is seen to have them. */
function valuesInDoubt(
  { by, draft: { resource, pointer, values } }: BulkUpdate,
  record: RecordData,
  owner: RecordOwner | undefined,
  index: number,
): UniqueValues | undefined {
  if (by === undefined) return undefined
  const ownerOf = (member: ForeignKey) => (owner?.by.name === member.name ? owner.id : null)
  const held = heldOf(by, (member) => (member.kind === 'ownedBy' ? ownerOf(member) : record[member.property]))
  const asked = heldOf(by, (member: Field | ForeignKey) =>
    member.kind === 'ownedBy' ? ownerOf(member) : (values[member.position] ?? record[member.property]),
  )
  if (sameValue(held, asked)) return undefined
  return { resource, key: by, row: { new: index }, values: asked, pointer, before: undefined }
}
