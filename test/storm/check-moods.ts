import type { Key, Write } from './history.ts'

type Mood = string | null

/** A write that gave a record this value, or that may have. */
interface Setter {
  readonly write: Write
  readonly mood: Mood
}

/**
 * Values that an answer or the end shows although a later write had replaced them: of several writes that set the same
 * value, any may be the one that it comes from.
 */
export function checkMoods(writes: readonly Write[], left: ReadonlyMap<Key, Mood>): string[] {
  const setters = new Map<Key, Setter[]>()
  for (const write of writes) {
    if (write.outcome === 'refused') continue
    for (const { key, mood } of write.sets) {
      if (mood === undefined) continue
      const known = setters.get(key) ?? []
      setters.set(key, known)
      known.push({ write, mood })
    }
  }
  const stale = (key: Key, mood: Mood, at: number, until: number): boolean => {
    const all = setters.get(key) ?? []
    const lastBefore = latestStart(all, mood, at)
    // Each record begins without one.
    if (mood === null && lastBefore === Number.NEGATIVE_INFINITY) return false
    return !all.some((one) => one.mood === mood && one.write.at < until && one.write.until >= lastBefore)
  }
  const wrong: string[] = []
  for (const write of writes) {
    for (const { key, mood } of write.records) {
      if (mood === undefined || !stale(key, mood, write.at, write.until)) continue
      wrong.push(`${write.method} ${write.path} (${write.token}) shows ${key} with ${mood}, which was replaced by then`)
    }
  }
  for (const [key, mood] of left) {
    if (stale(key, mood, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)) {
      wrong.push(`${key} is left with ${mood}, which was replaced before`)
    }
  }
  return wrong
}

/** When the last write was sent that set another value and was answered by then. */
function latestStart(all: readonly Setter[], mood: Mood, at: number): number {
  let latest = Number.NEGATIVE_INFINITY
  for (const { write, mood: other } of all) {
    if (other !== mood && write.outcome === 'done' && write.until < at) latest = Math.max(latest, write.at)
  }
  return latest
}
