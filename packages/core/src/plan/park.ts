import type { Field, UniqueKey } from '../model/model.ts'
import type { Changes, Update } from './changes.ts'
import type { UpdatedRow } from './plan.ts'
import { changedUniqueValues, fingerprint } from './unique-values.ts'

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
  for (const { key, values, before } of changed) {
    // What a new row takes is free by then: rows are inserted last.
    if (before === undefined) continue
    const known = wanted.get(key) ?? new Set()
    wanted.set(key, known.add(fingerprint(values)))
  }
  const numbers = new Map(changes.updates.map((update, number) => [`${update.resource.key} ${update.id}`, number]))
  for (const { resource, key, row, before } of changed) {
    if (before === undefined || !wanted.get(key)?.has(fingerprint(before))) continue
    const number = numbers.get(`${resource.key} ${row}`) as number
    const update = changes.updates[number] as Update
    const place = placeholder(key, update, number)
    if (place === undefined) continue
    const values = { ...parked.get(update)?.values, ...place }
    parked.set(update, { id: update.id, values, pointer: update.pointer })
  }
  return parked
}

/** A value for one member of the key that no other row has: null where it may be, else something out of the way. */
function placeholder(key: UniqueKey, update: Update, number: number): Record<string, unknown> | undefined {
  const own = key.members.filter((member) => member.kind !== 'ownedBy')
  const changing = own.filter((member) => update.values.has(member))
  for (const member of changing) {
    if (member.kind === 'field' ? member.nullable : !member.needs) {
      return { [member.kind === 'field' ? member.name : member.foreignKey]: null }
    }
  }
  for (const member of changing) {
    if (member.kind !== 'field') continue
    const value = outOfTheWay(member, number)
    if (value !== undefined) return { [member.name]: value }
  }
  return undefined
}

/** The lowest integer of four bytes, which most columns for numbers can hold. */
const LOWEST = -(2 ** 31)
const LAST_DAY = Date.UTC(9999, 11, 31)
const DAY_MS = 86_400_000

/** One of a series of values, by its number, that are hardly in use. */
function outOfTheWay(field: Field, number: number): unknown {
  switch (field.storage) {
    case 'string':
      return `\u007f${number}`
    case 'integer':
    case 'number':
      return LOWEST + number
    case 'date':
      return new Date(LAST_DAY - number * DAY_MS).toISOString().slice(0, 10)
    case 'boolean':
    case 'json':
      return undefined
  }
}
