import type { Link, Owns } from '../../model/model.ts'
import type { Draft } from './draft.ts'

/** The relations that a PUT or PATCH names although records do not carry them by default: the stored ones have to be known, too. */
export function namedBesides(draft: Draft): ReadonlySet<Owns | Link> {
  if (draft.resource.carriesAll) return NONE
  const found = new Set<Owns | Link>()
  // Does not recurse: a tree may be deep.
  const open: Draft[] = [draft]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { resource, operation, owned, links } = next
    // Nothing is stored of a new record.
    if (operation === 'create') continue
    for (const relation of resource.owns) {
      const children = owned[relation.position]
      if (children === undefined) continue
      if (!relation.carried) found.add(relation)
      for (const child of [children ?? []].flat() as readonly Draft[]) open.push(child)
    }
    for (const link of resource.links) if (!link.carried && links[link.position] !== undefined) found.add(link)
  }
  return found
}

const NONE: ReadonlySet<Owns | Link> = new Set()
