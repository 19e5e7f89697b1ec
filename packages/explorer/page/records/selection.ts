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

/** All that match the filter of a list, also those that are not read yet. */
export interface Matching {
  /** The filter alone, as the service takes it. */
  readonly query: string
  /** How many there are, as far as the list says: `120` or `1,000+`. */
  readonly count: string
}

/** The query of a DELETE of these rows. */
export const queryOfRows = (rows: readonly Row[]): string =>
  new URLSearchParams({ filter: JSON.stringify({ id: { in: rows.map(({ id }) => id) } }) }).toString()
