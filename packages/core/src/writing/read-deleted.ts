import { rowAlone } from '../asking/select/selections.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Owns, Resource } from '../model/model.ts'
import type { RecordOwner } from '../planning/rows.ts'
import { rowsInJson, type StoredRow } from '../rules/rows/stored-rows.ts'
import type { Session } from '../session/session.ts'
import type { DeletedStatements } from '../sql/statements.ts'
import { idSqlOf } from '../sql/text/id-sql-of.ts'
import type { Prepared, Values } from '../sql/text/prepare.ts'
import type { WriteParts } from './write-call.ts'

/** A deleted row that is kept. */
export interface DeletedRow extends StoredRow {
  readonly resource: Resource
}

/**
 * A deleted record and the deleted records that it owns, owners first: those that were deleted together with it, or all. None if there is no such deleted
 * record, or another record owns it. `owner`: undefined for a record at the top.
 */
export async function readDeleted(
  { context, statements }: Pick<WriteParts, 'context'> & { readonly statements: DeletedStatements },
  session: Session,
  resource: Resource,
  id: Id,
  owner: RecordOwner | undefined,
  which: 'together' | 'all',
): Promise<readonly DeletedRow[]> {
  const read = async (of: Resource, query: Prepared, values: Values): Promise<readonly DeletedRow[]> => {
    const json = (await session.value<string>(query, values)) as string
    const [rows = []] = rowsInJson(json, [{ selection: rowAlone(of) }])
    return rows.map((row) => ({ ...row, resource: of }))
  }
  const [top] = await read(resource, statements.deletedRecord(resource), [id])
  if (top === undefined || !isOwnedBy(top, owner)) return []
  const all = [top]
  const open: [Resource, readonly Id[]][] = [[resource, [top.record.id]]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, owners] = next
    const list = idSqlOf(context, source).encodeList(owners)
    for (const owns of source.owns as readonly Owns[]) {
      const query = statements.deletedBelow(owns, which === 'together' ? resource : undefined)
      const rows = await read(owns.target, query, which === 'together' ? [list, id] : [list])
      if (rows.length === 0) continue
      all.push(...rows)
      open.push([owns.target, rows.map(({ record }) => record.id)])
    }
  }
  return all
}

/** Records of a tree are reached from the top, too. */
function isOwnedBy({ resource, owner: own }: DeletedRow, owner: RecordOwner | undefined): boolean {
  if (owner === undefined) return own === null || own.by.target === resource
  return own?.by === owner.by && own.id === owner.id
}
