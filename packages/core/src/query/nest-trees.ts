import type { Owns, Resource } from '../model/model.ts'

type Json = Record<string, unknown>
/** As `recordJson` writes a descendant: through which relation, below whom, what. */
type Descendant = readonly [relation: number, owner: number, record: Json]

const found = new WeakMap<Resource, boolean>()

/** Whether a record of the resource holds trees that the database could not nest. */
export function holdsTrees(resource: Resource): boolean {
  let answer = found.get(resource)
  if (answer === undefined) {
    answer = resource.recursive.length > 0 || resource.owns.some((owns) => holdsTrees(owns.target))
    found.set(resource, answer)
  }
  return answer
}

/** Puts the descendants of self-owned records where they belong, in this record and all that it owns. Changes it. */
export function nestTrees(resource: Resource, record: Json): void {
  const open: [Resource, Json][] = [[resource, record]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [kind, root] = next
    const records = kind.recursive.length === 0 ? [root] : nestTree(kind, root)
    for (const one of records) {
      for (const owns of kind.owns) {
        if (owns.target === kind || !holdsTrees(owns.target)) continue
        const owned = one[owns.name] as Json | readonly Json[] | null
        if (owned === null) continue
        for (const child of Array.isArray(owned) ? (owned as readonly Json[]) : [owned as Json])
          open.push([owns.target, child])
      }
    }
  }
}

/** Nests one tree; returns all its records. */
function nestTree(resource: Resource, root: Json): Json[] {
  const [carrier] = resource.recursive as readonly [Owns]
  const descendants = root[carrier.name] as readonly Descendant[]
  const byId = new Map<unknown, Json>()
  const records = [root, ...descendants.map(([, , record]) => record)]
  for (const record of records) {
    byId.set(record.id, record)
    for (const owns of resource.recursive) record[owns.name] = owns.many ? [] : null
  }
  for (const [relation, owner, record] of descendants) {
    const owns = resource.recursive[relation] as Owns
    const above = byId.get(owner) as Json
    if (owns.many) (above[owns.name] as Json[]).push(record)
    else above[owns.name] = record
  }
  return records
}
