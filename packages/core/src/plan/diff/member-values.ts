/** MemberValues for the members of one resource, each at the member's position; undefined where nothing is said of one. */
export type MemberValues = readonly unknown[]

/** A list with a place for each of some members or relations, and nothing in it yet. */
export function placesFor<Value>(ones: readonly unknown[]): (Value | undefined)[] {
  return ones.length === 0 ? NONE : new Array<Value | undefined>(ones.length)
}

/** Shared by all that have no places, so nothing can be put into it. */
const NONE: never[] = []
Object.freeze(NONE)

/** So many positions are told apart by the bits of a small integer, which is quick to look up. */
const BITS = 30

/** Tells which members have a value: the same for all values of a resource's members that say something of the same ones. */
export function keyOf(values: MemberValues): string | number {
  if (values.length > BITS) return `set ${positionsOf(values)}`
  let key = 0
  for (let position = 0; position < values.length; position++) if (values[position] !== undefined) key |= 1 << position
  return key
}

/** Of the members that have a value. */
export function positionsOf(values: MemberValues): readonly number[] {
  return Array.from(values.keys()).filter((position) => values[position] !== undefined)
}
