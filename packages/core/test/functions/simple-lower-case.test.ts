import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { databases } from '../../../../test/support/databases.ts'
import { simpleLowerCase } from '../../src/sql/dialect/sqlite/sqlite-functions.ts'

/** All letters and other characters but U+0000, which PostgreSQL does not store, and surrogates, which are none. */
const CHARACTERS = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

test('Every code point becomes one code point', () => {
  expect(CHARACTERS.map(simpleLowerCase).filter((lower) => [...lower].length !== 1)).toEqual([])
})

test.each([
  ['at the end of a word', 'A', ' '],
  ['at its start', ' ', 'A'],
  ['in its middle', 'A', 'A'],
  ['before a dot above', 'A', '\u0307'],
])('A code point becomes the same %s', (_where, before, after) => {
  const words = CHARACTERS.map((character) => before + character + after)
  const expected = CHARACTERS.map(
    (character) => before.toLowerCase() + simpleLowerCase(character) + after.toLowerCase(),
  )
  expect(simpleLowerCase(words.join('\n')) === expected.join('\n')).toBe(true)
})

test.each([
  ['İSTANBUL', 'istanbul'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['ẞ', 'ß'],
  ['ǅ', 'ǆ'],
  ['𐐀', '𐐨'],
  ['Å', 'å'],
])('The simple lower case of %s is %s', (text, lower) => {
  expect(simpleLowerCase(text)).toBe(lower)
})

test('PostgreSQL gives every character the same lower case, if its version of Unicode and that of Node know it', async () => {
  const postgres = await databases.find(({ name }) => name === 'postgres')?.open()
  if (postgres === undefined) throw new Error('there is no PostgreSQL')
  onTestFinished(() => postgres.close())
  const { rows } = await sql<{ character: string; lower: string }>`
    select chr(code) as character, lower(chr(code) collate pg_c_utf8) as lower
    from generate_series(1, 1114111) as code
    where code not between 55296 and 57343 and lower(chr(code) collate pg_c_utf8) <> chr(code)
  `.execute(postgres.db)
  const inPostgres = new Map(rows.map(({ character, lower }) => [character, lower]))
  const different = CHARACTERS.filter(
    (character) => simpleLowerCase(character) !== (inPostgres.get(character) ?? character),
  )
  const known = await sql<{ character: string }>`
    select character from unnest(${different}::text[]) as character where unicode_assigned(character)
  `.execute(postgres.db)
  expect(inPostgres.size).toBeGreaterThan(1_400)
  expect(known.rows.filter(({ character }) => /\P{Unassigned}/u.test(character))).toEqual([])
})
