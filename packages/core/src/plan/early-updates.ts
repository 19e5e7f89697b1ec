import type { Field, Reference } from '../model/model.ts'
import { type Changes, isRemoved, type Update } from './changes.ts'
import { fingerprint, type UniqueValues } from './unique-values.ts'

/** Some of the values that an update sets. */
export type UpdatePart = ReadonlyMap<Update, ReadonlySet<Field | Reference>>

/**
 * What has to be updated before records can go: foreign keys of needs that turn from a record which goes to one that
 * stays, and the unique values that such a foreign key takes over, as far as that goes.
 */
export function earlyUpdates(changes: Changes, changed: readonly UniqueValues[]): UpdatePart {
  const early = new Map<Update, Set<Field | Reference>>()
  if (changes.removed.size === 0) return early
  const open: Update[] = []
  for (const update of changes.updates) {
    const moving = movesAway(changes, update)
    if (moving.length === 0) continue
    early.set(update, new Set(moving))
    open.push(update)
  }
  if (open.length === 0) return early

  const byRow = new Map<string, UniqueValues[]>()
  const holders = new Map<string, UniqueValues>()
  for (const one of changed) {
    if (one.before === undefined) continue
    const row = `${one.resource.key} ${one.row}`
    byRow.set(row, [...(byRow.get(row) ?? []), one])
    holders.set(held(one, one.before), one)
  }
  const updates = new Map(changes.updates.map((update) => [`${update.resource.key} ${update.id}`, update]))
  for (let update = open.pop(); update !== undefined; update = open.pop()) {
    const members = early.get(update) as Set<Field | Reference>
    for (const one of byRow.get(`${update.resource.key} ${update.id}`) ?? []) {
      if (!one.key.members.some((member) => member.kind !== 'ownedBy' && members.has(member))) continue
      // The whole key, so that it is settled; then whoever has the values that it takes.
      addChanged(one, update, members)
      const holder = holders.get(held(one, one.values))
      const other = holder && updates.get(`${holder.resource.key} ${holder.row}`)
      if (holder === undefined || other === undefined || other === update) continue
      const others = early.get(other) ?? new Set()
      const before = others.size
      addChanged(holder, other, others)
      early.set(other, others)
      if (others.size > before) open.push(other)
    }
  }
  return early
}

/** The foreign keys of needs that turn from a record which goes to one that stays. */
function movesAway(changes: Changes, update: Update): Reference[] {
  return update.resource.references.filter((reference) => {
    if (!reference.needs || !update.values.has(reference)) return false
    return isRemoved(changes, reference.target, update.before[reference.foreignKey] as number)
  })
}

function addChanged({ key }: UniqueValues, update: Update, members: Set<Field | Reference>): void {
  for (const member of key.members) if (member.kind !== 'ownedBy' && update.values.has(member)) members.add(member)
}

function held({ resource, key }: UniqueValues, values: readonly unknown[]): string {
  return `${resource.key} ${resource.uniques.indexOf(key)} ${fingerprint(values)}`
}
