import type { Problem } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource, UniqueKey } from '../../model/model.ts'
import type { Draft } from '../../planning/body/draft.ts'
import { pointerToId } from '../../planning/body/id-of-body.ts'
import { refuseOtherOwners } from '../../planning/body/owners-in-body.ts'
import { memberPointer, readableNames } from '../../planning/decide/unique-values.ts'
import { isRemoved, NO_POINTER } from '../../planning/diff/changes.ts'
import { type Diff, insert, newDiff, placeIsTaken, update } from '../../planning/diff/diff.ts'
import { remove } from '../../planning/diff/remove.ts'
import { requiredByOwner } from '../../planning/public/plan-delete.ts'
import type { RecordData, RecordOwner, RowId } from '../../planning/rows.ts'
import { inPortions } from '../../session/portions.ts'
import type { Dialect } from '../../sql/dialect/dialect.ts'
import { ownerInPath } from '../owner-at.ts'
import type { BulkCreate, BulkRecord } from '../write-call.ts'

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
  let required: Diff['required']
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
      required ??= owner && requiredByOwner(owner)
      return
    }
    results.push(one.id)
    if (owner !== undefined) refuseOtherOwners(owner, one.said, diff.problems)
    update(one.draft, record, owner, diff)
  }
  await inPortions(dialect, records, (some) => {
    for (const one of some) compare(one)
  })
  diff.problems.push(...namedTwice(diff, keysOf(records)))
  return { diff: { ...diff, required }, results }
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
