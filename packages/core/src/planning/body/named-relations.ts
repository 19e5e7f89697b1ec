import { isObject } from '../../model/is-object.ts'
import type { Link, Owns, Reference, Resource } from '../../model/model.ts'
import type { Draft } from './draft.ts'

/**
 * The relations that a body names, at any depth, or whose foreign keys it names. It looks at names alone, of a body that may not fit:
 * that is for `readBody` to say, which has to know first what the client may see.
 */
export function namedInBody(resource: Resource, body: unknown): ReadonlySet<Owns | Reference | Link> {
  const found = new Set<Owns | Reference | Link>()
  // Does not recurse: a body may be deep.
  const open: [Resource, unknown][] = [body].flat().map((one) => [resource, one])
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [of, value] = next
    if (!isObject(value)) continue
    for (const name of Object.keys(value)) {
      const meaning = of.names.get(name)
      if (meaning?.is === 'link') found.add(meaning.link)
      else if (meaning?.is === 'foreignKey') found.add(meaning.reference)
      else if (meaning?.is === 'owns') {
        found.add(meaning.owns)
        for (const child of [value[name]].flat()) open.push([meaning.owns.target, child])
      }
    }
  }
  return found
}

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
