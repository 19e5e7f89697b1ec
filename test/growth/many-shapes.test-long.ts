import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { report } from '../support/report.ts'

/** Without a bound, the statements of SQLite alone take three times as much. */
const MOST_MB = 300

describeOnDatabases('10,000 filters of different shapes', (database) => {
  test('leave the process with bounded memory', { timeout: 180_000 }, async () => {
    const open = await database.open()
    try {
      const script = fileURLToPath(new URL('./many-shapes-process.ts', import.meta.url))
      const child = fork(script, [database.name, open.location, String(database.isDirect)], {
        execArgv: ['--conditions=source'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      })
      const errors: string[] = []
      child.stderr?.on('data', (text) => errors.push(String(text)))
      let grown = Number.NaN
      child.on('message', (mb: number) => {
        grown = mb
      })
      const [code] = await once(child, 'exit')
      expect(code, errors.join('')).toBe(0)
      report(`10,000 shapes on ${database.name} leave ${Math.round(grown)} MB`)
      expect(grown).toBeLessThan(MOST_MB)
    } finally {
      await open.close()
    }
  })
})
