import { describe, tokenOf, type Write } from './history.ts'

/** What is wrong with the answers, each seen alone; empty if nothing is. */
export function checkAnswers(writes: readonly Write[]): string[] {
  return [...strangers(writes), ...notShown(writes)]
}

/** What a PUT answered with, but neither listed nor made. */
function strangers(writes: readonly Write[]): string[] {
  return writes.flatMap((write) => {
    // Which records a unique key means, the body does not tell.
    if (write.method !== 'PUT' || write.path.includes('?by=')) return []
    const listed = new Set(write.sets.map(({ key }) => key))
    const stranger = write.records.find(({ key, text }) => !listed.has(key) && tokenOf(text) !== write.token)
    return stranger === undefined
      ? []
      : [`${stranger.key} is in the answer of ${describe(write)}, which does not list it`]
  })
}

/** Answers that show another value than the write set: one of another writer's. */
function notShown(writes: readonly Write[]): string[] {
  return writes.flatMap((write) => write.unshown.map((place) => `${describe(write)} shows ${place}`))
}
