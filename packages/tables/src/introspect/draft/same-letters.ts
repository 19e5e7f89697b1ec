import type { CatalogTable } from '../read/catalog.ts'

/**
 * Names that differ from another one only in the case of letters, each with the one that stays in its place: PostgreSQL tells them apart,
 * but descriptors are for both databases. `isFirst`: whether a name comes before all others.
 */
function sameLetters(names: readonly string[], isFirst: (name: string) => boolean): ReadonlyMap<string, string> {
  const alike = Map.groupBy(names, (name) => name.toLowerCase())
  const left = new Map<string, string>()
  for (const [lower, all] of alike) {
    const kept = all.find(isFirst) ?? all.find((name) => name === lower) ?? all[0]
    for (const name of all) if (kept !== undefined && name !== kept) left.set(name, kept)
  }
  return left
}

/** Why tables cannot be described beside others, by their names. */
export function tablesWithSameLetters(tables: Iterable<string>): ReadonlyMap<string, string> {
  return new Map([...sameLetters([...tables], () => false)].map(([name, kept]) => [name, reason(kept)]))
}

/** Why a column cannot be described beside the others of its table; undefined if it can. Those of keys come first. */
export function columnWithSameLetters(
  { found, primaryKey, foreignKeys }: CatalogTable,
  column: string,
): string | undefined {
  const inKeys = [...primaryKey, ...foreignKeys.flatMap(({ columns }) => columns)]
  const kept = sameLetters([...found.columns.keys()], (name) => inKeys.includes(name)).get(column)
  return kept === undefined ? undefined : reason(kept)
}

function reason(kept: string): string {
  return `its name differs from ${JSON.stringify(kept)} only in the case of letters`
}
