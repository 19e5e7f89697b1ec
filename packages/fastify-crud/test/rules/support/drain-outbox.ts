import { readOutbox } from '@fastify-crud/core'
import type { TestKysely } from '../../../../../test/support/tables.ts'
import { type RecordedChange, toChange } from './records-of-changes.ts'

/** Has a worker read the outbox until it finds nothing more. Returns what its work was given, by call. */
export async function drainOutbox(db: TestKysely): Promise<RecordedChange[][]> {
  const batches: RecordedChange[][] = []
  for (;;) {
    const before = batches.length
    await readOutbox(db, 'outbox', async (rows: readonly unknown[]) => {
      batches.push(rows.map(toChange))
    })
    if (batches.length === before) return batches
  }
}
