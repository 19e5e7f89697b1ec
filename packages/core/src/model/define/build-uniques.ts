import type { ModelProblem } from '../../errors.ts'
import { didYouMean } from '../check/names.ts'
import type { Field, ForeignKey, KeyCondition, UniqueKey } from '../model.ts'
import type { ResourceDraft } from './resource-draft.ts'

/** What an id, a unique key or an index can be made of, by name. */
export type KeyMembers = ReadonlyMap<string, Field | ForeignKey>

/** Fields, and foreign keys by their own names and by those of their relations. */
export function keyMembers(draft: ResourceDraft): KeyMembers {
  const members = new Map<string, Field | ForeignKey>()
  for (const member of draft.members) if (member.kind === 'field') members.set(member.name, member)
  for (const key of [...draft.ownedBy, ...draft.references]) {
    members.set(key.name, key)
    if (!members.has(key.foreignKey)) members.set(key.foreignKey, key)
  }
  return members
}

/** The members with these names, of an id, a unique key or an index (`what`). */
export function membersNamed(
  names: readonly string[],
  members: KeyMembers,
  what: 'a unique key' | 'an index' | 'an id',
  place: string,
  problems: ModelProblem[],
): readonly (Field | ForeignKey)[] {
  const found = names.map((name) => {
    const member = members.get(name)
    if (member === undefined) {
      const hint = didYouMean(name, members.keys())
      problems.push({ place, message: `no field or relation with a foreign key '${name}'${hint}` })
    } else if (member.kind === 'field' && (member.storage === 'json' || member.storage === 'bytes')) {
      const is = member.storage === 'json' ? 'JSON' : 'base64'
      problems.push({ place, message: `'${name}' is ${is} and cannot be part of ${what}` })
    }
    return member
  })
  if (names.length === 0) problems.push({ place, message: `${what} has at least one field` })
  if (new Set(found).size !== found.length) problems.push({ place, message: 'the same field occurs twice' })
  return found.filter((member) => member !== undefined)
}

export function uniqueKey(
  names: readonly string[],
  members: UniqueKey['members'],
  where: readonly KeyCondition[] = [],
): UniqueKey {
  const others = where.map(({ member }) => member).filter((member) => !members.includes(member))
  return { names: [...names], members, where, dependsOn: [...members, ...others] }
}
