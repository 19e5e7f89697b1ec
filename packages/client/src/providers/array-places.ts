// Arrays of a form: what was added, and what has moved.

export type FormValues = Readonly<Record<string, unknown>>

/**
 * The places of the elements of an array that keeps its order, as `$before` of a PATCH says them: the id of an element
 * that stays, `null` for the end, undefined for an element that needs no place. As few as possible move.
 *
 * Goes in: the ids as they were, and as they are to be, undefined for new elements.
 */
export function placesOf(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  const staying = longestRise(after.map((id) => (id === undefined ? -1 : before.indexOf(id))))
  const last = Math.max(-1, ...staying)
  // New elements come to the end by themselves.
  const isAppended = after.slice(last + 1).every((id) => id === undefined)
  let next: unknown = null
  const places = after
    .map((id, index) => ({ id, index }))
    .reverse()
    .map(({ id, index }) => {
      if (!staying.has(index)) return isAppended && index > last ? undefined : next
      next = id
      return undefined
    })
  return places.reverse()
}

/** The positions of the longest rising sequence among numbers. Negative ones are in none. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  // For each length, the position where the sequence of that length ends lowest.
  const ends: number[] = []
  const previous = numbers.map((number, index) => {
    if (number < 0) return undefined
    const found = ends.findIndex((end) => (numbers[end] as number) >= number)
    const length = found === -1 ? ends.length : found
    const before = ends[length - 1]
    ends[length] = index
    return before
  })
  const rise = new Set<number>()
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) rise.add(at)
  return rise
}

/** The records of an array. */
export function elementsOf(value: unknown): FormValues[] {
  return Array.isArray(value) ? value.filter(isValues) : []
}

export function idOf({ id }: { readonly id?: unknown }): unknown {
  return id
}

export function isValues(value: unknown): value is FormValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
