import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { archive, createArchiveTables, posted } from './support/archive.ts'
import { drainOutbox } from './support/drain-outbox.ts'
import type { RecordedChange } from './support/records-of-changes.ts'
import { withRules } from './support/rules.ts'

const script = fileURLToPath(new URL('./support/outbox-worker.ts', import.meta.url))

describeOnBoth('an outbox whose worker is killed', (database) => {
  const service = useApp(database, archive, { ...withRules(posted), tables: createArchiveTables })

  test('loses nothing: another worker gets the rows', async () => {
    for (const title of ['a', 'b']) await service.add('/api/letter', { title })
    const { name, location } = service.database
    const worker = fork(script, [name, location], { execArgv: ['--conditions=source'] })
    try {
      const [taken] = await Promise.race([once(worker, 'message'), once(worker, 'exit').then(() => ['ended'])])
      expect(taken).toBeGreaterThan(0)
    } finally {
      const gone = worker.exitCode === null ? once(worker, 'exit') : undefined
      worker.kill('SIGKILL')
      await gone
    }
    // PostgreSQL lets go of the rows as soon as it has seen that the worker is gone.
    const changes: RecordedChange[] = []
    for (let tries = 0; tries < 1000 && changes.length < 2; tries++) {
      if (tries > 0) await wait(10)
      changes.push(...(await drainOutbox(service.db)).flat())
    }
    expect(changes.map(({ after }) => after.title).sort()).toEqual(['a', 'b'])
  })
})
