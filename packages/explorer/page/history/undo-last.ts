import { HISTORY } from '../model/names.ts'
import { ask } from '../service/ask.ts'
import type { HistoryPage } from './history.ts'

/** Brings back a record that has just been deleted, where its history is the way. */
export async function undoLast(path: string): Promise<void> {
  const { body } = await ask<HistoryPage>(`${path}${HISTORY}`, { query: 'limit=1&filter[operation]=delete' })
  const [last] = body.rows
  if (last !== undefined) await ask(`${path}${HISTORY}/${last.write}/$undo`, { method: 'POST' })
}
