import { HISTORY } from '../model/names.ts'
import { ask } from '../service/ask.ts'

/** Takes a write back that was just done, where the history of a record that it has touched is the way. */
export async function undoWrite(path: string, write: string): Promise<void> {
  await ask(`${path}${HISTORY}/${write}/$undo`, { method: 'POST' })
}
