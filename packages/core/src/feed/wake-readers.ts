import type { AnyKysely } from '../sql/dialect/database.ts'
import { stateOfInstance } from '../sql/dialect/kept-for-database.ts'

/** Those in this process who wait for new writes of a database's history. */
const readersOf = stateOfInstance(() => new Set<() => void>())

/** Is told of each write of this process that the history has. Returns what ends that. */
export function onWrite(db: AnyKysely, wake: () => void): () => void {
  const readers = readersOf(db)
  readers.add(wake)
  return () => void readers.delete(wake)
}

/** Says that a write which the history has was committed. Others find it when they next look. */
export function wakeReaders(db: AnyKysely): void {
  for (const wake of readersOf(db)) wake()
}
