import type { Address } from '../model/address.ts'
import type { RecordData } from '../plan/record-data.ts'
import { nestedJson } from '../query/reads/nest-trees.ts'
import { type Selection, wholeRecord } from '../query/reads/selection.ts'

/** A whole record as a client sees it; undefined where that is too large for an answer. */
export function shownRecord({ path }: Address, record: string | undefined): string | undefined {
  return record === undefined ? undefined : shown(wholeRecord(path.resource), record)
}

/** A record as a client sees it: what the database gave of a selection. */
export function shown(selection: Selection, record: string): string {
  return selection.holdsTrees ? nestedJson(selection, JSON.parse(record) as RecordData) : record
}

/** A page as a client sees it: what the database gave of it. */
export function shownPage(selection: Selection, page: string): string {
  if (!selection.holdsTrees) return page
  const { rows, ...others } = JSON.parse(page) as { readonly rows: readonly RecordData[] }
  const records = rows.map((record) => nestedJson(selection, record))
  const rest = JSON.stringify(others).slice(1)
  return `{"rows":[${records.join(',')}]${rest === '}' ? '' : ','}${rest}`
}
