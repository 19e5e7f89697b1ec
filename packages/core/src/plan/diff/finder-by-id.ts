import type { RecordData } from './changes.ts'

/**
 * Finds the place of a record in a list by its id, -1 if it is not there. Nearly always they are asked for in the order in
 * which they stand, for which no map is needed.
 */
export function finderById(records: readonly RecordData[]): (id: number) => number {
  let next = 0
  let places: Map<number, number> | undefined
  return (id) => {
    for (; next < records.length; next++) if (records[next]?.id === id) return next++
    places ??= new Map(records.map((record, place) => [record.id, place]))
    return places.get(id) ?? -1
  }
}
