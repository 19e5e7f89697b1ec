import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, '../scripts/count.ts')

/** What `pnpm count` prints. */
function count(...list: readonly string[]): string {
  return execFileSync(process.execPath, [script, ...list], { encoding: 'utf8' })
}

/** The number behind some words at the start of a line. */
function numberBehind(words: string, text: string): number {
  return Number(new RegExp(`^${words} +(\\d+)`, 'm').exec(text)?.[1])
}

test('the packages have at most 578 files', () => {
  expect(numberBehind('all', count())).toBeLessThanOrEqual(578)
})

test('no two files of the packages export the same name for different things', () => {
  expect(numberBehind('exported names that several files declare', count())).toBe(0)
})

test('comments are at most 120 columns wide, but for examples and names', () => {
  // A line of an example that no formatter would break, and texts that a migration prints.
  expect(numberBehind('comment lines over 120 columns', count())).toBeLessThanOrEqual(11)
})
