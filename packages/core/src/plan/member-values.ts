/** MemberValues for the members of one resource, each at the member's position; undefined where nothing is said of one. */
export type MemberValues = readonly unknown[]

/** A list with a place for each of some members or relations, and nothing in it yet. */
export function placesFor<Value>(ones: readonly unknown[]): (Value | undefined)[] {
  return ones.length === 0 ? NONE : new Array<Value | undefined>(ones.length)
}

/** Shared by all that have no places, so nothing can be put into it. */
const NONE: never[] = []
Object.freeze(NONE)
