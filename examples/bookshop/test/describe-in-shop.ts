import { describe } from 'vitest'
import { openedSetups, type Setup } from '../../../test/support/databases.ts'

/** Runs the same tests on every database, as the shop opens it: totals on SQLite need the functions of `openSqlite`. */
export function describeInShop(title: string, tests: (database: Setup) => void): void {
  for (const setup of openedSetups) describe(`${title} (${setup.title})`, () => tests(setup))
}
