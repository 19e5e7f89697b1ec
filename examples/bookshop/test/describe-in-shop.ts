import { describe } from 'vitest'
import { type Setup, setups } from '../../../test/support/databases.ts'

/** Runs the same tests on every database, as the shop opens it: totals on SQLite need the functions of `openSqlite`. */
export function describeInShop(title: string, tests: (database: Setup) => void): void {
  const opened = setups.filter(({ name, isDirect }) => name === 'postgres' || isDirect)
  for (const setup of opened) describe(`${title} (${setup.title})`, () => tests(setup))
}
