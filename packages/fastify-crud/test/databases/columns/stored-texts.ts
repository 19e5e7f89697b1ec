import fc from 'fast-check'

/** Any text that both databases can store. */
export const anyText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    "it's",
    '"',
    '\\',
    "\\'",
    'a\nb',
    '\t',
    '😀',
    'ü',
    'É',
    'null',
    '{}',
    '[1]',
    '%_',
    '$1',
    'a,b',
  ),
  fc.constantFrom('\u0001', '\u2028', '\ufeff', 'Ab', 'aB', '1', '-1', 'infinity', "E'\\x41'", '\u{10ffff}', '\ue000'),
  fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !text.includes('\u0000')),
)

export function shortText(most: number): fc.Arbitrary<string> {
  return anyText.map((text) => [...text].slice(0, most).join(''))
}

const two = (number: number) => String(number).padStart(2, '0')

export const date = fc
  .record({
    year: fc.oneof(fc.constantFrom(1, 99, 1582, 9999), fc.integer({ min: 1900, max: 2100 })),
    day: fc.nat(364),
  })
  .map(({ year, day }) => {
    const of = new Date(Date.UTC(2001, 0, 1 + day))
    return `${String(year).padStart(4, '0')}-${two(of.getUTCMonth() + 1)}-${two(of.getUTCDate())}`
  })

/** Up to so many digits behind the second. */
export function fraction(digits: number): fc.Arbitrary<string> {
  const some = fc.nat(10 ** digits - 1).map((number) => `.${String(number).padStart(digits, '0')}`)
  return digits === 0 ? fc.constant('') : fc.oneof(fc.constant(''), fc.constant('.5'), some)
}

export function time(digits: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.oneof(fc.constantFrom(0, 86_399), fc.nat(86_399)), fraction(digits))
    .map(([at, rest]) => `${two(Math.floor(at / 3600))}:${two(Math.floor(at / 60) % 60)}:${two(at % 60)}${rest}`)
}

/** `2026-01-31T12:00:00.5`, with a text between date and time. */
export function moment(digits: number, between: string): fc.Arbitrary<string> {
  return fc.tuple(date, time(digits)).map(([day, at]) => day + between + at)
}

export const offset = fc.constantFrom('Z', '+00:00', '+02:00', '-05:00', '+05:30', '-03:30')

/** A `date-time` of a body. */
export function dateTime(digits: number): fc.Arbitrary<string> {
  return (
    fc
      .tuple(moment(digits, 'T'), offset)
      // In UTC, it could be in another year.
      .filter(([text]) => !text.startsWith('0001') && !text.startsWith('9999'))
      .map((parts) => parts.join(''))
  )
}

/** A decimal with up to so many digits on each side of the point. */
export function decimal(before: number, behind: number): fc.Arbitrary<string> {
  const whole = fc.oneof(fc.constant('0'), fc.bigInt({ min: 0n, max: 10n ** BigInt(before) - 1n }).map(String))
  const rest = fc
    .nat(behind)
    .chain((digits) =>
      fc.bigInt({ min: 0n, max: 10n ** BigInt(digits) - 1n }).map((number) => String(number).padStart(digits, '0')),
    )
  return fc
    .tuple(fc.constantFrom('', '-'), whole, behind === 0 ? fc.constant('') : rest)
    .map(([sign, digits, places]) => {
      const text = places === '' || places === '0' ? digits : `${digits}.${places}`
      return /[1-9]/.test(text) ? sign + text : text
    })
}

/** What a JSON field may have. */
export const json = fc
  .oneof(
    fc.constantFrom<unknown>({}, [], [[]], 'a', '', 0, -1.5, true, false, { a: null }, [null, 1, 'x']),
    fc.jsonValue({ maxDepth: 2, stringUnit: 'grapheme' }),
  )
  .filter((value) => value !== null && isStorable(value))

/** Neither database stores U+0000, and JSON has no negative zero. */
function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value)
  return !/\\u0000|"__proto__"|\\ud[89a-f]/i.test(text)
}

/** In ISO 8601. */
export const duration = fc
  .record({
    months: fc.integer({ min: -30, max: 30 }),
    days: fc.integer({ min: -40, max: 40 }),
    seconds: fc.integer({ min: -90_000, max: 90_000 }),
  })
  .map(({ months, days, seconds }) => {
    const day = [months === 0 ? '' : `${months}M`, days === 0 ? '' : `${days}D`].join('')
    return `P${day}${seconds === 0 && day !== '' ? '' : `T${seconds}S`}`
  })

export const uuid = fc.uuid()
