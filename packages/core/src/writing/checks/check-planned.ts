import { errorKinds, notAllowed, type Refusal } from '../../errors.ts'
import { plannedRows } from '../../planning/decide/planned-rows.ts'
import type { Changes } from '../../planning/diff/changes.ts'
import { isUnknownColumn } from '../../session/database-errors.ts'
import type { Session } from '../../session/session.ts'
import { ALLOWED } from '../../sql/checks/allowed-query.ts'
import type { WriteParts } from '../write-call.ts'

/**
 * Why a write is refused: a conflict says what others have stored, so it is not for a caller who may not store the rows anyway.
 * Then the policy's no comes first.
 */
export async function beforeConflict(
  { context, statements }: WriteParts,
  session: Session,
  changes: Changes,
  refusal: Refusal,
): Promise<Refusal> {
  if (context.rights === undefined || errorKinds[refusal.code].status !== CONFLICT) return refusal
  for (const row of plannedRows(changes, context.rights)) {
    const { query, values } = statements.planned(row)
    try {
      if ((await session.value(query, values)) !== ALLOWED) return notAllowed()
    } catch (error) {
      // The table has columns that the model does not know, or that the database fills. What they will hold is not known before the
      // row is stored.
      if (isUnknownColumn(error)) return refusal
      throw error
    }
  }
  return refusal
}

const CONFLICT = 409
