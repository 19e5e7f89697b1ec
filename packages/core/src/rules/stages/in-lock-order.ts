import type { Id } from '../../model/ids/id-kind.ts'
import type { RuledRow } from '../rows/ruled-row.ts'

/**
 * The rows in one order for all requests: by the records that they name. A rule that locks these records row by row then
 * takes them in one order, however the body lists the rows. Otherwise two requests could each wait for the other.
 */
export function inLockOrder<One extends { readonly row: RuledRow }>(all: readonly One[]): readonly One[] {
  const seen = new Set<RuledRow['resource']>()
  const mayNameTheSame = all.some(({ row: { resource } }) => {
    return resource.references.length > 0 && seen.size === seen.add(resource).size
  })
  return mayNameTheSame ? all.toSorted((one, other) => compare(one.row, other.row)) : all
}

function compare(one: RuledRow, other: RuledRow): number {
  const { key, references } = one.resource
  if (key !== other.resource.key) return key < other.resource.key ? -1 : 1
  for (const { position, property, target } of references) {
    const [first, second] = [one, other].map(({ values, record }) => values?.[position] ?? record?.[property] ?? null)
    if (first === second) continue
    if (first === null || second === null) return first === null ? 1 : -1
    return target.id.compare(first as Id, second as Id)
  }
  return 0
}
