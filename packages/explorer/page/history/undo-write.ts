import type { Effects } from '../effects/effects.ts'
import type { ModelDocument } from '../model/model.ts'
import { HISTORY, pathOf } from '../model/names.ts'
import { ask } from '../service/ask.ts'

/** Takes a write back that was just done, where the history of a record that it has touched is the way. */
export async function undoWrite(path: string, write: string): Promise<void> {
  await ask(`${path}${HISTORY}/${write}/$undo`, { method: 'POST' })
}

/** How to take a write back as a whole: from any record that it has touched. Undefined: none of them has a history. */
export function undoOf({ resources }: ModelDocument, effects: Effects | undefined): (() => Promise<void>) | undefined {
  for (const { resource, id } of effects?.changes ?? []) {
    const path = resources[resource]?.operations.undo === true ? pathOf(resources[resource], id) : undefined
    if (effects && path !== undefined) return () => undoWrite(path, effects.write)
  }
  return undefined
}
