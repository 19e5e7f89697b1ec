/** The values of a resource's members, each at the member's position; undefined where nothing is said of a member. */
export type MemberValues = readonly unknown[]

/** The bits of a small integer, which is a quick key of a map, tell this many positions apart. */
const BITS = 30

/** A key that is the same for all values of a resource that say something of the same members. */
export function keyOf(values: MemberValues): string | number {
  if (values.length > BITS) return `set ${positionsOf(values)}`
  let key = 0
  for (let position = 0; position < values.length; position++) if (values[position] !== undefined) key |= 1 << position
  return key
}

/** The positions of the members that have a value. */
export function positionsOf(values: MemberValues): readonly number[] {
  return Array.from(values.keys()).filter((position) => values[position] !== undefined)
}
