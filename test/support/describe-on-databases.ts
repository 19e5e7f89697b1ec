import { describe } from 'vitest'
import { databases, type TestDatabase } from './databases.ts'

/**
 * Runs the same tests on every database; the title says which.
 *
 * @example
 * describeOnDatabases('DELETE', (database) => {
 *   const service = useService(database, resources)
 *   test('204', async () => expect((await service.delete('/api/product/1')).status).toBe(204))
 * })
 */
export function describeOnDatabases(title: string, tests: (database: TestDatabase) => void): void {
  for (const database of databases) describe(`${title} (${database.name})`, () => tests(database))
}
