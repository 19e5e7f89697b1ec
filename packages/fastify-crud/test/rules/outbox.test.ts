import { readOutbox } from '@fastify-crud/core'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { failCommits } from '../../../../test/support/fail-commits.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { archive, createArchiveTables, posted } from './support/archive.ts'
import { drainOutbox } from './support/drain-outbox.ts'
import { toChange } from './support/records-of-changes.ts'
import { withRules } from './support/rules.ts'

describeOnBoth('`readOutbox`', (database) => {
  const service = useApp(database, archive, { ...withRules(posted), tables: createArchiveTables })
  const addLetters = async (...titles: string[]) => {
    for (const title of titles) await service.add('/api/letter', { title })
  }
  const titlesOf = (rows: readonly unknown[]) => rows.map((row) => toChange(row).after.title)
  const drained = async () => titlesOf((await drainOutbox(service.db)).flat())

  test('gives the worker each row, several at a time, and takes them out', async () => {
    await addLetters('a', 'b', 'c')
    const batches = await drainOutbox(service.db)
    expect(titlesOf(batches.flat())).toEqual(['a', 'b', 'c'])
    expect(batches.length).toBeLessThan(3)
    expect(await drainOutbox(service.db)).toEqual([])
  })

  test('gives rows to the next worker that came meanwhile', async () => {
    await addLetters('a')
    expect(await drained()).toEqual(['a'])
    await addLetters('b')
    expect(await drained()).toEqual(['b'])
  })

  test('gives rows again, if the work on them has failed', async () => {
    await addLetters('a', 'b')
    const failing = readOutbox(service.db, 'outbox', async () => {
      throw new Error('the mail server is away')
    })
    await failing.catch(() => {})
    expect(await drained()).toEqual(['a', 'b'])
  })

  test('rejects with the error of the work as it is, and with a `CrudError` where the database is busy', async () => {
    await addLetters('a')
    const locked = Object.assign(new Error('the worker has a deadlock of its own'), { code: '40P01' })
    const failing = readOutbox(service.db, 'outbox', () => Promise.reject(locked))
    await expect(failing).rejects.toBe(locked)
    const isPostgres = database.name === 'postgres'
    if (isPostgres) await failCommits(service.db, 'outbox', '40P01', 'at once')
    const other = await otherWriter(service.database)
    const read = readOutbox(service.db, 'outbox', async () => {})
    await expect(read).rejects.toMatchObject({ code: 'CRUD_ERR_BUSY' })
    await other.end('rollback')
    expect(await drained()).toEqual(['a'])
  })

  test('gives nothing of a write that was rolled back', async () => {
    await service.request('POST', '/api/letter', { title: 'undone' }, { prefer: 'tx=rollback' })
    await service.post('/api/letter', { title: 'refused', sheets: [{ text: 1 }] })
    expect(await drainOutbox(service.db)).toEqual([])
  })
})
