import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import type { Draft } from '../body/draft.ts'
import type { Listed } from './diff.ts'

/** Finds what the body says of a record that exists. */
export function findListed(listed: readonly Listed[]): (resource: Resource, id: Id) => Draft | undefined {
  let drafts: Map<Resource, Map<Id, Draft>> | undefined
  return (resource, id) => {
    drafts ??= draftsByResource(listed)
    return drafts.get(resource)?.get(id)
  }
}

function draftsByResource(listed: readonly Listed[]): Map<Resource, Map<Id, Draft>> {
  const drafts = new Map<Resource, Map<Id, Draft>>()
  for (const { id, draft } of listed) {
    const known = drafts.get(draft.resource)
    if (known === undefined) drafts.set(draft.resource, new Map([[id, draft]]))
    else known.set(id, draft)
  }
  return drafts
}
