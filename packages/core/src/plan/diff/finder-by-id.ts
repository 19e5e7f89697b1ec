import type { Id } from '../../model/ids.ts'
import type { RecordData } from './changes.ts'

/**
 * Finds the index of a record in a list by its id, or -1. Callers nearly always ask in the order of the list, which needs no
 * map.
 */
export function finderById(records: readonly RecordData[]): (id: Id) => number {
  let next = 0
  let indexes: Map<Id, number> | undefined
  return (id) => {
    for (; next < records.length; next++) if (records[next]?.id === id) return next++
    indexes ??= new Map(records.map((record, index) => [record.id, index]))
    return indexes.get(id) ?? -1
  }
}
