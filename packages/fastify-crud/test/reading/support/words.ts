/** What the table of words holds, in the order of the ids: strings that databases disagree about, nulls and ties. */
export const words: readonly (string | null)[] = [
  'ab',
  null,
  'B',
  'b',
  'A',
  'a',
  'aB',
  'AB',
  'abc',
  'abd',
  'a%',
  'a%b',
  'a_',
  'a_b',
  'a\\',
  'a\\b',
  'a*b',
  'a?b',
  'a[b]',
  "o'neil",
  '"',
  'é',
  'É',
  // The same letter in two code points.
  'e\u0301',
  'Z',
  'zebra',
  null,
  '',
  ' ',
  'a b',
  'ab ',
  'null',
  '9',
  '10',
  'ß',
  'ẞ',
  'i',
  'I',
  'İ',
  'ı',
  'Σ',
  'σ',
  'ς',
  'k',
  // The Kelvin sign.
  '\u212a',
  // Around the surrogates: UTF-16 sorts U+10000 before U+E000, code points do not.
  '\ud7ff',
  '\ue000',
  '\ufffd',
  '\u{10000}',
  '\u{10ffff}',
  '😀',
  'a😀',
  'a\ufffd',
  'tie',
  'tie',
  'tie',
]

/** Words other than null. */
export const texts: readonly string[] = words.filter((word) => word !== null)

/** The order of strings by code point, which is that of their bytes in UTF-8. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The simple lower case of each code point. That of U+0130 is one letter, though `toLowerCase` makes two of it. */
export function simpleLower(text: string): string {
  return Array.from(text, (one) => (one === 'İ' ? 'i' : one.toLowerCase())).join('')
}

/** The lower case of ASCII letters. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (one) => one.toLowerCase())
}
