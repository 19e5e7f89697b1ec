import type { Problem } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { type Field, type ForeignKey, isRowMember, type Resource, type UniqueKey } from '../../model/model.ts'
import type { Draft } from '../../planning/body/draft.ts'
import { pointerToId } from '../../planning/body/id-of-body.ts'
import { refuseOtherOwners } from '../../planning/body/owners-in-body.ts'
import { noLookups } from '../../planning/decide/lookups.ts'
import { heldOf, memberPointer, readableNames, type UniqueValues } from '../../planning/decide/unique-values.ts'
import { isRemoved, NO_POINTER, remove, sameValue } from '../../planning/diff/changes.ts'
import { type Diff, insert, newDiff, placeIsTaken, updateOrMove } from '../../planning/diff/diff.ts'
import { requiredByOwner } from '../../planning/public/plan-update.ts'
import type { RecordData, RecordOwner, RowId } from '../../planning/rows.ts'
import { inPortions, type Session } from '../../session/session.ts'
import type { Dialect } from '../../sql/dialect/dialect.ts'
import type { WriteStatements } from '../../sql/write-statements.ts'
import { lookUp } from '../plan-write.ts'
import { ownerInPath } from '../vacancy.ts'
import type { BulkCreate, BulkRecord, BulkUpdate, WriteParts } from '../write-call.ts'

/** The records that a write names, as they are before it. */
export interface FoundRecords {
  readonly states: ReadonlyMap<Id, RecordData>
  /** Their owners, as far as they are known. */
  readonly owners: ReadonlyMap<Id, RecordOwner>
}

/** Compares all bodies with what is stored, in one diff, with turns of the event loop between. */
export async function compareMany(
  dialect: Dialect,
  resource: Resource,
  records: readonly BulkRecord[],
  { states, owners }: FoundRecords,
  reading: Parameters<typeof newDiff>[0],
): Promise<{ readonly diff: Diff; readonly results: readonly RowId[] }> {
  const diff = newDiff(reading)
  const results: RowId[] = []
  const places = new Set<string>()
  const compare = (one: BulkRecord): void => {
    if (one.operation === 'create') {
      results.push(insertOne(one, diff, places))
      return
    }
    const record = states.get(one.id) as RecordData
    const owner = owners.get(one.id)
    if (one.operation === 'delete') {
      remove(resource, record, 'addressed', NO_POINTER, diff.changes)
      diff.required ??= owner && requiredByOwner(owner)
      return
    }
    results.push(one.id)
    if (owner !== undefined) refuseOtherOwners(owner, one.said, diff.problems)
    updateOrMove(one.draft, record, owner, diff)
  }
  await inPortions(dialect, records, (some) => {
    for (const one of some) compare(one)
  })
  diff.problems.push(...namedTwice(diff, keysOf(records)))
  return { diff, results }
}

/** `places`: those of one record that new records of the request take. */
function insertOne({ at, draft }: BulkCreate, diff: Diff, places: Set<string>): RowId {
  const owner = ownerInPath(at)
  const { inserts } = diff.changes
  if (owner !== undefined && !owner.by.inverse.many) {
    const place = JSON.stringify([owner.by.name, owner.id])
    if (places.has(place)) diff.taken.push(placeIsTaken(owner.by.inverse, draft.pointer))
    places.add(place)
  }
  const row = insert(draft, owner, diff)
  return inserts[row.new]?.id ?? row
}

/** The keys by which records were found, by the drafts of their bodies. */
function keysOf(records: readonly BulkRecord[]): ReadonlyMap<Draft, UniqueKey> {
  const keys = new Map<Draft, UniqueKey>()
  for (const one of records) if ('by' in one && one.by !== undefined) keys.set(one.draft, one.by)
  return keys
}

/** A body says once what is to become of a record, be it of its own or in what another one owns. */
function namedTwice({ listed, changes }: Diff, keys: ReadonlyMap<Draft, UniqueKey>): readonly Problem[] {
  const problems: Problem[] = []
  const known = new Map<Resource, Set<Id>>()
  for (const { id, draft } of listed) {
    const { resource } = draft
    const ids = known.get(resource) ?? new Set()
    if (ids.has(id) || isRemoved(changes, resource, id)) problems.push(namesAgain(draft, id, keys.get(draft)))
    known.set(resource, ids.add(id))
  }
  return problems
}

/** `by`: the key by which the record was found, if it was. */
function namesAgain({ resource, pointer, body, values, reading }: Draft, id: Id, by: UniqueKey | undefined): Problem {
  const keyword = 'uniqueItems'
  if (by === undefined || body.id !== undefined) {
    return {
      pointer: pointerToId(resource, body, pointer),
      message: `${JSON.stringify(id)} occurs twice in this body`,
      keyword,
    }
  }
  const names = readableNames(by, reading.fieldRights).join(', ')
  const message = `another ${resource.key} of this body is the record with this ${names}`
  return { pointer: memberPointer(by, pointer, values, reading.fieldRights), message, keyword }
}

/** Another record has the values of a key than the one that was found by them. */
export class HolderChangedError extends Error {
  override readonly name = 'HolderChangedError'
}

/**
 * Between the look for records by a key and their lock, others may have given the values to other records: throws a
 * {@link HolderChangedError}. The database has the last word where a record has other values than its body, as it may
 * take several spellings for the same value.
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
  const asked = heldOf(by, (member: Field | ForeignKey) => {
    const said = isRowMember(member) ? values[member.position] : undefined
    return said ?? (member.kind === 'ownedBy' ? ownerOf(member) : record[member.property])
  })
  if (sameValue(held, asked)) return undefined
  return { resource, key: by, row: { new: index }, values: asked, pointer, before: undefined }
}
