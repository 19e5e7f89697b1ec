import {
  type EffectOwner,
  type EffectRecord,
  recordKey,
  type WholeLinkChange,
  type WholeRowChange,
} from '../effects/whole-change.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Resource } from '../model/model.ts'
import { otherEnd } from '../model/resource-tree.ts'
import { inTurn } from '../planning/diff/arrange.ts'
import type { RecordData } from '../planning/rows.ts'
import type { StoredRow } from '../rules/rows/stored-rows.ts'
import type { ChangeToUndo } from './inverse.ts'
import { ownerBefore, type StoredChange } from './stored-changes.ts'

/** What a record was, and who owned it. */
export interface KnownState {
  readonly record: EffectRecord
  readonly row: RecordData
  readonly owner: EffectOwner | null
}

/**
 * Records and their links at some moment: those that are there now, with the changes of later writes undone. It may
 * have records that belonged to the tree only in between.
 */
export interface TreeThen {
  readonly rows: Map<string, KnownState>
  /** The ids of linked records, in the order of the array. */
  readonly links: Map<string, readonly Id[]>
  /** What records were when they were deleted for the last time. */
  readonly last: Map<string, KnownState>
}

export function noTree(): TreeThen {
  return { rows: new Map(), links: new Map(), last: new Map() }
}

/** Adds a record as it is stored now. */
export function addNow({ rows, links }: TreeThen, resource: Resource, { record, owner }: StoredRow): void {
  const ownedBy = owner && { resource: owner.by.target, id: owner.id, by: owner.by }
  rows.set(recordKey(resource, record.id), { record: { resource, id: record.id }, row: record, owner: ownedBy })
  for (const link of resource.links) {
    const linked = (record[link.name] ?? []) as readonly RecordData[]
    links.set(
      linkKey(link, record.id),
      linked.map(({ id }) => id),
    )
  }
}

/** Adds the records of another tree of the same moment. */
export function addTree({ rows, links, last }: TreeThen, other: TreeThen): void {
  for (const [key, row] of other.rows) rows.set(key, row)
  for (const [key, ids] of other.links) links.set(key, ids)
  for (const [key, state] of other.last) if (!last.has(key)) last.set(key, state)
}

export function rowThen({ rows }: TreeThen, { resource, id }: EffectRecord): KnownState | undefined {
  return rows.get(recordKey(resource, id))
}

export function linkedThen({ links }: TreeThen, link: Link, id: Id): readonly Id[] {
  return links.get(linkKey(link, id)) ?? []
}

function linkKey({ source, name }: Link, id: Id): string {
  return `${recordKey(source, id)} ${name}`
}

/** Whether a change has taken a record to another owner, or into a relation that records do not show. */
export function hasMoved({ stored, change }: ChangeToUndo): boolean {
  return change.kind === 'row' && change.action === 'Edit' && stored.wasAbove !== undefined
}

/** Undoes a write: links come first, and then rows, the last one first. */
export function undoChanges(tree: TreeThen, all: readonly ChangeToUndo[]): void {
  undoLinks(
    tree,
    all.flatMap(({ change }) => (change.kind === 'link' ? [change] : [])),
  )
  for (const { stored, change } of all.toReversed()) if (change.kind === 'row') undoRow(tree, stored, change)
}

function undoRow(tree: TreeThen, stored: StoredChange, change: WholeRowChange): void {
  const { rows, links, last } = tree
  const { resource, id, before, action } = change
  const record = { resource, id }
  const key = recordKey(resource, id)
  if (action === 'Add') {
    rows.delete(key)
    for (const link of resource.links) links.delete(linkKey(link, id))
    return
  }
  const owner = ownerBefore(stored, change)
  const was = before as RecordData
  if (action === 'Delete') {
    rows.set(key, { record, row: was, owner })
    if (!last.has(key)) last.set(key, { record, row: was, owner: change.owner })
    return
  }
  const known = rows.get(key)
  // Of a record that the tree does not show, the whole row is known only where it moves.
  if (known === undefined && !hasMoved({ stored, change })) return
  const names = Object.keys(stored.after ?? {})
  const values = Object.fromEntries(names.map((name) => [name, was[name]]))
  rows.set(key, { record, row: known === undefined ? was : { ...known.row, ...values, id }, owner })
}

/** What a write has done to the array of one record. */
interface ChangedArray {
  readonly key: string
  readonly element: Id
  readonly action: WholeLinkChange['action']
  readonly behind: Id | null | undefined
}

/** The record at the other end may show the same link. */
function undoLinks({ links }: TreeThen, changes: readonly WholeLinkChange[]): void {
  const all = changes.flatMap(({ action, link, id, to, place }): ChangedArray[] => {
    const back = otherEnd(link)
    const own = { key: linkKey(link, id), element: to, action, behind: place?.behind }
    if (back === undefined) return [own]
    return [own, { key: linkKey(back, to), element: id, action, behind: place?.otherBehind }]
  })
  for (const [key, some] of Map.groupBy(all, (one) => one.key)) {
    const now = links.get(key) ?? []
    const goes = new Set(
      some.filter((one) => one.action !== 'Edit' || one.behind !== undefined).map((one) => one.element),
    )
    const ids = now.filter((id) => !goes.has(id))
    for (const { element, action, behind } of inTurn(some, (one) => [one.element, one.behind])) {
      const isThen = action === 'Unlink' || (action === 'Edit' && goes.has(element) && now.includes(element))
      if (!isThen) continue
      const at = behind === undefined || behind === null ? -1 : ids.indexOf(behind)
      if (behind === null || at !== -1) ids.splice(at + 1, 0, element)
      else ids.push(element)
    }
    links.set(key, ids)
  }
}
