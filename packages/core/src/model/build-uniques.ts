import type { ModelProblem } from '../errors.ts'
import { buildingOf, type ResourceDraft } from './draft.ts'
import { keyMembers, membersNamed } from './key-members.ts'

/** Turns a descriptor's `unique` into unique keys over fields and foreign keys. */
export function buildUniques(draft: ResourceDraft, problems: ModelProblem[]): void {
  const members = keyMembers(draft)
  for (const [index, names] of (buildingOf(draft).descriptor.unique ?? []).entries()) {
    const place = `${draft.key}.unique[${index}]`
    draft.uniques.push({
      names: [...names],
      members: membersNamed(names, members, 'a unique key', place, problems),
    })
  }
}
