import type { Id } from '../../model/ids.ts'
import type { Resource } from '../../model/model.ts'
import type { Draft } from '../body/draft.ts'
import type { Listed } from './diff.ts'

/** Finds what the body says of a record that exists. A resource is known by its key: models of several roles share it. */
export function findListed(listed: readonly Listed[]): (resource: Pick<Resource, 'key'>, id: Id) => Draft | undefined {
  let drafts: Map<string, Map<Id, Draft>> | undefined
  return ({ key }, id) => {
    drafts ??= draftsByKey(listed)
    return drafts.get(key)?.get(id)
  }
}

function draftsByKey(listed: readonly Listed[]): Map<string, Map<Id, Draft>> {
  const drafts = new Map<string, Map<Id, Draft>>()
  for (const { id, draft } of listed) {
    const known = drafts.get(draft.resource.key)
    if (known === undefined) drafts.set(draft.resource.key, new Map([[id, draft]]))
    else known.set(id, draft)
  }
  return drafts
}
