import type { Link, Owns, Resource } from '../../model/model.ts'
import type { RecordData } from '../rows.ts'

/**
 * Throws a TypeError that names the first relation or field which a current record lacks, or one of the records that it owns.
 * What is missing would look as if the database had none of it.
 *
 * `besides`: the relations of which something is to be known besides those that a record carries by default. `'ids'`: a DELETE needs only
 * the ids of the record and of what it owns.
 */
export function checkRecord(resource: Resource, record: RecordData, besides: ReadonlySet<Owns | Link> | 'ids'): void {
  const isDelete = besides === 'ids'
  const isNeeded = (relation: Owns | Link) => isDelete || relation.carried || besides.has(relation)
  // Does not recurse: a tree may be deep.
  const open: [Resource, unknown, string][] = [[resource, record, 'record']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, one, where] = next
    if (typeof one !== 'object' || one === null || Array.isArray(one)) throw unlike(`${where} is not an object`, of)
    const values = one as Readonly<Record<string, unknown>>
    const lacks = (name: string, carried = true) => unlike(`${where} lacks '${name}'`, of, carried)
    if (values.id === undefined) throw lacks('id')
    for (const member of isDelete ? [] : of.members) {
      const isWriteOnly = member.kind === 'field' && member.writeOnly
      if (!isWriteOnly && values[member.property] === undefined) throw lacks(member.property)
    }
    for (const link of isDelete ? [] : of.links.filter(isNeeded)) {
      if (!Array.isArray(values[link.name])) throw lacks(link.name, link.carried)
    }
    for (const owns of of.owns) {
      // A write may remove a record that another one owns, and then all that it owns itself has to be known.
      if (one === record && !isNeeded(owns)) continue
      const { name, many, target, carried } = owns
      const owned = values[name]
      if (many) {
        if (!Array.isArray(owned)) throw lacks(name, carried)
        for (const [index, child] of owned.entries()) open.push([target, child, `${where}.${name}[${index}]`])
      } else {
        if (owned === undefined) throw lacks(name, carried)
        if (owned !== null) open.push([target, owned, `${where}.${name}`])
      }
    }
  }
}

function unlike(problem: string, { key }: Resource, carried = true): TypeError {
  return new TypeError(`${problem}; give the ${key} ${carried ? 'as GET returns it' : 'with it'}`)
}
