import { readOutbox } from '@fastify-crud/core'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { databases, type TestDatabase } from '../../../../test/support/databases.ts'
import { archive, createArchiveTables, posted } from './support/archive.ts'
import { drainOutbox } from './support/drain-outbox.ts'
import { gate } from './support/gate.ts'
import { toChange } from './support/records-of-changes.ts'
import { withRules } from './support/rules.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe('two workers that read an outbox on PostgreSQL', () => {
  const service = useApp(postgres, archive, { ...withRules(posted), tables: createArchiveTables })
  const titlesOf = (rows: readonly unknown[]) => rows.map((row) => toChange(row).after.title)
  const drained = async () => titlesOf((await drainOutbox(service.db)).flat())

  test('do not wait for each other, and each row goes to one of them, while neither fails', async () => {
    for (const title of ['a', 'b']) await service.add('/api/letter', { title })
    const [begun, held] = [gate(), gate()]
    const first: unknown[] = []
    const working = readOutbox(service.db, 'outbox', async (rows: readonly unknown[]) => {
      first.push(...titlesOf(rows))
      begun.open()
      await held.opened
    })
    await begun.opened
    const second = await drained()
    held.open()
    await working
    expect([...first, ...second].sort()).toEqual(['a', 'b'])
    expect(await drained()).toEqual([])
  })
})
