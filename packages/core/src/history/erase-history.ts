import type { EffectRecord } from '../effects/whole-change.ts'
import type { Model } from '../model/model.ts'
import { keepsHistory } from '../model/resource-tree.ts'
import type { Session } from '../session/session.ts'
import { whoseRecord } from '../sql/rows/whose-rows.ts'
import type { Statements } from '../sql/statements.ts'
import { toHistoryRow } from './history-row.ts'
import { isLinkTo, isWithin, type RecordName, type StoredChange, touchedRecords } from './stored-changes.ts'

/** More writes than a record has. */
const ALL = Number.MAX_SAFE_INTEGER

/**
 * Removes all that the history has of a record and of what it owned, in the transaction of the session. What is left of
 * a write is not the whole of it any more, so it cannot be undone.
 */
export async function eraseRecord(
  model: Model,
  statements: Pick<Statements, 'history'>,
  session: Session,
  record: EffectRecord,
): Promise<void> {
  if (!keepsHistory(record.resource)) return
  const { writesOf, setEffects, removeWrite, removeRecord } = statements.history()
  const own: RecordName = [record.resource.key, record.id]
  const slotsOf = ([key, id]: RecordName) => {
    return { ...whoseRecord(session.requestContext, model.resources.get(key)), resource: key, record: String(id) }
  }
  const rows = await session.rows(writesOf, { ...slotsOf(own), before: ALL, most: ALL })
  for (const { write, stored } of rows.map(toHistoryRow)) {
    const isAbout = (change: StoredChange) => isWithin(change, own) || isLinkTo(model, change, own)
    const left = stored.changes.filter((change) => !isAbout(change))
    const gone = stored.changes.filter(isAbout)
    const others = touchedRecords(model, { changes: left })
    for (const name of [own, ...touchedRecords(model, { changes: gone })]) {
      const isLeft = others.some(([key, id]) => key === name[0] && id === name[1])
      if (!isLeft) await session.run(removeRecord, { ...slotsOf(name), write })
    }
    if (others.length === 0) await session.run(removeWrite, { write })
    else await session.run(setEffects, { write, effects: JSON.stringify({ changes: left, isCut: true }) })
  }
}
