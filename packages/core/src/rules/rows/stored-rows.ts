import type { Selection } from '../../asking/select/selection.ts'
import { rowAlone } from '../../asking/select/selections.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { RecordData, RecordOwner } from '../../planning/rows.ts'
import { groupBy } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import { readUnshown } from '../../sql/reads/read-unshown.ts'
import type { RowsAsked } from '../../sql/reads/rows-query.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import { idOfRow, type NewRowIds, type RuledRow } from './row-change.ts'

/** The statements of rules. They are made without rights: no policy hides a row from rules. */

/** A row that was read for rules. */
export interface StoredRow {
  readonly record: RecordData
  readonly owner: RecordOwner | null
}

/** Asks for rows by their ids. */
export function rowsById(resource: Resource, ids: readonly Id[]): RowsAsked {
  return { selection: rowAlone(resource), naming: undefined, ids }
}

/** Reads all that is asked in one statement. Resolves to a list for each of them. `parse`: rules see the nearest number
 * that JavaScript has in place of a longer one. */
export async function readStored(
  { rows }: RuleStatements,
  session: Session,
  asked: readonly RowsAsked[],
  parse: Parse = JSON.parse,
): Promise<readonly (readonly StoredRow[])[]> {
  if (asked.length === 0) return []
  const { query, values } = rows(asked)
  return rowsInJson((await session.value<string>(query, values)) as string, asked, parse)
}

type Parse = (json: string) => unknown

/** The rows in an answer, for each of the asked. */
export function rowsInJson(
  json: string,
  asked: readonly Pick<RowsAsked, 'selection'>[],
  parse: Parse = JSON.parse,
): readonly (readonly StoredRow[])[] {
  const found = foundIn(json, asked, parse)
  return found.map((some, index) => some.map((row) => toStoredRow((asked[index] as RowsAsked).selection, row)))
}

/** The rows as they are stored now, read in one statement. A row that is not there is missing. */
export async function readRows(
  statements: RuleStatements,
  session: Session,
  rows: readonly RuledRow[],
  ids: NewRowIds,
): Promise<ReadonlyMap<RuledRow, StoredRow>> {
  const groups = groupBy(rows, ({ resource }) => resource)
  const idIn = (row: RuledRow) => idOfRow(row, ids) as Id
  const asked = groups.map(([resource, ofResource]) => rowsById(resource, ofResource.map(idIn)))
  const answers = await readStored(statements, session, asked)
  const read = new Map<RuledRow, StoredRow>()
  for (const [index, [, ofResource]] of groups.entries()) {
    const found = new Map(answers[index]?.map((row) => [row.record.id, row]))
    for (const row of ofResource) {
      const stored = found.get(idIn(row))
      if (stored !== undefined) read.set(row, stored)
    }
  }
  return read
}

/** Rules see no more of a value that cannot be shown than clients do. */
function foundIn(json: string, asked: readonly Pick<RowsAsked, 'selection'>[], parse: Parse): FoundRow[][] {
  const unshown = readUnshown(json)
  if (unshown === undefined) return parse(json) as FoundRow[][]
  const found = unshown.data as FoundRow[][]
  for (const [index, { selection }] of asked.entries()) {
    for (const [record] of found[index] ?? []) unshown.leaveOut(selection, record)
  }
  return found
}

/** The record, and the ids of its owners in the order of `ownedBy`. */
type FoundRow = readonly [record: RecordData, ...owners: (Id | null)[]]

function toStoredRow({ resource }: Selection, [record, ...owners]: FoundRow): StoredRow {
  const index = owners.findIndex((id) => id !== null)
  const by = resource.ownedBy[index]
  return { record, owner: by === undefined ? null : { by, id: owners[index] as Id } }
}
