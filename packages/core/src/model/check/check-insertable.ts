import type { ModelProblem } from '../../errors.ts'
import type { ResourceDraft } from '../define/resource-draft.ts'
import type { Resource } from '../model.ts'

type Drafts = ReadonlyMap<string, ResourceDraft>

/**
 * Refuses a model in which a resource can never have a first record, or whose tables have no order of insertion. Gives
 * each resource its rank in that order.
 */
export function checkInsertable(drafts: Drafts, problems: ModelProblem[]): void {
  for (const cycle of cycles(drafts, ownersOf)) {
    if (cycle.length === 1) continue
    const [first, ...owners] = cycle
    problems.push({
      place: `${first}.relations`,
      message: `${[first, ...owners.reverse()].join(' owns ')} owns ${first}: a resource may own itself, but a longer circle of owners is not supported`,
    })
  }
  if (problems.length > 0) return
  const insertable = findInsertable(drafts)
  for (const draft of drafts.values()) {
    if (insertable.has(draft)) continue
    problems.push(neverInserted(draft, insertable))
  }
  if (problems.length > 0) return
  for (const cycle of cycles(drafts, precedents)) {
    if (cycle.length === 1) continue
    problems.push({
      place: `${cycle[0]}.relations`,
      message: `the foreign keys of ${cycle.join(', ')} form a circle, so no record could be inserted first; make one of the relations 'knows', or optional`,
    })
  }
  if (problems.length > 0) return
  const ranks = new Map<Resource, number>()
  for (const draft of drafts.values()) draft.rank = rankOf(draft, ranks)
}

function neverInserted(draft: ResourceDraft, insertable: ReadonlySet<Resource>): ModelProblem {
  const { key } = draft
  const never = `a first ${key} can never be inserted`
  const blocking = [...needsOf(draft)].filter((target) => !insertable.has(target)).map((target) => target.key)
  if (blocking.length > 0) {
    const because = `it needs ${blocking.join(', ')}, which cannot exist before it`
    return { place: `${key}.relations`, message: `${never}: ${because}` }
  }
  const [up, another] = draft.ownedBy
  if (up?.target !== draft || another !== undefined) {
    return { place: `${key}.relations`, message: `${never}: its owner can never exist` }
  }
  const cure = `with ownedBy('${key}', { optional: true }) a record without an owner is a root`
  return { place: `${key}.relations.${up.name}`, message: `${never}: its owner can never exist; ${cure}` }
}

function ownersOf(draft: Resource): Set<Resource> {
  return new Set(draft.ownedBy.map((owner) => owner.target))
}

function needsOf(draft: Resource): Set<Resource> {
  const needed = new Set<Resource>()
  for (const reference of draft.references) if (!reference.nullable) needed.add(reference.target)
  for (const link of draft.links) if (link.needs) needed.add(link.target)
  for (const owns of draft.owns) {
    if (owns.required && owns.target !== draft) for (const target of needsOf(owns.target)) needed.add(target)
  }
  return needed
}

/** The resources that a row of this one must name: by a foreign key that cannot be null. */
function precedents(draft: Resource): Set<Resource> {
  if (!draft.isWritable) return new Set()
  const before = ownersOf(draft)
  for (const reference of draft.references) if (!reference.nullable) before.add(reference.target)
  if (draft.tenant?.isOwnId === false) before.add(draft.tenant.of)
  return before
}

function findInsertable(drafts: Drafts): Set<Resource> {
  const insertable = new Set<Resource>()
  for (let grew = true; grew; ) {
    grew = false
    for (const draft of drafts.values()) {
      if (insertable.has(draft)) continue
      // Of what nobody writes, there are records already.
      const needed = !draft.isWritable || [...needsOf(draft)].every((target) => insertable.has(target))
      const owned = draft.isRoot || draft.ownedBy.some((owner) => insertable.has(owner.target))
      if (!needed || !owned) continue
      insertable.add(draft)
      grew = true
    }
  }
  return insertable
}

/** One list of keys for each circle in a graph of resources. */
function cycles(drafts: Drafts, next: (draft: Resource) => Iterable<Resource>): string[][] {
  const found: string[][] = []
  const done = new Set<Resource>()
  const path: Resource[] = []
  const visit = (draft: Resource): void => {
    const start = path.indexOf(draft)
    if (start >= 0) {
      found.push(path.slice(start).map((resource) => resource.key))
      return
    }
    if (done.has(draft)) return
    done.add(draft)
    path.push(draft)
    for (const target of next(draft)) visit(target)
    path.pop()
  }
  for (const draft of drafts.values()) visit(draft)
  return found
}

function rankOf(draft: Resource, ranks: Map<Resource, number>): number {
  const known = ranks.get(draft)
  if (known !== undefined) return known
  let rank = 0
  for (const before of precedents(draft)) if (before !== draft) rank = Math.max(rank, rankOf(before, ranks) + 1)
  ranks.set(draft, rank)
  return rank
}
