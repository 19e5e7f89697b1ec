/** Values for the members of one resource, each at the member's position; undefined where nothing is said of one. */
export type Values = readonly unknown[]

/** As many places as there are members, or relations, with nothing in them yet. */
export function placesFor<Value>(members: readonly unknown[]): (Value | undefined)[] {
  return members.length === 0 ? NONE : new Array<Value | undefined>(members.length)
}

const NONE: never[] = []
Object.freeze(NONE)
