import type { Reference } from '../../model/model.ts'
import type { UniqueChanges } from '../decide/handed-on.ts'
import { sets, type UniqueValues } from '../decide/unique-values.ts'
import { type Changes, isRemoved, type Update } from '../diff/changes.ts'
import { heldId, type MemberValues } from '../rows.ts'

/** The updates of which some values are set before records are deleted, and these values. */
export type EarlyUpdates = ReadonlyMap<Update, MemberValues>

/**
 * The updates that must precede deletes. A foreign key that cannot be null has to turn from a record that is deleted to one
 * that stays. If it is part of a unique key, the row that holds the new values has to give them up first, and so on.
 */
export function earlyUpdates(changes: Changes, { changed, handedOn }: UniqueChanges): EarlyUpdates {
  const early = new Map<Update, unknown[]>()
  const open: Update[] = []
  for (const update of changes.updates) {
    const moving = movesAway(changes, update)
    if (moving.length === 0) continue
    const part = new Array<unknown>(update.resource.members.length)
    for (const { position } of moving) part[position] = update.values[position]
    early.set(update, part)
    open.push(update)
  }
  if (open.length === 0) return early

  const byRow = new Map<string, UniqueValues[]>()
  const holders = new Map<UniqueValues, UniqueValues>(handedOn.map(({ taker, giver }) => [taker, giver]))
  for (const one of changed) {
    if (one.before === undefined) continue
    const row = `${one.resource.key} ${one.row}`
    byRow.set(row, [...(byRow.get(row) ?? []), one])
  }
  const updates = new Map(changes.updates.map((update) => [`${update.resource.key} ${update.id}`, update]))
  for (let update = open.pop(); update !== undefined; update = open.pop()) {
    const part = early.get(update) as unknown[]
    for (const one of byRow.get(`${update.resource.key} ${update.id}`) ?? []) {
      if (!sets(part, one.key)) continue
      // First all members of this key, then the row that holds the values it takes. Other keys of this row may have these
      // members, too, so the row is looked at again.
      if (addChanged(one, update, part)) open.push(update)
      const holder = holders.get(one)
      const other = holder && updates.get(`${holder.resource.key} ${holder.row}`)
      if (holder === undefined || other === undefined || other === update) continue
      const others = early.get(other) ?? new Array<unknown>(other.resource.members.length)
      early.set(other, others)
      if (addChanged(holder, other, others)) open.push(other)
    }
  }
  return early
}

/** The foreign keys that cannot be null and turn from a record that is deleted to one that stays. */
function movesAway(changes: Changes, update: Update): Reference[] {
  return update.resource.references.filter((reference) => {
    if (reference.nullable || update.values[reference.position] === undefined) return false
    return isRemoved(changes, reference.target, heldId(update.before, reference))
  })
}

/** Adds the key's values to the part. Returns whether any of them is new. */
function addChanged({ key }: UniqueValues, update: Update, part: unknown[]): boolean {
  let isMore = false
  for (const member of key.dependsOn) {
    if (member.kind === 'ownedBy' || part[member.position] === update.values[member.position]) continue
    part[member.position] = update.values[member.position]
    isMore = true
  }
  return isMore
}
