import { expect, test } from 'vitest'
import { type Numbered, newNumbers, STEP } from '../../src/planning/decide/numbers.ts'

const LAST = 2_147_483_647

/** Elements that are stored in this order, with these numbers; undefined: a new one. */
function stored(...numbers: readonly (number | null | undefined)[]): readonly Numbered[] {
  return numbers.map((number, rank) => ({ number, rank }))
}

test('new elements at the end of an array leave room between them', () => {
  expect(newNumbers(stored(undefined, undefined))).toEqual([STEP, 2 * STEP])
  expect(newNumbers(stored(7, undefined))).toEqual([undefined, 7 + STEP])
  expect(newNumbers(stored(undefined, 7))).toEqual([7 - STEP, undefined])
})

test('a new element takes the middle of a gap', () => {
  expect(newNumbers(stored(1000, undefined, 2000))).toEqual([undefined, 1500, undefined])
  expect(newNumbers(stored(1, undefined, 3))).toEqual([undefined, 2, undefined])
})

test('without a gap, only so many neighbours are numbered anew as must', () => {
  expect(newNumbers(stored(1, undefined, 2))).toEqual([undefined, 1 + STEP, 1 + 2 * STEP])
  expect(newNumbers(stored(1, 2, 3, undefined, 4, 9))).toEqual([undefined, undefined, undefined, 5, 7, undefined])
})

test('an element that moves is the only one with another number', () => {
  const [a, b, c, d] = stored(1, 2, 3, 4) as [Numbered, Numbered, Numbered, Numbered]
  expect(newNumbers([d, a, b, c])).toEqual([1 - STEP, undefined, undefined, undefined])
  expect(newNumbers([b, c, d, a])).toEqual([undefined, undefined, undefined, 4 + STEP])
})

test('equal numbers that the ids order, and elements without one at the end, stay as they are', () => {
  expect(newNumbers(stored(5, 5, 5, null, null))).toEqual(new Array(5).fill(undefined))
  expect(newNumbers(stored(5, 5, undefined))).toEqual([undefined, undefined, 5 + STEP])
  expect(newNumbers(stored(null, undefined))).toEqual([STEP, 2 * STEP])
})

test('no number is one that is taken', () => {
  expect(newNumbers(stored(1, undefined, 4), [2])).toEqual([undefined, 3, undefined])
  expect(newNumbers(stored(1, undefined), [1 + STEP])).toEqual([undefined, 2 + STEP])
  expect(newNumbers(stored(1, undefined, 4), [2, 3])).toEqual([undefined, 3 + STEP, 3 + 2 * STEP])
})

test('an array at the end of the integers is numbered anew as far as it has to be', () => {
  expect(newNumbers(stored(LAST - 5, LAST, undefined))).toEqual([undefined, LAST - 3, LAST - 1])
})

test('an array with larger numbers goes on with these', () => {
  expect(newNumbers(stored(1_700_000_000_000, undefined))).toEqual([undefined, 1_700_000_000_000 + STEP])
})

/** Numbers below a bound, the same for each seed: a linear congruential generator. */
function randomly(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test('any elements get any order, and no choice of numbers writes fewer rows', () => {
  for (let seed = 1; seed <= 4_000; seed++) {
    const random = randomly(seed * 7_919)
    const from = random(6) === 0 ? LAST - 8 : -3
    const numbers = Array.from({ length: random(7) }, () => (random(8) === 0 ? null : from + random(9)))
    const sorted = numbers.sort((a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY) || 0)
    const elements: Numbered[] = [...stored(...sorted)]
    for (let moves = random(4); moves > 0 && elements.length > 0; moves--) {
      const [moved] = elements.splice(random(elements.length), 1) as [Numbered]
      elements.splice(random(elements.length + 1), 0, moved)
    }
    for (let count = random(3); count > 0; count--) {
      elements.splice(random(elements.length + 1), 0, { number: undefined, rank: -1 })
    }
    const taken = Array.from({ length: random(3) }, () => from + random(9)).filter((one) => !numbers.includes(one))
    const found = newNumbers(elements, taken)
    const context = JSON.stringify({ seed, elements, taken, found })
    const after = elements.map(({ number, rank }, index) => ({ number: found[index] ?? number ?? null, rank, index }))
    const inOrder = after.toSorted((a, b) => compare(a, b))
    expect(
      inOrder.map(({ index }) => index),
      context,
    ).toEqual([...elements.keys()])
    const given = found.filter((one) => one !== undefined)
    for (const one of given) {
      expect(after.filter(({ number }) => number === one).length, context).toBe(1)
      expect(taken, context).not.toContain(one)
      expect(one, context).toBeLessThanOrEqual(LAST)
    }
    expect(given.length, context).toBe(fewest(elements, taken))
  }
})

interface Stored {
  readonly number: number | null
  readonly rank: number
}

function compare(a: Stored, b: Stored): number {
  if (a.number === b.number) return a.rank - b.rank
  if (a.number === null || b.number === null) return a.number === null ? 1 : -1
  return a.number - b.number
}

/** Tries each set of elements that may keep their numbers. */
function fewest(elements: readonly Numbered[], taken: readonly number[]): number {
  let best = elements.length
  for (let set = 0; set < 2 ** elements.length; set++) {
    const kept = [...elements.keys()].filter((place) => (set & (1 << place)) !== 0)
    if (isPossible(elements, kept, taken)) best = Math.min(best, elements.length - kept.length)
  }
  return best
}

function isPossible(elements: readonly Numbered[], kept: readonly number[], taken: readonly number[]): boolean {
  let [before, at] = [-LAST - 2, -1]
  for (const place of kept) {
    const { number, rank } = elements[place] as Numbered
    if (number === undefined) return false
    if (number === null) {
      // Behind it, all others have none and are in order.
      const rest = elements.slice(place)
      const isKept = rest.every((_, index) => kept.includes(place + index))
      const isInOrder = rest.every((one, index) => {
        return one.number === null && (index === 0 || (rest[index - 1] as Numbered).rank < one.rank)
      })
      return isKept && isInOrder && roomBetween(before, LAST + 1, taken) >= place - at - 1
    }
    const follows = place === at + 1 && number === before && (elements[at] as Numbered).rank < rank
    if (!follows && (number <= before || roomBetween(before, number, taken) < place - at - 1)) return false
    ;[before, at] = [number, place]
  }
  return roomBetween(before, LAST + 1, taken) >= elements.length - 1 - at
}

function roomBetween(from: number, to: number, taken: readonly number[]): number {
  return to - from - 1 - new Set(taken.filter((one) => from < one && one < to)).size
}
