import type { Id } from '../../model/ids/id-kind.ts'
import type { Owns, Resource } from '../../model/model.ts'
import type { RecordData, RecordOwner, RowId } from '../../planning/rows.ts'

/** The owner of a row: null if it has none, undefined if it is not known. */
export type RowOwner = RecordOwner<RowId> | null | undefined

/** A record that a write has read. */
export interface ReadRecord {
  readonly resource: Resource
  readonly record: RecordData
  readonly owner: RowOwner
}

/** Records and all that they own, by the resources' keys and the records' ids. */
export type Tree = ReadonlyMap<string, ReadonlyMap<Id, ReadRecord>>

/** Does not recurse: a tree may be deep. */
export function treeOf(records: readonly ReadRecord[]): Tree {
  const tree = new Map<string, Map<Id, ReadRecord>>()
  const open = records.toReversed()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { resource: of, record: one } = next
    const known = tree.get(of.key)
    if (known === undefined) tree.set(of.key, new Map([[one.id, next]]))
    else known.set(one.id, next)
    for (let position = 0; position < of.owns.length; position++) {
      const { name, target, inverse: by } = of.owns[position] as Owns
      const owned = one[name] as RecordData | readonly RecordData[] | null | undefined
      for (const child of [owned ?? []].flat() as readonly RecordData[]) {
        open.push({ resource: target, record: child, owner: { by, id: one.id } })
      }
    }
  }
  return tree
}
