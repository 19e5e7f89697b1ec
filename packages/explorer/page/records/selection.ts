import type { Row } from '../model/model.ts'

/** As many rows are written at once at most: their ids have to fit into an address. */
export const MOST_SELECTED = 200

/** Rows that somebody has chosen, by their ids. */
export type Selection = ReadonlyMap<string, Row>

export const EMPTY_SELECTION: Selection = new Map()

const keyOf = ({ id }: Row): string => String(id)

export const isSelected = (selection: Selection, row: Row): boolean => selection.has(keyOf(row))

/** Chooses rows, or drops them. */
export function select(selection: Selection, rows: readonly Row[], isOn: boolean): Selection {
  const next = new Map(selection)
  for (const row of rows) {
    if (isOn) next.set(keyOf(row), row)
    else next.delete(keyOf(row))
  }
  return next
}

/** The query of a DELETE of these rows. */
export const queryOfRows = (rows: readonly Row[]): string =>
  new URLSearchParams({ filter: JSON.stringify({ id: { in: rows.map(({ id }) => id) } }) }).toString()
