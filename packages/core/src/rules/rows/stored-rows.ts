import type { Session } from '../../connection/session.ts'
import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { RecordData } from '../../plan/record-data.ts'
import type { RecordOwner } from '../../plan/record-owner.ts'
import { readUnshown } from '../../query/reads/read-unshown.ts'
import type { RowsAsked } from '../../query/reads/rows-query.ts'
import type { Statements } from '../../query/statements.ts'
import type { Selection } from '../../reading/select/selection.ts'
import { rowAlone } from '../../reading/select/selections.ts'

/** The statements of rules. They are made without rights: no policy hides a row from rules. */
export type RuleStatements = Pick<Statements, 'rows' | 'lockRows'>

/** A row that was read for rules. */
export interface StoredRow {
  readonly record: RecordData
  readonly owner: RecordOwner | null
}

/** Asks for rows by their ids. */
export function rowsById(resource: Resource, ids: readonly Id[]): RowsAsked {
  return { selection: rowAlone(resource), naming: undefined, ids }
}

/** Reads all that is asked in one statement. Resolves to a list for each of them. */
export async function readStored(
  { rows }: RuleStatements,
  session: Session,
  asked: readonly RowsAsked[],
): Promise<readonly (readonly StoredRow[])[]> {
  if (asked.length === 0) return []
  const { query, values } = rows(asked)
  const found = foundIn((await session.value<string>(query, values)) as string, asked)
  return found.map((some, index) => some.map((row) => toStoredRow((asked[index] as RowsAsked).selection, row)))
}

/** Rules see no more of a value that cannot be shown than clients do. */
function foundIn(json: string, asked: readonly RowsAsked[]): FoundRow[][] {
  const unshown = readUnshown(json)
  if (unshown === undefined) return JSON.parse(json) as FoundRow[][]
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
