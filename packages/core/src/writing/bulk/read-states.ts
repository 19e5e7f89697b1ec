import type { RowAction } from '../../asking/policies/rights.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { CrudError, tooLarge, tooManyToRead } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { type RecordData, visitOwned } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import { inPortions } from '../../session/session.ts'
import { FORBIDDEN } from '../../sql/reads/read-queries.ts'
import { ownerValues } from '../../sql/rows/path-condition.ts'
import { idSqlOf } from '../../sql/text/member-id-sql.ts'
import { sendable } from '../reads/client-json.ts'
import { dataOf } from '../reads/read-state.ts'
import type { WriteParts } from '../write-call.ts'

/** In place of a record that a policy does not allow to be written. */
export const ROW_NOT_ALLOWED = Symbol('not allowed')

export type States = ReadonlyMap<Id, RecordData | typeof ROW_NOT_ALLOWED>

/**
 * Reads what is selected of the records at an address that have these ids, as the database writes it; undefined for
 * some if all together are too large for an answer. Those that are not there are missing.
 */
export async function readTexts(
  { context, statements }: Pick<WriteParts, 'context' | 'statements'>,
  session: Session,
  { path, owners }: Address,
  ids: readonly Id[],
  { selection, action }: { readonly selection: Selection; readonly action?: RowAction | undefined },
  note: (id: Id, text: string | undefined) => void,
): Promise<void> {
  if (ids.length === 0) return
  const { fromText, encodeList } = idSqlOf(context, path.resource)
  let size = 0
  await inPortions(context.dialect, ids, async (some) => {
    const values = { ids: encodeList(some), ...ownerValues(owners) }
    for (const { id, json } of await session.rows(statements.records(path, selection, action), values)) {
      const text = json as string
      // The database has measured one portion.
      if (some !== ids) size += Buffer.byteLength(text)
      const shown = size > context.maxAnswer ? undefined : sendable(text, context.maxAnswer)
      note(fromText(id as string), text === FORBIDDEN ? text : shown)
    }
  })
}

/** The same as data. Fails with `CRUD_ERR_TOO_LARGE` if it is more than an answer may be, or more records than
 * `maxRows`. */
export async function readStates(
  parts: WriteParts,
  session: Session,
  at: Address,
  ids: readonly Id[],
  selection: Selection,
  action?: RowAction,
): Promise<States> {
  const { maxAnswer } = parts.statements
  const states = new Map<Id, RecordData | typeof ROW_NOT_ALLOWED>()
  let count = 0
  await readTexts(parts, session, at, ids, { selection, action }, (id, text) => {
    if (text === FORBIDDEN) {
      states.set(id, ROW_NOT_ALLOWED)
      return
    }
    if (text === undefined) {
      throw new CrudError(tooLarge('what the request changes', maxAnswer, 'write fewer records at once'))
    }
    const data = dataOf(at, selection, text)
    count += recordsIn(at.path.resource, data)
    if (count > parts.maxRows) throw new CrudError(tooManyToRead(parts.maxRows))
    states.set(id, data)
  })
  return states
}

/** A record and all that it owns. */
function recordsIn(resource: Resource, record: RecordData): number {
  let count = 1
  visitOwned(resource, record, () => {
    count += 1
    return true
  })
  return count
}
