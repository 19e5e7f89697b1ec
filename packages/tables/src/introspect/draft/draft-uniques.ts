import type { CatalogTable } from '../read/catalog.ts'
import type { FieldDraft, OwnRelation, UniqueDraft } from './draft.ts'
import { draftConditions } from './draft-conditions.ts'
import type { Exclusions } from './exclusions.ts'
import type { TableId } from './table-id.ts'

/**
 * The unique keys of a table, as lists of names, or with the condition of a partial index.
 *
 * @param names those of fields and relations, by the column
 * @param notes gets a sentence for each key that stays the database's own
 */
export function draftUniques(
  table: CatalogTable,
  id: TableId,
  names: ReadonlyMap<string, string>,
  fields: readonly FieldDraft[],
  relations: readonly OwnRelation[],
  exclusions: Exclusions,
  notes: string[],
): UniqueDraft[] {
  const idColumns = id.members ?? [id.column ?? '']
  const singles = new Set(relations.filter(isUniqueItself).map(({ foreignKey }) => foreignKey.column))
  const found = new Map<string, UniqueDraft>()
  for (const index of table.found.indexes) {
    if (
      !index.isUnique ||
      index.columns.some((column) => column !== undefined && !names.has(column) && idColumns.includes(column))
    )
      continue
    const members = index.columns.map((column) => names.get(column ?? ''))
    const columns = index.columns.filter((column) => column !== undefined)
    if (isSameSet(columns, idColumns) || (columns.length === 1 && singles.has(columns[0] ?? ''))) continue
    const where = index.isPartial ? draftConditions(table, index, names, fields) : {}
    const isForAll = where !== undefined && Object.keys(where).length === 0
    const named = members as readonly string[]
    const unique = where === undefined || isForAll ? named : { fields: named, where }
    const reason =
      whyNone(where === undefined, index.isDeferred, members.includes(undefined), index.nullsAreEqual) ??
      exclusions.ofUnique(table.name, unique)
    if (reason === undefined) {
      const set = JSON.stringify([...columns].sort())
      found.set(isForAll ? set : `${set} ${JSON.stringify(where)}`, unique)
    } else notes.push(`The unique index ${JSON.stringify(index.name)} stays the database's own: ${reason}`)
  }
  return [...found.values()]
}

function whyNone(
  isOtherwisePartial: boolean,
  isDeferred: boolean,
  isOther: boolean,
  nullsAreEqual: boolean,
): string | undefined {
  if (isOtherwisePartial) return 'it holds for some rows only, by a condition of its own'
  if (isDeferred) return 'it is checked at the end of a transaction'
  if (nullsAreEqual) return 'it takes two nulls for the same'
  return isOther ? 'it is over an expression, or a column that is left out' : undefined
}

/** The relation says so already. */
function isUniqueItself({ relation, options }: OwnRelation): boolean {
  return relation === 'ownedBy' || (relation === 'needs.one' && options.unique === true)
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}
