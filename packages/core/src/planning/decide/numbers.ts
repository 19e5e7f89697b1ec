import { FIRST_INTEGER, LAST_INTEGER } from '../../model/values/storage.ts'

// The numbers by which an array keeps its order. Elements without one come last, and the ids order equal numbers.

/** An element, at its place in the array as it is to be. */
export interface Numbered {
  /** Null: it has none. Undefined: it is new, and has to get one. */
  readonly number: number | null | undefined
  /** Its place in the order in which elements are stored: by their numbers, then by their ids. */
  readonly rank: number
}

/** Between elements that are numbered anew there is room for others, where there can be. */
export const STEP = 1_000

/** The numbers fit into an `integer`; an array that has larger ones already has room for more. */
const SMALL = { first: FIRST_INTEGER, last: LAST_INTEGER }
const LARGE = { first: Number.MIN_SAFE_INTEGER, last: Number.MAX_SAFE_INTEGER }

type Bounds = typeof SMALL

/**
 * The numbers of elements, in the order of the array as it is to be; undefined for those that keep theirs. As many keep
 * it as can: no other choice of numbers writes fewer rows.
 *
 * `taken`: numbers that no element gets, as others hold them.
 */
export function newNumbers(
  elements: readonly Numbered[],
  taken: readonly number[] = [],
): readonly (number | undefined)[] {
  const held = [...elements.flatMap(({ number }) => number ?? []), ...taken]
  const bounds = held.some((one) => one < SMALL.first || one > SMALL.last) ? LARGE : SMALL
  const occupied = [...new Set(taken)].sort((a, b) => a - b)
  const numbered = elements.slice(0, elements.length - withoutNumberAtEnd(elements))
  const kept = keptOf(numbered, occupied, bounds)
  const found = new Array<number | undefined>(elements.length)
  let from = -1
  for (const to of [...kept, numbered.length]) {
    const between = numbersBetween(numbered[from]?.number, numbered[to]?.number, to - from - 1, occupied, bounds)
    for (const [index, number] of between.entries()) found[from + 1 + index] = number
    from = to
  }
  return found
}

/** How many elements at the end have no number, and are in order all the same. */
function withoutNumberAtEnd(elements: readonly Numbered[]): number {
  let count = 0
  for (let next = elements.at(-1); next?.number === null; next = elements.at(-1 - count)) {
    const behind = elements[elements.length - count]
    if (behind !== undefined && behind.rank < next.rank) break
    count += 1
  }
  return count
}

/**
 * The elements that keep their numbers: the most for which these ascend and have room between them for all others. The
 * room before an element, less its place, must not get smaller on the way; only equal numbers beside each other, which
 * the ids order, need none.
 */
function keptOf(elements: readonly Numbered[], occupied: readonly number[], bounds: Bounds): readonly number[] {
  const most = elements.length - 1
  /** For each length, less one, of such a row of elements: the least room that its last one has, and where this is. */
  const rooms: number[] = []
  const ends: number[] = []
  const lengths: number[] = []
  const before: number[] = []
  let last = -1
  for (const [place, { number }] of elements.entries()) {
    if (number === null || number === undefined) continue
    const room = number - countBelow(number, occupied) - place
    const longest = ends[countBelow(room + 1, rooms) - 1] ?? -1
    const isEqual = lengths[place - 1] !== undefined && equalsPrevious(elements, place)
    const from = isEqual && (lengths[place - 1] ?? 0) > (lengths[longest] ?? 0) ? place - 1 : longest
    if (from === -1 && freeBetween(bounds.first - 1, number, occupied) < place) continue
    const length = (lengths[from] ?? 0) + 1
    before[place] = from
    lengths[place] = length
    for (let at = length - 1; at >= 0 && (rooms[at] ?? Number.POSITIVE_INFINITY) > room; at--) {
      rooms[at] = room
      ends[at] = place
    }
    const leaves = freeBetween(number, bounds.last + 1, occupied) >= most - place
    if (leaves && length > (lengths[last] ?? 0)) last = place
  }
  const kept: number[] = []
  for (let place = last; place >= 0; place = before[place] ?? -1) kept.push(place)
  return kept.reverse()
}

function equalsPrevious(elements: readonly Numbered[], place: number): boolean {
  const [one, other] = [elements[place - 1], elements[place]]
  return one !== undefined && other !== undefined && one.number === other.number && one.rank < other.rank
}

/** How many of the sorted numbers are less. */
function countBelow(number: number, sorted: readonly number[]): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < number) low = middle + 1
    else high = middle
  }
  return low
}

function freeBetween(from: number, to: number, occupied: readonly number[]): number {
  return to - from - 1 - (countBelow(to, occupied) - countBelow(from + 1, occupied))
}

/** So many free numbers between two, with as much room between them. Where one side is open, they keep {@link STEP}. */
function numbersBetween(
  from: number | null | undefined,
  to: number | null | undefined,
  count: number,
  occupied: readonly number[],
  { first, last }: Bounds,
): readonly number[] {
  if (count === 0) return []
  const isBelow = typeof from !== 'number' && typeof to === 'number'
  const start = isBelow ? to : (from ?? 0)
  const end = isBelow ? first - 1 : (to ?? last + 1)
  const room = isBelow ? freeBetween(end, start, occupied) : freeBetween(start, end, occupied)
  const isOpen = typeof from !== 'number' || typeof to !== 'number'
  const step = Math.max(1, isOpen ? Math.min(STEP, Math.floor(room / count)) : room / count)
  // In the middle of its part of the room: so it is as far from its neighbours on both sides.
  const offset = isOpen ? step : Math.max(1, (step + 1) / 2)
  const found = Array.from({ length: count }, (_, index) => {
    return freeBehind(start, Math.round(offset + index * step), isBelow ? -1 : 1, occupied)
  })
  return isBelow ? found.reverse() : found
}

/** The free number that is so many free numbers away. */
function freeBehind(start: number, distance: number, direction: 1 | -1, occupied: readonly number[]): number {
  let found = start + direction * distance
  const passed = direction === 1 ? occupied : occupied.toReversed()
  for (const one of passed) if ((one - start) * direction > 0 && (found - one) * direction >= 0) found += direction
  return found
}
