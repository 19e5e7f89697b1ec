import { isOwning, type ModelDocument } from '../model/model.ts'
import { spotAt } from '../model/names.ts'

/**
 * Whether what a query has read may be another thing after a write of records of these resources: its own, all that
 * they own, and what these refer to. Too often rather than too seldom.
 */
export function isReached(
  model: ModelDocument,
  [kind, , path, ...more]: readonly unknown[],
  changed: ReadonlySet<string>,
): boolean {
  if (kind !== 'list' && kind !== 'record' && kind !== 'history') return false
  const [plain = ''] = String(path).split('/$')
  const spot = spotAt(model, plain)
  if (spot === undefined) return true
  const shown = new Set(spot.chain.map(({ resource }) => resource))
  // A set grows while it is walked.
  for (const one of shown) for (const target of targetsOf(model, one, true)) shown.add(target)
  // Names in filters, sorts and columns lead further, a relation with each dot.
  const dots = JSON.stringify(more).match(/[\w)]\.\w+\.\w/g) === null ? 1 : 3
  for (let step = 0; step < dots; step += 1)
    for (const one of [...shown]) for (const target of targetsOf(model, one, false)) shown.add(target)
  return [...changed].some((one) => shown.has(one))
}

function targetsOf({ resources }: ModelDocument, key: string, isOwned: boolean): string[] {
  const relations = Object.values(resources[key]?.relations ?? {})
  return relations.filter((relation) => !isOwned || isOwning(relation)).map(({ target }) => target)
}
