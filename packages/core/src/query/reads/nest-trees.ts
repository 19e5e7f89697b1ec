import type { Owns, Resource } from '../../model/model.ts'

type Json = Readonly<Record<string, unknown>>
/** A descendant as `recordJson` writes it: the index of the relation, the id of the owner, the record. */
type Descendant = readonly [relation: number, owner: number, record: Json]

/**
 * A record as JSON text, with all descendants inside of their owners, in the record and in all that it owns. Does not recurse
 * along a tree, which may be of any depth.
 */
export function nestedJson(resource: Resource, record: Json): string {
  if (!resource.holdsTrees) return JSON.stringify(record)
  const [carrier] = resource.recursive
  if (carrier === undefined) return recordText(resource, record, new Map())
  const descendants = record[carrier.name] as readonly Descendant[]
  const children = new Map<number, Descendant[]>()
  for (const descendant of descendants) {
    const known = children.get(descendant[1])
    if (known === undefined) children.set(descendant[1], [descendant])
    else known.push(descendant)
  }
  // From the root down. In reverse, each child comes before its owner.
  const order: Json[] = [record]
  for (let next = 0; next < order.length; next++) {
    for (const [, , child] of children.get((order[next] as Json).id as number) ?? []) order.push(child)
  }
  const texts = new Map<number, string>()
  for (const one of order.reverse()) {
    const owned = new Map<Owns, string>()
    for (const [index, owns] of resource.recursive.entries()) {
      const own = (children.get(one.id as number) ?? []).filter(([relation]) => relation === index)
      const inside = own.map(([, , child]) => texts.get(child.id as number) as string)
      owned.set(owns, owns.many ? `[${joined(inside)}]` : (inside[0] ?? 'null'))
    }
    texts.set(one.id as number, recordText(resource, one, owned))
    for (const [, , child] of children.get(one.id as number) ?? []) texts.delete(child.id as number)
  }
  return texts.get(record.id as number) as string
}

/** One record; `owned` has what it owns of its own kind. */
function recordText(resource: Resource, record: Json, owned: ReadonlyMap<Owns, string>): string {
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
  if (!Array.isArray(value)) return nestedJson(target, value as Json)
  return `[${value.map((child: Json) => nestedJson(target, child)).join(',')}]`
}
