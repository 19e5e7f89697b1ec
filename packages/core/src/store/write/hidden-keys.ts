import type { Hidden } from '../../plan/body/draft.ts'

/** The keys of hidden resources, for those whose resources may be of another model. */
export function hiddenKeys(hidden: Hidden): ReadonlySet<string> {
  return new Set(Array.from(hidden, ({ key }) => key))
}
