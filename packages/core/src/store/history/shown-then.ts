import { nameOfProperty, type SelectedProperty, type Selection } from '../../asking/select/selection.ts'
import { type EffectRecord, recordKey } from '../../effects/whole-change.ts'
import { type KnownState, linkedThen, rowThen, type TreeThen } from '../../history/tree-then.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { type IdForm, shortIdOf } from '../../model/ids/short-id.ts'
import type { Owns, Resource } from '../../model/model.ts'
import { parseJson } from '../../model/values/long-number.ts'
import type { RecordData } from '../../planning/rows.ts'
import { readStored } from '../../rules/rows/stored-rows.ts'
import type { Session } from '../../session/session.ts'
import type { Statements } from '../../sql/statements.ts'
import type { HistorySight } from '../../writing/history/history-sight.ts'

/** How a record is shown that was read from the history. */
export interface ShownTerms {
  readonly statements: Statements
  readonly session: Session
  readonly sight: HistorySight
  readonly selection: Selection
  /** Of its id. */
  readonly form: IdForm
}

/**
 * What a selection has of a record as it was, as `recordJson` gives it, but for what is computed. What it owned is
 * there as it was, as far as the reader may see that. Records that it referred to or was linked to are there as they
 * are now. Undefined where the record was not there, or the reader may not see it as it was.
 */
export async function shownThen(
  { statements, session, sight, selection, form }: ShownTerms,
  tree: TreeThen,
  record: EffectRecord,
): Promise<RecordData | undefined> {
  const root = rowThen(tree, record)
  if (root === undefined) return undefined
  const owned = ownedThen(tree)
  const seen = await sight.statesSeen(allBelow(root, owned), tree.last.values())
  if (!seen.has(root)) return undefined
  const shown: Shown = { tree, owned: (owner, owns) => owned(owner, owns).filter((one) => seen.has(one)), related }

  // Built twice: the first time tells which related records are to be read.
  const wanted = new Map<Selection, Set<Id>>()
  function related(of: Selection, ids: readonly Id[]): readonly RecordData[] {
    const all = wanted.get(of) ?? new Set<Id>()
    wanted.set(of, all)
    for (const id of ids) all.add(id)
    return []
  }
  recordThen(shown, selection, root, form)
  const asked = [...wanted].map(([of, ids]) => ({ selection: of, naming: undefined, ids: [...ids] }))
  const found = await readStored(statements, session, asked, parseJson)
  const named = asked.flatMap(({ selection: { resource } }, index) =>
    (found[index] ?? []).map((row) => ({ resource, id: row.record.id })),
  )
  const visible = new Set((await sight.recordsSeen(named)).map(({ resource, id }) => recordKey(resource, id)))
  const records = new Map(
    asked.map(({ selection: of }, index) => {
      const rows = (found[index] ?? []).filter((row) => visible.has(recordKey(of.resource, row.record.id)))
      return [of, new Map(rows.map((row) => [row.record.id, row.record]))]
    }),
  )
  const asNow: Shown['related'] = (of, ids) => ids.flatMap((id) => records.get(of)?.get(id) ?? [])
  return recordThen({ ...shown, related: asNow }, selection, root, form)
}

/** What a record owned by a relation, in the order of the array. */
type OwnedThen = (owner: EffectRecord, owns: Owns) => readonly KnownState[]

interface Shown {
  readonly tree: TreeThen
  readonly owned: OwnedThen
  /** Related records as they are now, in the order of the ids. Those that are gone or not seen are missing. */
  readonly related: (of: Selection, ids: readonly Id[]) => readonly RecordData[]
}

function ownedThen({ rows }: TreeThen): OwnedThen {
  const keyOf = (owner: EffectRecord, { name }: Owns) => `${recordKey(owner.resource, owner.id)} ${name}`
  const owned = Map.groupBy(
    [...rows.values()].filter(({ owner }) => owner !== null),
    ({ owner }) => (owner === null ? '' : keyOf(owner, owner.by.inverse)),
  )
  return (owner, owns) => (owned.get(keyOf(owner, owns)) ?? []).toSorted(inOrder(owns))
}

/** By the numbers that keep the order, where there are some, and then by the ids. */
function inOrder({ order, target }: Owns): (one: KnownState, other: KnownState) => number {
  const numberOf = ({ row }: KnownState) => {
    const place = order === undefined ? null : (row[order.property] ?? null)
    return place === null ? Number.MAX_SAFE_INTEGER : Number(place)
  }
  return (one, other) => numberOf(one) - numberOf(other) || target.id.compare(one.record.id, other.record.id)
}

/** A record and all that it shows of what it owned. Does not recurse: a tree may be of any depth. */
function allBelow(root: KnownState, owned: OwnedThen): readonly KnownState[] {
  const all = [root]
  // An array grows while it is walked.
  for (const { record } of all) {
    for (const owns of record.resource.owns) if (owns.carried) all.push(...owned(record, owns))
  }
  return all
}

function recordThen(shown: Shown, { resource, properties }: Selection, state: KnownState, form: IdForm): RecordData {
  const { id } = state.record
  const data: { id: Id; [name: string]: unknown } = { id: form === 'short' ? shortIdOf(resource, id) : id }
  for (const property of properties) {
    const value = valueThen(shown, property, state)
    if (value !== undefined) data[nameOfProperty(property)] = value
  }
  return data
}

/** Undefined where the history does not tell, or no answer can show it. */
function valueThen(shown: Shown, property: SelectedProperty, { record, row, owner }: KnownState): unknown {
  switch (property.kind) {
    case 'field':
      return row[property.field.property]
    case 'foreignKey': {
      const { reference } = property
      if (reference.kind === 'ownedBy') return owner?.by === reference ? owner.id : null
      return row[reference.property] ?? null
    }
    case 'reference': {
      const id = row[property.reference.property] as Id | null
      return shown.related(property.record, id === null ? [] : [id])[0] ?? null
    }
    case 'link': {
      const { link, records } = property
      const ids = linkedThen(shown.tree, link, record.id)
      const sorted = link.order === undefined ? ids.toSorted(link.target.id.compare) : ids
      return records && shown.related(records, sorted)
    }
    case 'owned': {
      const { owns, records } = property
      const owned = shown.owned(record, owns).map((one) => recordThen(shown, records, one, 'short'))
      return owns.many ? owned : (owned[0] ?? null)
    }
    case 'descendants':
      return descendantsThen(shown, property, record)
    case 'children':
      return null
    case 'computed':
    case 'single':
    case 'chosen':
    case 'count':
      return undefined
  }
}

/** All below a record of a tree in one list, as `recordJson` gives them. */
function descendantsThen(
  shown: Shown,
  { through, records }: Extract<SelectedProperty, { readonly kind: 'descendants' }>,
  root: EffectRecord,
): readonly (readonly [relation: number, owner: Id, record: RecordData])[] {
  const all: [number, Id, RecordData][] = []
  const open: EffectRecord[] = [root]
  const { recursive } = root.resource as Resource
  // An array grows while it is walked.
  for (const owner of open) {
    for (const owns of through) {
      for (const one of shown.owned(owner, owns)) {
        all.push([recursive.indexOf(owns), owner.id, recordThen(shown, records, one, 'short')])
        open.push(one.record)
      }
    }
  }
  return all
}
