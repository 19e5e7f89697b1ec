import type { Row } from '../model/model.ts'
import { sameId } from '../model/names.ts'
import { type Draft, isEqual, setValue } from './draft.ts'

/** A value that this page, somebody else or both have changed. */
export interface Difference {
  readonly id: string
  /** Where it is: `chapters 3 / title`. */
  readonly path: string
  readonly base: unknown
  readonly mine: unknown
  readonly theirs: unknown
}

export type Choice = 'mine' | 'theirs'

/** The values in which the two differ; those that only they have changed, too, as one wants to see what comes along. */
export function differencesOf(mine: Draft, theirs: Draft, path = ''): Difference[] {
  const base = mine.base ?? {}
  const names = Object.keys({ ...mine.values, ...theirs.values })
  const own = names
    .filter((name) => !isEqual(mine.values[name], theirs.values[name]))
    .map((name) => ({
      id: `${path}${name}`,
      path: `${path}${name}`,
      base: base[name],
      mine: mine.values[name],
      theirs: theirs.values[name],
    }))
  const below = pairsOf(mine, theirs).flatMap(({ relation, own: child, other }) =>
    child.removed ? [] : differencesOf(child, other, `${path}${relation} ${String(child.id)} / `),
  )
  return [...own, ...below]
}

/** What is chosen if nobody has: my change, else theirs. */
export const defaultChoice = ({ base, mine }: Difference): Choice => (isEqual(base, mine) ? 'theirs' : 'mine')

/** Their record with my changes: the chosen values, and what I have added, removed and linked. */
export function mergeDrafts(mine: Draft, theirs: Draft, choices: ReadonlyMap<string, Choice>, path = ''): Draft {
  let merged = theirs
  for (const difference of differencesOf({ ...mine, owned: {} }, { ...theirs, owned: {} }, path)) {
    const choice = choices.get(difference.id) ?? defaultChoice(difference)
    if (choice === 'mine') merged = setValue(merged, difference.path.slice(path.length), difference.mine)
  }
  const pairs = pairsOf(mine, theirs)
  const owned = Object.entries(theirs.owned).map(([relation, children]) => {
    const together = children.map((other) => {
      const own = pairs.find((pair) => pair.other === other)?.own
      if (own === undefined) return other
      const below = mergeDrafts(own, other, choices, `${path}${relation} ${String(own.id)} / `)
      return own.removed ? { ...below, removed: true } : below
    })
    const added = (mine.owned[relation] ?? []).filter(({ base }) => base === undefined)
    return [relation, [...together, ...added]]
  })
  return { ...merged, owned: Object.fromEntries(owned), links: mergeLinks(mine, theirs) }
}

function mergeLinks(mine: Draft, theirs: Draft): Draft['links'] {
  const entries = Object.entries(theirs.links).map(([relation, links]) => {
    const own = mine.links[relation] ?? []
    const kept = links.map((link) => {
      const isRemoved = own.some(({ id, state }) => state === 'removed' && sameId(id, link.id))
      return isRemoved ? { ...link, state: 'removed' as const } : link
    })
    const added = own.filter(({ id, state }) => state === 'added' && !links.some((link) => sameId(link.id, id)))
    return [relation, [...kept, ...added]]
  })
  return Object.fromEntries(entries)
}

/** Owned records that both have, by their ids. */
function pairsOf(mine: Draft, theirs: Draft): { relation: string; own: Draft; other: Draft }[] {
  return Object.entries(mine.owned).flatMap(([relation, children]) =>
    children.flatMap((own) => {
      const other = (theirs.owned[relation] ?? []).find(({ id }) => id !== undefined && sameId(id, own.id))
      return own.base === undefined || other === undefined ? [] : [{ relation, own, other }]
    }),
  )
}

/** What they have deleted that I have changed: my changes of it are lost. */
export function lostIn(mine: Draft, theirs: Draft): Draft[] {
  return Object.entries(mine.owned).flatMap(([relation, children]) =>
    children.flatMap((own) => {
      if (own.base === undefined || own.removed) return []
      const other = (theirs.owned[relation] ?? []).find(({ id }) => sameId(id, own.id))
      if (other !== undefined) return lostIn(own, other)
      return Object.keys(own.values).some((name) => !isEqual(own.values[name], (own.base as Row)[name])) ? [own] : []
    }),
  )
}

/** Owned records that only one of two drafts has, at any depth. */
export function partsMissing(from: Draft, other: Draft): Draft[] {
  return Object.entries(from.owned).flatMap(([relation, children]) =>
    children.flatMap((child) => {
      const same = (other.owned[relation] ?? []).find(({ id }) => sameId(id, child.id))
      return same === undefined ? [child] : partsMissing(child, same)
    }),
  )
}
