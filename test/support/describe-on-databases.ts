import { describe } from 'vitest'
import { databases, openedSetups, type Setup, setups, type TestDatabase } from './databases.ts'
import { havePartitions } from './have-partitions.ts'
import { isLong } from './is-long.ts'
import { otherDrivers } from './other-drivers.ts'
import { testEngine } from './test-engine.ts'

/**
 * Runs the same tests on both databases, as the README opens them; the title says which. `test:long` runs them on every set-up: also on Kysely
 * instances of an application's own.
 *
 * @example
 * describeOnBoth('DELETE', (database) => {
 *   const service = useService(database, resources)
 *   test('204', async () => expect((await service.delete('/api/product/1')).status).toBe(204))
 * })
 */
export function describeOnBoth(title: string, tests: (database: Setup) => void): void {
  describeOn(isLong ? setups : openedSetups, title, tests)
}

/**
 * Runs the same tests on every set-up, every day: for what concerns connections, transactions, errors of the database, concurrent writes or
 * drivers.
 */
export function describeOnDatabases(title: string, tests: (database: Setup) => void): void {
  describeOn(setups, title, tests)
}

function describeOn(all: readonly Setup[], title: string, tests: (database: Setup) => void): void {
  for (const setup of all) describe(`${title} (${setup.title})`, () => tests(setup))
}

/** The same for what needs SQLite as `openSqlite` opens it, also in `test:long`. */
export function describeOnOpened(title: string, tests: (database: Setup) => void): void {
  describeOn(openedSetups, title, tests)
}

/**
 * Runs the same tests on other drivers, too: for tests that need only one connection. Partitions are watched on connections of `pg`. PGlite takes
 * ten seconds to start, so only `test:long` runs all of them on it; every day, `drivers/other-drivers.test.ts` does.
 */
export function describeOnDrivers(title: string, tests: (database: Setup) => void): void {
  describeOnDatabases(title, tests)
  if (havePartitions || testEngine) return
  describeOn(isLong ? otherDrivers : otherDrivers.filter((setup) => setup.title !== 'PGlite'), title, tests)
}

/**
 * Runs the same tests on every database, for those whose servers open it in a way of their own (`useServers`): how it is set
 * up makes no difference to them.
 */
export function describeServersOnDatabases(title: string, tests: (database: TestDatabase) => void): void {
  for (const database of databases) describe(`${title} (${database.name})`, () => tests(database))
}
