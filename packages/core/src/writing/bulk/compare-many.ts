import type { Problem } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Field, ForeignKey, Resource } from '../../model/model.ts'
import { pointerToId } from '../../planning/body/id-of-body.ts'
import { refuseOtherOwners } from '../../planning/body/owners-in-body.ts'
import { heldOf } from '../../planning/decide/unique-values.ts'
import { isRemoved, NO_POINTER } from '../../planning/diff/changes.ts'
import { type Diff, insert, newDiff, placeIsTaken, update } from '../../planning/diff/diff.ts'
import { remove } from '../../planning/diff/remove.ts'
import { sameValue } from '../../planning/diff/same-value.ts'
import { requiredByOwner } from '../../planning/public/plan-delete.ts'
import type { RecordData, RecordOwner, RowId } from '../../planning/rows.ts'
import { ownerInPath } from '../owner-at.ts'
import type { BulkCreate, BulkRecord, BulkUpdate } from '../write-call.ts'

/** The records that a write names, as they are before it. */
export interface FoundRecords {
  readonly states: ReadonlyMap<Id, RecordData>
  /** Their owners, as far as they are known. */
  readonly owners: ReadonlyMap<Id, RecordOwner>
}

/** Another record has the values of a key than the one that was found by them. */
export class HolderChangedError extends Error {
  override readonly name = 'HolderChangedError'
}

/** Compares all bodies with what is stored, in one diff. Throws a {@link HolderChangedError}. */
export function compareMany(
  resource: Resource,
  records: readonly BulkRecord[],
  { states, owners }: FoundRecords,
  reading: Parameters<typeof newDiff>[0],
): { readonly diff: Diff; readonly results: readonly RowId[] } {
  const diff = newDiff(reading)
  const results: RowId[] = []
  let required: Diff['required']
  for (const one of records) {
    if (one.operation === 'create') {
      results.push(insertOne(one, diff))
      continue
    }
    const record = states.get(one.id) as RecordData
    const owner = owners.get(one.id)
    if (one.operation === 'delete') {
      remove(resource, record, 'addressed', NO_POINTER, diff.changes)
      required ??= owner && requiredByOwner(owner)
      continue
    }
    results.push(one.id)
    checkHolder(one, record, owner)
    if (owner !== undefined) refuseOtherOwners(owner, one.said, diff.problems)
    update(one.draft, record, owner, diff)
  }
  diff.problems.push(...namedTwice(diff))
  return { diff: { ...diff, required }, results }
}

function insertOne({ at, draft }: BulkCreate, diff: Diff): RowId {
  const owner = ownerInPath(at)
  const { inserts } = diff.changes
  if (owner !== undefined && !owner.by.inverse.many) {
    const isTwice = inserts.some((other) => other.owner?.by === owner.by && other.owner.id === owner.id)
    if (isTwice) diff.taken.push(placeIsTaken(owner.by.inverse, draft.pointer))
  }
  const row = insert(draft, owner, diff)
  return inserts[row.new]?.id ?? row
}

/** Between the look for a record by its key and its lock, others may have given the values to another one. */
function checkHolder({ by, draft: { values } }: BulkUpdate, record: RecordData, owner: RecordOwner | undefined): void {
  if (by === undefined) return
  const ownerOf = (member: ForeignKey) => (owner?.by.name === member.name ? owner.id : null)
  const held = heldOf(by, (member) => (member.kind === 'ownedBy' ? ownerOf(member) : record[member.property]))
  const asked = heldOf(by, (member: Field | ForeignKey) =>
    member.kind === 'ownedBy' ? ownerOf(member) : (values[member.position] ?? record[member.property]),
  )
  if (!sameValue(held, asked)) throw new HolderChangedError('another record has the values by now')
}

/** A body says once what is to become of a record, be it of its own or in what another one owns. */
function namedTwice({ listed, changes }: Diff): readonly Problem[] {
  const problems: Problem[] = []
  const known = new Map<Resource, Set<Id>>()
  for (const { id, draft } of listed) {
    const { resource, pointer, body } = draft
    const ids = known.get(resource) ?? new Set()
    if (ids.has(id) || isRemoved(changes, resource, id)) {
      const message = `${JSON.stringify(id)} occurs twice in this body`
      problems.push({ pointer: pointerToId(resource, body, pointer), message, keyword: 'uniqueItems' })
    }
    known.set(resource, ids.add(id))
  }
  return problems
}
