import type { Field, Member, UniqueKey } from '../../model/model.ts'
import type { Update } from '../diff/changes.ts'

/**
 * A temporary value for one member of the key that no other row has: null if allowed, else an unusual value. Undefined if
 * no member can have one. `number` makes the values of one write different.
 */
export function placeholder(
  key: UniqueKey,
  update: Update,
  number: number,
): { readonly member: Member; readonly value: unknown } | undefined {
  const own = key.members.filter((member) => member.kind !== 'ownedBy')
  const changing = own.filter((member) => update.values[member.position] !== undefined)
  for (const member of changing) {
    if (member.nullable) return { member, value: null }
  }
  for (const member of changing) {
    if (member.kind !== 'field') continue
    const value = outOfTheWay(member, number)
    if (value !== undefined) return { member, value }
  }
  return undefined
}

/** Hardly anybody uses these numbers, and most numeric columns can hold them. */
const LOW = -(2 ** 31) + 1_234_567
/** Not the last possible day, which means "never" in many tables. */
const LATE_DAY = Date.UTC(9876, 4, 3)
const DAY_MS = 86_400_000

/** The value with that number in a series of unusual values. */
function outOfTheWay(field: Field, number: number): unknown {
  switch (field.storage) {
    case 'string':
      return `\u007f${number}`
    case 'integer':
    case 'number':
      return LOW + number
    case 'date':
      return new Date(LATE_DAY - number * DAY_MS).toISOString().slice(0, 10)
    case 'boolean':
    case 'json':
      return undefined
  }
}
