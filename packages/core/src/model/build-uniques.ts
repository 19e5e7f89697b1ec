import type { ModelProblem } from '../errors.ts'
import { buildingOf, type ResourceDraft } from './draft.ts'
import type { Field, ForeignKey } from './model.ts'
import { didYouMean } from './suggest.ts'

/** Turns a descriptor's `unique` into unique keys over fields and foreign keys. */
export function buildUniques(draft: ResourceDraft, problems: ModelProblem[]): void {
  const members = new Map<string, Field | ForeignKey>()
  for (const field of draft.fields) members.set(field.name, field)
  for (const key of [...draft.ownedBy, ...draft.references]) {
    members.set(key.name, key)
    if (!members.has(key.foreignKey)) members.set(key.foreignKey, key)
  }
  for (const [index, names] of (buildingOf(draft).descriptor.unique ?? []).entries()) {
    const place = `${draft.key}.unique[${index}]`
    const found = names.map((name) => {
      const member = members.get(name)
      if (member === undefined) {
        const hint = didYouMean(name, members.keys())
        problems.push({ place, message: `no field or relation with a foreign key '${name}'${hint}` })
      } else if (member.kind === 'field' && member.storage === 'json') {
        problems.push({ place, message: `'${name}' is JSON and cannot be part of a unique key` })
      }
      return member
    })
    if (names.length === 0) problems.push({ place, message: 'a unique key has at least one field' })
    if (new Set(found).size !== found.length) problems.push({ place, message: 'the same field stands twice' })
    draft.uniques.push({ names: [...names], members: found.filter((member) => member !== undefined) })
  }
}
