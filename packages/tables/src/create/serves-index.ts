import type { DatabaseName } from '@fastify-crud/core/internal'
import type { FoundIndex, FoundKey, FoundTable, Trigrams } from '../catalogs/found-tables.ts'
import type { IndexKey, WantedIndex } from './wanted-indexes.ts'

/** Whether the table has an index, a unique one too, that begins with the columns of the wanted one, in this order. */
export function hasIndex(database: DatabaseName, found: FoundTable, wanted: WantedIndex): boolean {
  const { trigrams } = wanted
  if (trigrams !== undefined) return wanted.keys.every(({ column }) => hasTrigrams(found, column.name, trigrams))
  return found.indexes.some((index) => serves(database, found, index, wanted))
}

function hasTrigrams(found: FoundTable, column: string, { collation }: Trigrams): boolean {
  const text = bare(`lower(${column} collate ${collation})`)
  return found.indexes.some(
    (index) =>
      index.hasTrigrams === true &&
      !index.isPartial &&
      index.keys.some(({ expression }) => bare(expression ?? '').replaceAll('::text', '') === text),
  )
}

function serves(database: DatabaseName, found: FoundTable, index: FoundIndex, wanted: WantedIndex): boolean {
  if (!index.isUsable || !index.isSorted || index.isPartial) return false
  const keys = index.keys.slice(0, wanted.keys.length)
  return (
    keys.length === wanted.keys.length &&
    wanted.keys.every((key, position) => holds(database, found, keys[position] as FoundKey, key)) &&
    isInOrder(database, keys, wanted)
  )
}

function holds(database: DatabaseName, found: FoundTable, key: FoundKey, { column, part }: IndexKey): boolean {
  // PostgreSQL shows a cast of what is no `text` already.
  const expression = bare(key.expression ?? '').replaceAll('::text', '')
  const name = bare(column.name)
  switch (part) {
    case 'value':
      return key.column === column.name && (column.kind !== 'string' || hasCollation(database, found, key))
    case 'moment':
      return database === 'sqlite'
        ? expression === `unixepoch${name},subsec`
        : expression.includes(`make_datesubstr${name},`)
    case 'number':
      return expression === `${name}::numeric`
    case 'trigrams':
      return false
  }
}

/** Strings sort by code point, so an index of SQLite that does not tell upper from lower case is of no use. */
function hasCollation(database: DatabaseName, found: FoundTable, { column, collation }: FoundKey): boolean {
  if (database === 'sqlite') return collation === 'BINARY'
  return collation === found.columns.get(column ?? '')?.collation
}

/**
 * Whether the rows come in the wanted order, read forward or backward. Of SQLite the direction is enough: it finds the nulls at either
 * end.
 */
function isInOrder(
  database: DatabaseName,
  keys: readonly FoundKey[],
  { keys: wanted, isDescending }: WantedIndex,
): boolean {
  const isSame = ({ isDescending: found, nullsFirst }: FoundKey, position: number): boolean => {
    const wantsNullsFirst = isDescending && wanted[position]?.column.nullable === false
    return found === isDescending && (database === 'sqlite' || nullsFirst === wantsNullsFirst)
  }
  const backward = keys.map((key) => ({ ...key, isDescending: !key.isDescending, nullsFirst: !key.nullsFirst }))
  return keys.every(isSame) || backward.every(isSame)
}

/** An expression without what two spellings of it may differ in. */
function bare(text: string): string {
  return text.replace(/[\s()"'`[\]]/g, '').toLowerCase()
}
