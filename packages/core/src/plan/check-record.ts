import type { Resource } from '../model/model.ts'
import type { RecordData } from './record-data.ts'

/**
 * Throws a TypeError that names the first relation or field which a current record lacks, or one of the records that it owns.
 * What is missing would look as if the database had none of it.
 *
 * `required`: a DELETE needs only the ids of the record and of what it owns.
 */
export function checkRecord(resource: Resource, record: RecordData, required: 'everything' | 'ids'): void {
  // Does not recurse: a tree may be deep.
  const open: [Resource, unknown, string][] = [[resource, record, 'record']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, one, where] = next
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw unlike(`${where} is not an object`, of)
    const values = one as Readonly<Record<string, unknown>>
    const lacks = (name: string) => unlike(`${where} lacks '${name}'`, of)
    if (values.id === undefined) throw lacks('id')
    for (const member of required === 'everything' ? of.members : []) {
      const isWriteOnly = member.kind === 'field' && member.writeOnly
      if (!isWriteOnly && values[member.property] === undefined) throw lacks(member.property)
    }
    for (const { name } of required === 'everything' ? of.links : [])
      if (!Array.isArray(values[name])) throw lacks(name)
    for (const { name, many, target } of of.owns) {
      const owned = values[name]
      if (many) {
        if (!Array.isArray(owned)) throw lacks(name)
        for (const [index, child] of owned.entries()) open.push([target, child, `${where}.${name}[${index}]`])
      } else {
        if (owned === undefined) throw lacks(name)
        if (owned !== null) open.push([target, owned, `${where}.${name}`])
      }
    }
  }
}

function unlike(problem: string, { key }: Resource): TypeError {
  return new TypeError(`${problem}; give the ${key} as a GET shows it`)
}
