import type { Draft, MutableDraft } from './draft.ts'

/**
 * Gives the new records in a body the ids that the library assigns, in the order of the body. Those that have one keep it. Throws
 * what an application's `assign` throws.
 */
export function assignIds(draft: Draft): void {
  for (const one of draftsThatNeedIds(draft)) if (one.id === undefined) one.id = one.resource.id.assign?.()
}

/** The new records in a body whose ids the library assigns: owners before what they own. */
export function draftsThatNeedIds(draft: Draft): readonly MutableDraft[] {
  if (!draft.resource.assignsIds) return NONE
  const found: MutableDraft[] = []
  const visit = (one: Draft): void => {
    if (!one.resource.assignsIds) return
    if (one.operation === 'create' && one.resource.id.assign !== undefined) found.push(one as MutableDraft)
    for (const owned of one.owned) for (const child of [owned ?? []].flat() as readonly Draft[]) visit(child)
  }
  visit(draft)
  return found
}

const NONE: readonly never[] = []
