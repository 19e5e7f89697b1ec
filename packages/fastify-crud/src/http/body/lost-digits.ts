/** The text of a body in which numbers would lose digits, and what puts them back into what was parsed of it. */
export interface MarkedText {
  readonly text: string
  /** A bigint stands for each of these numbers, which every check of the body refuses at its place. */
  unmark(body: unknown): unknown
}

/** Without so many digits, no whole number is beyond 2^53. */
const MANY_DIGITS = /\d[\d.]{15}/

/** A string or a number of JSON. The digits of a string do not count. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** Reads the digits of numbers, which `JSON.parse` rounds without a word. Undefined where no whole number loses any. */
export function markLostDigits(text: string): MarkedText | undefined {
  if (!MANY_DIGITS.test(text)) return undefined
  // No string of the body is the same, however it is escaped.
  const mark = crypto.randomUUID()
  let isMarked = false
  const marked = text.replaceAll(STRING_OR_NUMBER, (token) => {
    if (token.startsWith('"') || !losesDigits(token)) return token
    isMarked = true
    return `"${mark}${Number(token)}"`
  })
  return isMarked ? { text: marked, unmark: (body) => unmark(body, mark) } : undefined
}

/** Whether it is a whole number that no double is. One that is no finite number is refused as such. */
function losesDigits(token: string): boolean {
  const value = Number(token)
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false
  return significant(token) !== significant(String(value))
}

/** The digits of a number and where its point is, however it is written. */
function significant(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = withoutZeros(digits)
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

/** Without those at the end. A regular expression would try each of a million. */
function withoutZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end--
  return digits.slice(0, end)
}

/** Does not recurse: a body may be deep. */
function unmark(body: unknown, mark: string): unknown {
  const root = { body }
  const open: object[] = [root]
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    for (const [key, value] of Object.entries(holder)) {
      if (typeof value === 'object' && value !== null) open.push(value)
      else if (typeof value === 'string' && value.startsWith(mark)) {
        Object.defineProperty(holder, key, {
          value: BigInt(Number(value.slice(mark.length))),
          enumerable: true,
          configurable: true,
          writable: true,
        })
      }
    }
  }
  return root.body
}
