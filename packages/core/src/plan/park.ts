import type { Field, UniqueKey } from '../model/model.ts'
import type { Changes, Update } from './changes.ts'
import type { UpdatedRow } from './plan.ts'
import { changedUniqueValues, fingerprint, type UniqueValues } from './unique-values.ts'

/**
 * The rows that have to give up a unique value before another row of the same write can take it, with values that
 * hold their place meanwhile. A database checks a unique key row by row: where two rows swap their values, or
 * three rotate theirs, one of them is always in the way.
 */
export function parkedRows(changes: Changes): ReadonlyMap<Update, UpdatedRow> {
  const parked = new Map<Update, UpdatedRow>()
  if (changes.updates.length === 0) return parked
  const changed = changedUniqueValues(changes)
  const wanted = new Map<UniqueKey, Set<string>>()
  for (const { key, values } of changed) {
    const known = wanted.get(key) ?? new Set()
    wanted.set(key, known.add(fingerprint(values)))
  }
  const updates = new Map<unknown, Update>()
  for (const update of changes.updates) updates.set(`${update.resource.key} ${update.id}`, update)
  for (const one of changed) {
    if (one.before === undefined || !wanted.get(one.key)?.has(fingerprint(one.before))) continue
    const update = updates.get(`${one.resource.key} ${one.row}`)
    const place = update && placeholder(one, update)
    if (update === undefined || place === undefined) continue
    const values = { ...parked.get(update)?.values, ...place }
    parked.set(update, { id: update.id, values, pointer: update.pointer })
  }
  return parked
}

/** A value for one member of the key that no other row has: null where it may be, else something out of the way. */
function placeholder({ key }: UniqueValues, update: Update): Record<string, unknown> | undefined {
  const own = key.members.filter((member) => member.kind !== 'ownedBy')
  const changing = own.filter((member) => update.values.has(member))
  for (const member of changing) {
    if (member.kind === 'field' ? member.nullable : !member.needs) {
      return { [member.kind === 'field' ? member.name : member.foreignKey]: null }
    }
  }
  for (const member of changing) {
    if (member.kind !== 'field') continue
    const value = outOfTheWay(member, update.id)
    if (value !== undefined) return { [member.name]: value }
  }
  return undefined
}

function outOfTheWay(field: Field, id: number): unknown {
  switch (field.storage) {
    case 'string':
      return `\u007f${id}`
    case 'integer':
    case 'number':
      return id - Number.MAX_SAFE_INTEGER
    case 'date':
      return new Date(Date.UTC(9999, 11, 31) - (id % 2_000_000) * 86_400_000).toISOString().slice(0, 10)
    case 'boolean':
    case 'json':
      return undefined
  }
}
