import type { Resource } from '../model/model.ts'
import { resourcesInRecord } from '../model/resource-tree.ts'
import type { Condition } from './condition.ts'
import type { GroupQuery } from './groups/group-query.ts'
import type { ListQuery } from './list-query.ts'
import type { RecordQuery } from './record-query.ts'
import type { Contents } from './select/contents.ts'
import type { SortKey } from './sort-key.ts'

/** The resources at the far ends of all relations that a query names, and of those that come with them. */
export function resourcesIn(
  query: (RecordQuery & Partial<Pick<ListQuery, 'condition' | 'sort'>>) | GroupQuery,
): ReadonlySet<Resource> {
  const found = new Set<Resource>()
  if ('keys' in query) {
    for (const { relations } of [...query.keys, ...query.values]) for (const { target } of relations) found.add(target)
    addOfCondition(query.condition, found)
    return found
  }
  if (query.condition !== undefined) addOfCondition(query.condition, found)
  if (query.sort !== undefined) addOfSort(query.sort, found)
  if (query.contents !== undefined) addOfContents(query.contents, found)
  return found
}

function addOfCondition(condition: Condition, found: Set<Resource>): void {
  switch (condition.kind) {
    case 'all':
    case 'any':
    case 'union':
      for (const inner of condition.conditions) addOfCondition(inner, found)
      break
    case 'some':
      found.add(condition.relation.target)
      addOfCondition(condition.condition, found)
      break
    case 'not':
      addOfCondition(condition.condition, found)
      break
    case 'compare':
  }
}

function addOfSort(sort: readonly SortKey[], found: Set<Resource>): void {
  for (const { by } of sort) for (const { target } of by.relations) found.add(target)
}

function addOfContents({ counts, related, leftOut, rows }: Contents, found: Set<Resource>): void {
  for (const { relations } of counts.values()) for (const { target } of relations) found.add(target)
  for (const { target } of leftOut) found.add(target)
  for (const [{ kind, target }, contents] of related) {
    found.add(target)
    if (kind === 'owns' && contents.values === undefined) addCarried(target, found)
    addOfContents(contents, found)
  }
  addOfCondition(rows.condition, found)
  addOfSort(rows.sort, found)
}

/** What an owned record shows if the query does not say. */
function addCarried(resource: Resource, found: Set<Resource>): void {
  const { owned, related } = resourcesInRecord(resource)
  for (const shown of [...owned, ...related]) found.add(shown)
}
