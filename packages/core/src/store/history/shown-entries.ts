import { shownChanges, type Viewer } from '../../effects/shown-effects.ts'
import type { EffectRecord, WholeChange } from '../../effects/whole-change.ts'
import type { HistoryEntry } from '../../effects-form.ts'
import type { HistoryRow } from '../../history/history-row.ts'
import { isLinkTo, isWithin, type RecordName, type StoredChange } from '../../history/stored-changes.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { ChangesToShow, HistorySight } from '../../writing/history/history-sight.ts'
import { known } from '../../writing/history/read-write.ts'
import type { EffectsTerms, WriteParts } from '../../writing/write-call.ts'

/** Which changes of writes are shown, and of which record the reader knows that they are about it. */
export interface EntryScope {
  /** Of the changes of a write. */
  choose(row: HistoryRow): readonly StoredChange[]
  /** Undefined: the reader asks for no single record. */
  readonly own: RecordName | undefined
  readonly hides: EffectsTerms['hides']
}

/** The writes as the reader is shown them; undefined where it is shown nothing of one. */
export async function entriesOf(
  { context }: Pick<WriteParts, 'context'>,
  sight: HistorySight,
  { choose, own, hides }: EntryScope,
  rows: readonly HistoryRow[],
): Promise<readonly (HistoryEntry | undefined)[]> {
  const model = context.model as Model
  const toShow = rows.map((row) => known(model, choose(row)))
  const viewers = await sight.viewersOf(toShow)
  return rows.map((row, index) => {
    const { changes } = toShow[index] as ChangesToShow
    const viewer = viewers[index] as Viewer
    const shown = shownChanges(changes, viewer, false)
    if (shown.length === 0) return undefined
    const subject = model.resources.get(row.resource)
    const about = subject && { resource: subject, id: row.id }
    const isShown = about !== undefined && hides?.(about.resource) !== true && isAmong(changes, about, viewer)
    const [resource, of] = isShown ? [row.resource, row.id] : (own ?? [undefined, undefined])
    const isOfMany = row.resource === ''
    return {
      effects: 1,
      write: row.write,
      at: row.at,
      operation: row.operation,
      ...(!isOfMany && resource !== undefined && { resource, ...(of !== undefined && { id: of }) }),
      ...(row.by !== undefined && { by: row.by }),
      changes: shown,
    }
  })
}

/** Whether the reader is shown what a request was about. */
function isAmong(
  changes: readonly WholeChange[],
  { resource, id }: { readonly resource: EffectRecord['resource']; readonly id: Id | undefined },
  viewer: Viewer,
): boolean {
  if (id === undefined) return true
  const record = { resource, id }
  const isNamed = changes.some((one) => one.resource === resource && one.id === id)
  return isNamed && (viewer.sees('before', record) || viewer.sees('after', record))
}

/** The changes of one record and of what it owns, and those that come of them. */
export function changesOfRecord(model: Model, all: readonly StoredChange[], own: RecordName): readonly StoredChange[] {
  return withWhatComes(all, (one) => isWithin(one, own) || isLinkTo(model, one, own))
}

/** Some changes of a write, and those that come of them. */
export function withWhatComes(
  all: readonly StoredChange[],
  isOwn: (change: StoredChange) => boolean,
): readonly StoredChange[] {
  const within = new Set(all.filter(isOwn))
  const named = new Set([...within].map(({ resource, id }) => `${resource} ${id}`))
  return all.filter((one) => within.has(one) || (one.cause !== undefined && named.has(one.cause.join(' '))))
}
