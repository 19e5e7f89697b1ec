/**
 * The text with the simple lower case of each code point (https://www.unicode.org/reports/tr44/#Simple_Lowercase_Mapping), as
 * `lower(… collate pg_c_utf8)` of PostgreSQL has it. It has as many code points as the text.
 *
 * JavaScript has the full lower case. Without a locale, the two differ for two letters only: İ becomes two code points, and Σ
 * becomes another letter at the end of a word.
 */
export function simpleLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase()
}
