import type { Problem } from '../../errors.ts'
import { pointerStep } from '../../problem.ts'

/**
 * A number of JSON of which JavaScript would lose digits, such as 12345678901234567890 or 1e400. It counts as the
 * nearest number that there is, and as JSON it has all of its digits.
 */
export class LongNumber extends Number {
  readonly #text: string

  constructor(text: string) {
    super(Math.max(-Number.MAX_VALUE, Math.min(Number(text), Number.MAX_VALUE)))
    this.#text = text
  }

  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.#text)
  }

  isSame(other: unknown): boolean {
    return other instanceof LongNumber && significant(this.#text) === significant(other.#text)
  }
}

/** A JSON text in which a text is in the place of each {@link LongNumber}, and what puts them into what was parsed of
 * it. */
interface MarkedText {
  readonly text: string
  unmark(parsed: unknown): unknown
}

/** A number with so many digits, or with so large an exponent. None with fewer loses any. */
const MAY_BE_LONG = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE]\+?\d{3})/

/** A string or a number of JSON. The digits of a string do not count. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Reads the digits of numbers, which `JSON.parse` rounds without a word. Undefined where no whole number loses any. */
export function markLostDigits(text: string): MarkedText | undefined {
  if (!MAY_BE_LONG.test(text)) return undefined
  // No string of the text is the same, however it is escaped.
  const mark = crypto.randomUUID()
  let isMarked = false
  const marked = text.replaceAll(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || !losesDigits(token)) return token
    isMarked = true
    return `"${mark}${token}"`
  })
  const unmarked = (leaf: unknown) =>
    typeof leaf === 'string' && leaf.startsWith(mark) ? new LongNumber(leaf.slice(mark.length)) : leaf
  return isMarked ? { text: marked, unmark: (parsed) => withLeaves(parsed, unmarked) } : undefined
}

/** As `JSON.parse`, but with a {@link LongNumber} where that would lose digits. */
export function parseJson(text: string): unknown {
  const marked = markLostDigits(text)
  return marked === undefined ? JSON.parse(text) : marked.unmark(JSON.parse(marked.text))
}

/** Numbers of a body that JSON has, and JavaScript has not, by their pointers. */
export type LongNumbers = ReadonlyMap<string, LongNumber>

export const NO_LONG_NUMBERS: LongNumbers = new Map()

/** A body with the nearest numbers in place of its long ones, and of the application's bigints, so that the rest of it
 * can be read. */
export function roundNumbers(body: unknown): { readonly body: unknown; readonly long: LongNumbers } {
  const long = new Map<string, LongNumber>()
  const rounded = withLeaves(body, (leaf, pointer) => {
    const number = typeof leaf === 'bigint' ? new LongNumber(String(leaf)) : leaf
    if (!(number instanceof LongNumber)) return leaf
    long.set(pointer, number)
    return number.valueOf()
  })
  return { body: rounded, long }
}

/** What is said of a number that cannot be stored as it is. */
export function losesDigitsAt(pointer: string): Problem {
  return { pointer, ...LOST_DIGITS }
}

const LOST_DIGITS = {
  message: 'must be a number that keeps its digits: a whole number beyond 2^53 would be rounded',
  keyword: 'maximum',
  params: { limit: Number.MAX_SAFE_INTEGER },
}

/** Whether a stored value has these very numbers, which are below a pointer of the body, at their places. */
export function holdsAll(stored: unknown, long: LongNumbers, parent: string): boolean {
  return longBelow(long, parent).every((pointer) => {
    const steps = pointer.slice(parent.length).split('/').slice(1)
    const unescaped = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    const there = unescaped.reduce((holder, step) => (holder as Record<string, unknown>)[step], stored)
    return (long.get(pointer) as LongNumber).isSame(there)
  })
}

/** The pointers of those that are at a pointer, or below. */
export function longBelow(long: LongNumbers, parent: string): readonly string[] {
  return [...long.keys()].filter((pointer) => pointer === parent || pointer.startsWith(`${parent}/`))
}

/** Problems of numbers that a client has rounded: where a new JSON value has what JavaScript makes of a long one that
 * is stored. */
export function roundedIn(value: unknown, stored: unknown, parent: string): readonly Problem[] {
  const rounded = new Set<unknown>()
  withLeaves(stored, (leaf) => leaf instanceof LongNumber && rounded.add(leaf.valueOf()))
  const problems: Problem[] = []
  if (rounded.size > 0)
    withLeaves(value, (leaf, at) => rounded.has(leaf) && problems.push({ pointer: parent + at, ...ROUNDED }))
  return problems
}

const ROUNDED = {
  ...LOST_DIGITS,
  message:
    'is the rounded form of a stored number: another number here, or the whole value as it is stored, keeps its digits',
}

/** Whether it is a whole number that no double is. */
function losesDigits(token: string): boolean {
  const value = Number(token)
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return false
  return significant(token) !== significant(String(value))
}

/** The digits of a number and where its point is, however it is written. */
function significant(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = withoutZeros(digits)
  const sign = mantissa.startsWith('-') ? '-' : ''
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

/** Without those at the end. A regular expression would try each of a million. */
function withoutZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** A copy of a JSON value with others in place of what is no object and no array. Does not recurse: a body may be
 * deep. */
function withLeaves(value: unknown, change: (leaf: unknown, pointer: string) => unknown): unknown {
  const root = { value }
  const open: { readonly holder: object; readonly pointer: string }[] = [{ holder: root, pointer: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { holder, pointer } = next
    for (const [key, one] of Object.entries(holder)) {
      const here = holder === root ? '' : `${pointer}/${pointerStep(key)}`
      const isLeaf = typeof one !== 'object' || one === null || one instanceof LongNumber
      const put = isLeaf ? change(one, here) : Array.isArray(one) ? [...one] : { ...one }
      // Also a property of the name `__proto__`.
      Object.defineProperty(holder, key, { value: put, enumerable: true, configurable: true, writable: true })
      if (!isLeaf) open.push({ holder: put as object, pointer: here })
    }
  }
  return root.value
}

/**
 * A `date-time` in UTC, ending in `Z`. The digits behind the second stay as they are. RFC 3339 has a 60th second, which
 * JavaScript does not know: the same point in time is the next minute's first.
 */
export function momentInUtc(text: string): string {
  const fraction = FRACTION.exec(text)?.[0] ?? ''
  const time = Date.parse(text.replace(FRACTION, '').replace(LEAP_SECOND, '59'))
  const inSeconds = new Date(LEAP_SECOND.test(text) ? time + 1_000 : time).toISOString()
  return inSeconds.replace('.000Z', `${fraction}Z`)
}

/** The milliseconds since 1970. Further digits are cut off. */
export function millisecondsOf(text: string): number {
  return Date.parse(momentInUtc(text))
}

const FRACTION = /[.]\d+/
const LEAP_SECOND = /(?<=:\d\d:)60/
