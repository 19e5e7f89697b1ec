import { type Changes, isEmpty } from '../diff/changes.ts'
import type { Diff, Listed } from '../diff/diff.ts'

/**
 * The records of the body that a PUT or PATCH changes: their fields, their links, or what they own, at any depth. The request's own
 * record comes first.
 */
export function editedRecords({ changes, listed }: Pick<Diff, 'changes' | 'listed'>): readonly Listed[] {
  if (listed.length === 0 || isEmpty(changes)) return []
  const changed = pointersAbove(changes)
  return listed.filter(({ draft }) => changed.has(draft.pointer))
}

/** The pointers of all changes, and those of all that the body has around them. */
function pointersAbove({ inserts, updates, removed, linked, unlinked }: Changes): ReadonlySet<string> {
  const pointers = new Set<string>()
  const add = (pointer: string): void => {
    for (let above = pointer; !pointers.has(above); above = above.slice(0, above.lastIndexOf('/'))) {
      pointers.add(above)
      if (above === '') return
    }
  }
  for (const one of [...inserts, ...updates, ...linked, ...unlinked]) add(one.pointer)
  for (const one of removed) for (const pointer of one.pointers.values()) add(pointer)
  return pointers
}
