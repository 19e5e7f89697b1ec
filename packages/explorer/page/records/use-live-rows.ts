import { useLayoutEffect, useRef, useState } from 'react'
import { type Mark, markOf, useMarks } from '../live/marks.ts'
import type { Row } from '../model/model.ts'

interface GoneRow {
  readonly row: Row
  readonly index: number
}

/** The rows of a list as they were read, with those that others have taken out of it where they were. */
export interface LiveRows {
  readonly rows: readonly Row[]
  markOf(row: Row): Mark | undefined
  /** In words, for the line below the list; empty: nobody else has changed anything. */
  readonly words: string
}

const GONE: Mark = { state: 'gone', by: undefined, names: [] }

/** `list` names what is listed: with another filter or sort, nothing is kept. */
export function useLiveRows(resource: string, list: string, read: readonly Row[] | undefined): LiveRows {
  const marks = useMarks()
  const before = useRef<{ readonly list: string; readonly rows: readonly Row[] }>(undefined)
  const [gone, setGone] = useState<readonly GoneRow[]>([])
  // Before anything is painted, so that no row goes and comes.
  useLayoutEffect(() => {
    const was = before.current
    before.current = read && { list, rows: read }
    if (read === undefined || was?.list !== list) return setGone((all) => (all.length === 0 ? all : []))
    const there = new Set(read.map(({ id }) => String(id)))
    const left = was.rows.flatMap((row, index) =>
      !there.has(String(row.id)) && markOf(marks, resource, row.id) !== undefined ? [{ row, index }] : [],
    )
    setGone((all) => {
      const known = new Set(left.map(({ row }) => String(row.id)))
      const kept = all.filter(({ row: { id } }) => !there.has(String(id)) && !known.has(String(id)))
      return left.length === 0 && kept.length === all.length ? all : [...kept, ...left]
    })
  }, [resource, list, read, marks])

  const missing = new Set(gone.map(({ row }) => String(row.id)))
  const rows = [...(read ?? [])]
  for (const { row, index } of gone.toSorted((one, other) => one.index - other.index)) rows.splice(index, 0, row)
  const ofRow = (row: Row) => (missing.has(String(row.id)) ? GONE : markOf(marks, resource, row.id))
  const counts = Map.groupBy(rows, (row) => ofRow(row)?.state ?? 'same')
  const words = (['changed', 'added', 'gone'] as const).flatMap((state) => {
    const count = counts.get(state)?.length ?? 0
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return { rows, markOf: ofRow, words: words.length === 0 ? '' : `by others: ${words.join(', ')}` }
}
