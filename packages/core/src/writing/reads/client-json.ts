import type { Selection } from '../../asking/select/selection.ts'
import { wholeRecordAt } from '../../asking/select/selections.ts'
import type { Address } from '../../model/address.ts'
import { parseJson } from '../../model/values/long-number.ts'
import type { RecordData } from '../../planning/rows.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import { nestedJson } from '../../sql/reads/nest-trees.ts'
import { type NoteUnshown, readUnshown } from '../../sql/reads/read-unshown.ts'

/** A whole record as a client sees it; undefined where that is too large for an answer. `note`: only if it is an answer. */
export function recordToClientJson(
  { fieldRights }: ReadStatements,
  { path }: Address,
  record: string | undefined,
  note: NoteUnshown | undefined,
): string | undefined {
  return record === undefined ? undefined : toClientJson(wholeRecordAt(path, fieldRights), record, note)
}

/** A record as a client sees it: what the database gave of a selection. */
export function toClientJson(selection: Selection, record: string, note?: NoteUnshown): string {
  const unshown = readUnshown(record)
  if (unshown === undefined) {
    return selection.holdsTrees ? nestedJson(selection, parseJson(record) as RecordData) : record
  }
  const data = unshown.data as RecordData
  unshown.leaveOut(selection, data)
  note?.(unshown.found)
  return nestedJson(selection, data)
}

/** A page as a client sees it: what the database gave of it. */
export function pageToClientJson(selection: Selection, page: string, note: NoteUnshown): string {
  const unshown = readUnshown(page)
  if (unshown === undefined && !selection.holdsTrees) return page
  const { rows, ...others } = (unshown?.data ?? parseJson(page)) as { readonly rows: readonly RecordData[] }
  if (unshown !== undefined) {
    for (const record of rows) unshown.leaveOut(selection, record)
    note(unshown.found)
  }
  const records = rows.map((record) => nestedJson(selection, record))
  const rest = JSON.stringify(others).slice(1)
  return `{"rows":[${records.join(',')}]${rest === '}' ? '' : ','}${rest}`
}
