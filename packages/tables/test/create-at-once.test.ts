import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { checkTables } from '@fastify-crud/tables'
import { expect, test } from 'vitest'
import { describeOnDatabases } from '../../../test/support/describe-on-databases.ts'
import { library } from './library.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('./create-in-process.ts', import.meta.url))

describeOnDatabases('createTables in several processes at once', (database) => {
  test('succeeds in all of them', async () => {
    const open = await database.open()
    try {
      const one = () => run(process.execPath, ['--conditions=source', script, database.name, open.location])
      await Promise.all([one(), one(), one(), one()])
      expect(await checkTables(open.db, library)).toEqual([])
    } finally {
      await open.close()
    }
  })
})
