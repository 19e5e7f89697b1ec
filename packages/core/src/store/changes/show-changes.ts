import type { LiveChange } from '../../effects-form.ts'
import type { HistoryRow } from '../../history/history-row.ts'
import { isLinkTo, isWithin, linkTarget, type StoredChange } from '../../history/stored-changes.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import { isToldTo } from '../../sql/rows/whose-rows.ts'
import { HistorySight } from '../../writing/history/history-sight.ts'
import type { EffectsTerms, WriteParts } from '../../writing/write-call.ts'
import { changesOfRecord, type EntryScope, entriesOf, withWhatComes } from '../history/shown-entries.ts'

/** Of which records changes are told. */
export interface ChangesScope {
  /** Undefined: of all. */
  readonly at: Address | undefined
  /** Undefined: of all of the collection. */
  readonly id: Id | undefined
  readonly hides?: EffectsTerms['hides']
}

/** The writes as a caller may see them now; undefined where it sees nothing of one. */
export async function showChanges(
  parts: WriteParts,
  session: Session,
  scope: ChangesScope,
  rows: readonly HistoryRow[],
): Promise<readonly (LiveChange | undefined)[]> {
  const sight = new HistorySight(parts, session, scope.hides, true)
  const entries = await entriesOf(parts, sight, entryScope(parts, session, scope), rows)
  return entries.map((entry, index) => entry && { position: (rows[index] as HistoryRow).position, ...entry })
}

function entryScope({ context }: WriteParts, { requestContext }: Session, { at, id, hides }: ChangesScope): EntryScope {
  const model = context.model as Model
  const isTold = isToldTo(model, requestContext)
  const chosen = chooser(model, at, id)
  const choose = (row: HistoryRow) =>
    chosen(row.stored.changes).filter(({ resource, id }) => isTold(row.whose, resource, id))
  const own = at === undefined || id === undefined ? undefined : ([at.path.resource.key, id] as const)
  return { choose, own, hides }
}

type Chooser = (all: readonly StoredChange[]) => readonly StoredChange[]

function chooser(model: Model, at: Address | undefined, id: Id | undefined): Chooser {
  if (at === undefined) return (all) => all
  const { key } = at.path.resource
  if (id !== undefined) return (all) => changesOfRecord(model, all, [key, id])
  const owner = at.path.relations.at(-1)?.source.key
  const above = owner === undefined || at.owners.length === 0 ? undefined : ([owner, at.owners.at(-1) as Id] as const)
  const isOfCollection = (change: StoredChange) => {
    const isIn = change.resource === key || namesOwner(change.above, key) || namesOwner(change.wasAbove, key)
    const isLinked = linkTarget(model, change)?.key === key || namesOwner(change.toAbove, key)
    if (above === undefined) return isIn || isLinked
    return (isIn && isWithin(change, above)) || (isLinked && isLinkTo(model, change, above))
  }
  return (all) => withWhatComes(all, isOfCollection)
}

function namesOwner(owners: StoredChange['above'] = [], key: string): boolean {
  return owners.some(([one]) => one === key)
}
