import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { report } from '../support/report.ts'
import type { Figure } from './many-children-process.ts'

const CHILDREN = 100_000
/** What JavaScript may use at once. A record of this size is 8 MB of JSON, and there are several stages of it. */
const HEAP_MB = 640

describeOnDatabases('100,000 children', (database) => {
  test.each([
    ['assigned', 'whose ids the database assigns,'],
    ['members', 'whose members make up their ids,'],
  ])(
    '%s: %s are written, read, replaced and deleted in one request each, with bounded memory',
    {
      timeout: 180_000,
    },
    async (ids) => {
      const open = await database.open()
      try {
        const script = fileURLToPath(new URL('./many-children-process.ts', import.meta.url))
        const execArgv = ['--conditions=source', `--max-old-space-size=${HEAP_MB}`]
        const child = fork(script, [database.name, open.location, String(CHILDREN), ids], {
          execArgv,
          stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        })
        const errors: string[] = []
        child.stderr?.on('data', (text) => errors.push(String(text)))
        const figures: Figure[] = []
        child.on('message', (figure: Figure) => figures.push(figure))
        const [code] = await once(child, 'exit')
        expect(code, errors.join('')).toBe(0)
        report(
          `100,000 children on ${database.name} (${ids}): ${figures.map(({ step, ms }) => `${step} ${ms} ms`).join(', ')}; at most ${figures.at(-1)?.peakMb} MB of memory`,
        )
        expect(figures.map(({ step }) => step)).toEqual(['create', 'read', 'replace', 'patch', 'delete'])
      } finally {
        await open.close()
      }
    },
  )
})
