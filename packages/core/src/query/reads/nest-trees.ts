import type { Id } from '../../model/ids.ts'
import type { Owns, Resource } from '../../model/model.ts'
import type { RecordData } from '../../plan/record-data.ts'

/** A descendant as `recordJson` writes it: the index of the relation, the id of the owner, the record. */
type Descendant = readonly [relation: number, owner: Id, record: RecordData]

/**
 * A record as JSON text, with all descendants inside of their owners, in the record and in all that it owns. Does not recurse
 * along a tree, which may be of any depth.
 */
export function nestedJson(resource: Resource, record: RecordData): string {
  if (!resource.holdsTrees) return JSON.stringify(record)
  const [carrier] = resource.recursive
  if (carrier === undefined) return recordText(resource, record, new Map())
  const descendants = record[carrier.name] as readonly Descendant[]
  const children = new Map<Id, Descendant[]>()
  for (const descendant of descendants) {
    const known = children.get(descendant[1])
    if (known === undefined) children.set(descendant[1], [descendant])
    else known.push(descendant)
  }
  // From the root down. In reverse, each child comes before its owner.
  const order: RecordData[] = [record]
  for (let next = 0; next < order.length; next++) {
    for (const [, , child] of children.get((order[next] as RecordData).id) ?? []) order.push(child)
  }
  const texts = new Map<Id, string>()
  for (const one of order.reverse()) {
    const owned = new Map<Owns, string>()
    for (const [index, owns] of resource.recursive.entries()) {
      const own = (children.get(one.id) ?? []).filter(([relation]) => relation === index)
      const inside = own.map(([, , child]) => texts.get(child.id) as string)
      owned.set(owns, owns.many ? `[${joined(inside)}]` : (inside[0] ?? 'null'))
    }
    texts.set(one.id, recordText(resource, one, owned))
    for (const [, , child] of children.get(one.id) ?? []) texts.delete(child.id)
  }
  return texts.get(record.id) as string
}

/** One record; `owned` has what it owns of its own kind. */
function recordText(resource: Resource, record: RecordData, owned: ReadonlyMap<Owns, string>): string {
  const relations = new Map(resource.owns.map((owns) => [owns.name, owns]))
  const parts = Object.entries(record).map(([name, value]) => {
    const owns = relations.get(name)
    const text = owns === undefined ? JSON.stringify(value) : (owned.get(owns) ?? ownedText(owns, value))
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${joined(parts)}}`
}

/** Not by `join`, which copies: it would copy each text of a deep tree as often as the text has owners. */
function joined(texts: readonly string[]): string {
  return texts.reduce((all, text) => (all === '' ? text : `${all},${text}`), '')
}

function ownedText({ target }: Owns, value: unknown): string {
  if (value === null) return 'null'
  if (!Array.isArray(value)) return nestedJson(target, value as RecordData)
  return `[${value.map((child: RecordData) => nestedJson(target, child)).join(',')}]`
}
