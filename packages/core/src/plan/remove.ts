import type { Owns, Resource } from '../model/model.ts'
import type { Changes, RecordData } from './changes.ts'

/** Removes a record with everything that it owns, to any depth. */
export function remove(resource: Resource, record: RecordData, pointer: string, { removed }: Changes): void {
  const open: Owned[] = []
  removeOne(resource, record, pointer, removed, open)
  for (let next = open.pop(); next !== undefined; next = open.pop()) removeOne(...next, pointer, removed, open)
}

type Owned = readonly [Resource, RecordData]

/** Adds what it owns to what is open. */
function removeOne(
  resource: Resource,
  record: RecordData,
  pointer: string,
  removed: Changes['removed'],
  open: Owned[],
): void {
  let records = removed.get(resource)
  if (records === undefined) {
    records = new Map()
    removed.set(resource, records)
  }
  records.set(record.id, pointer)
  for (let position = 0; position < resource.owns.length; position++) {
    const { name, target } = resource.owns[position] as Owns
    const owned = record[name] as RecordData | readonly RecordData[] | null
    if (owned === null) continue
    if (Array.isArray(owned)) for (const child of owned as readonly RecordData[]) open.push([target, child])
    else open.push([target, owned as RecordData])
  }
}
