import { describe } from 'vitest'
import { databases, openedSetups, type Setup, setups, type TestDatabase } from './databases.ts'
import { havePartitions } from './have-partitions.ts'
import { isLong } from './is-long.ts'
import { otherDrivers } from './other-drivers.ts'
import { testEngine } from './test-engine.ts'

/**
 * Runs the same tests on every database, as it can be set up; the title says which.
 *
 * @example
 * describeOnDatabases('DELETE', (database) => {
 *   const service = useService(database, resources)
 *   test('204', async () => expect((await service.delete('/api/product/1')).status).toBe(204))
 * })
 */
export function describeOnDatabases(title: string, tests: (database: Setup) => void): void {
  for (const setup of setups) describe(`${title} (${setup.title})`, () => tests(setup))
}

/**
 * Runs the same tests on both databases, as the README opens them: for what does not concern connections, transactions, errors of
 * the database, concurrent writes or drivers. `test:long` runs them on every set-up.
 */
export function describeOnBoth(title: string, tests: (database: Setup) => void): void {
  for (const setup of isLong ? setups : openedSetups) describe(`${title} (${setup.title})`, () => tests(setup))
}

/** The same for what needs SQLite as `openSqlite` opens it, also in `test:long`. */
export function describeOnOpened(title: string, tests: (database: Setup) => void): void {
  for (const setup of openedSetups) describe(`${title} (${setup.title})`, () => tests(setup))
}

/** Runs the same tests on other drivers for PostgreSQL, too: for tests that need only one connection. Partitions are watched on connections of `pg`. */
export function describeOnDrivers(title: string, tests: (database: Setup) => void): void {
  describeOnDatabases(title, tests)
  for (const setup of havePartitions || testEngine ? [] : otherDrivers)
    describe(`${title} (${setup.title})`, () => tests(setup))
}

/**
 * Runs the same tests on every database, for those whose servers open it in a way of their own (`useServers`): how it is set
 * up makes no difference to them.
 */
export function describeServersOnDatabases(title: string, tests: (database: TestDatabase) => void): void {
  for (const database of databases) describe(`${title} (${database.name})`, () => tests(database))
}
