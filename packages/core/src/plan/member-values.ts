/** What is said of a resource's members. The value of each member is at its position; undefined where nothing is said of it. */
export type MemberValues = readonly unknown[]

/** V8 finds small integers in a map the fastest. Each has a bit for so many positions. */
const BITS = 30

/** A key for the set of members that the values say something of: equal for equal sets of one resource. */
export function keyOf(values: MemberValues): string | number {
  if (values.length > BITS) return `set ${positionsOf(values)}`
  let key = 0
  for (let position = 0; position < values.length; position++) if (values[position] !== undefined) key |= 1 << position
  return key
}

/** The positions of the members that the values say something of. */
export function positionsOf(values: MemberValues): readonly number[] {
  return Array.from(values.keys()).filter((position) => values[position] !== undefined)
}
