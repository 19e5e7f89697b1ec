import type { Owns, Resource } from '../model/model.ts'
import type { Changes, RecordData } from './changes.ts'

/** Removes a record with everything that it owns, to any depth. */
export function remove(resource: Resource, record: RecordData, pointer: string, changes: Changes): void {
  const open: [Resource, RecordData][] = [[resource, record]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [kind, going] = next
    let records = changes.removed.get(kind)
    if (records === undefined) {
      records = new Map()
      changes.removed.set(kind, records)
    }
    records.set(going.id, { record: going, pointer })
    for (let position = 0; position < kind.owns.length; position++) {
      const owns = kind.owns[position] as Owns
      const owned = going[owns.name] as RecordData | readonly RecordData[] | null
      if (owned === null) continue
      if (Array.isArray(owned)) for (const child of owned as readonly RecordData[]) open.push([owns.target, child])
      else open.push([owns.target, owned as RecordData])
    }
  }
}
