import { nameOfProperty, type Selection, selectedOf } from '../../asking/select/selection.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Owns } from '../../model/model.ts'
import type { RecordData } from '../../planning/rows.ts'

/** A descendant as `recordJson` writes it: the index of the relation, the id of the owner, the record. */
type Descendant = readonly [relation: number, owner: Id, record: RecordData]

/**
 * A record as JSON text, with all descendants inside of their owners, in the record and in all that it shows. Does not
 * recurse along a tree, which may be of any depth.
 */
export function nestedJson(selection: Selection, record: RecordData): string {
  if (!selection.holdsTrees) return JSON.stringify(record)
  const tree = selection.properties.find(({ kind }) => kind === 'descendants')
  if (tree?.kind !== 'descendants') return recordText(selection, record, new Map())
  const { recursive } = selection.resource
  const descendants = record[tree.owns.name] as readonly Descendant[]
  const children = Map.groupBy(descendants, ([, owner]) => owner)
  // From the root down. In reverse, each child comes before its owner.
  const order: RecordData[] = [record]
  for (let next = 0; next < order.length; next++) {
    for (const [, , child] of children.get((order[next] as RecordData).id) ?? []) order.push(child)
  }
  const texts = new Map<Id, string>()
  for (const one of order.reverse()) {
    const owned = new Map<string, string>()
    for (const [index, owns] of recursive.entries()) {
      const own = (children.get(one.id) ?? []).filter(([relation]) => relation === index)
      const inside = own.map(([, , child]) => texts.get(child.id) as string)
      owned.set(owns.name, textOfOwned(owns, inside))
    }
    texts.set(one.id, recordText(one === record ? selection : tree.records, one, owned))
    for (const [, , child] of children.get(one.id) ?? []) texts.delete(child.id)
  }
  return texts.get(record.id) as string
}

function textOfOwned({ many }: Owns, inside: readonly string[]): string {
  return many ? `[${joined(inside)}]` : (inside[0] ?? 'null')
}

/** One record; `owned` has what it owns of its own kind, by the names of the relations. */
function recordText({ properties }: Selection, record: RecordData, owned: ReadonlyMap<string, string>): string {
  const selections = new Map(properties.map((property) => [nameOfProperty(property), selectedOf(property)]))
  const parts = Object.entries(record).map(([name, value]) => {
    const text = owned.get(name) ?? valueText(selections.get(name), value)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${joined(parts)}}`
}

/** Not by `join`, which copies: it would copy each text of a deep tree as often as the text has owners. */
function joined(texts: readonly string[]): string {
  return texts.reduce((all, text) => (all === '' ? text : `${all},${text}`), '')
}

/** A value of a record: with a selection, that of one or several related records. */
function valueText(selection: Selection | undefined, value: unknown): string {
  if (selection?.holdsTrees !== true || value === null) return JSON.stringify(value)
  if (!Array.isArray(value)) return nestedJson(selection, value as RecordData)
  return `[${value.map((record: RecordData) => nestedJson(selection, record)).join(',')}]`
}
