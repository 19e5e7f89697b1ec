import { expect } from 'vitest'
import { bookRows } from './book-rows.ts'
import { spellings } from './spellings.ts'
import { type BookTest, expectTitles } from './use-books.ts'
import { words } from './words.ts'

type BookRow = (typeof bookRows)[number]

/** The titles of the books that are so, in the order of their ids. */
export function titlesWhere(isSo: (book: BookRow) => boolean): string[] {
  return bookRows.filter(isSo).map(({ title }) => title)
}

/** Fails unless this condition lets these books through, in both spellings of a filter. */
export async function expectCondition(
  test: BookTest,
  path: string,
  operator: string,
  value: unknown,
  titles: readonly string[],
): Promise<void> {
  for (const query of spellings(path, operator, value)) await expectTitles(test, query, titles)
}

/** Fails unless this condition on the text lets through the words that are so, in both spellings of a filter. */
export async function expectWords(
  test: BookTest,
  operator: string,
  value: unknown,
  isSo: (word: string | null) => boolean,
): Promise<void> {
  const expected = words.filter(isSo)
  for (const query of spellings('text', operator, value)) {
    expect(await test.values(`/api/word?limit=100&${query}`, 'text'), query).toEqual(expected)
  }
}
