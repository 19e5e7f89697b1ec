import { GRAMMAR_WORDS, problemOfFieldName, problemOfRelationName } from '@fastify-crud/core/internal'
import type { CatalogTable } from '../read/catalog.ts'

/** The name of a field for a column: its own, unless that has a meaning of its own. */
export function fieldName(column: string, taken: ReadonlySet<string>): string {
  return free(problemOfFieldName(column) === undefined ? column : usable(column, /[.,()[\]]|^-/g), taken)
}

/** The name of a foreign key's column in bodies. */
export function foreignKeyName(column: string, relation: string, taken: ReadonlySet<string>): string {
  if (column === 'id') return free(`${relation}Id`, taken)
  return free(relationNameFrom(column), taken)
}

/** Called as the foreign key without its end: `author` for `author_id`. */
export function relationName(column: string, target: string, taken: ReadonlySet<string>): string {
  return withRecord(relationNameFrom(withoutEnd(column, target)), taken)
}

/** Called as the other table; with the name of its relation, where that has several. */
export function oppositeName(key: string, relation: string, isOnly: boolean, taken: ReadonlySet<string>): string {
  return withRecord(isOnly ? key : `${key}_${relation}`, taken)
}

/** The key of a resource: the table's name, as far as a key may have its letters. */
export function resourceKey(table: string, taken: ReadonlySet<string>): string {
  const letters = table.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)|^$/, '_')
  return free(letters === '__proto__' ? `${letters}_` : letters, taken)
}

const END = /(?:_id|Id|ID)$/

function withoutEnd(column: string, target: string): string {
  const short = column.replace(END, '')
  if (short !== column && short !== '' && short !== '_') return short
  if (column === 'id') return target
  return column.toLowerCase() === `${target.toLowerCase()}id` ? column.slice(0, -'id'.length) : column
}

function relationNameFrom(name: string): string {
  const letters = name.replace(/[^\p{L}\p{N}_]/gu, '_').replace(/^(?=\p{N})/u, '_')
  return problemOfRelationName('relation', letters) === undefined ? letters : `${letters}_`
}

function withRecord(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) || GRAMMAR_WORDS.has(name) ? free(`${name}Record`, taken) : name
}

function usable(name: string, unusable: RegExp): string {
  const letters = name.replace(unusable, '_')
  return problemOfFieldName(letters) === undefined ? letters : `${letters}_`
}

function free(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? free(`${name}_`, taken) : name
}

/**
 * Names that differ from another one only in the case of letters, each with the one that stays in its place: PostgreSQL
 * tells them apart, but descriptors are for both databases. `isFirst`: whether a name comes before all others.
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
