import type { Catalog, CatalogTable } from '../read/catalog.ts'
import { type SingleKey, singleKeys } from '../read/catalog.ts'
import type { OwnRelation } from './draft.ts'
import { hasIds } from './draft.ts'
import type { Exclusions } from './exclusions.ts'
import { isWritten, type KeptTable } from './exclusions.ts'
import { foreignKeyName, relationName } from './names.ts'

/** The relations that foreign keys make, for each table. The opposite sides are none of them. */
export function draftRelations(
  catalog: Catalog,
  kept: ReadonlyMap<string, KeptTable>,
  exclusions: Exclusions,
): ReadonlyMap<KeptTable, readonly OwnRelation[]> {
  const keys = new Map(
    [...kept.values()].map(({ table }) => [table, possibleKeys(catalog, table, kept, exclusions)] as const),
  )
  const written = new Set([...kept.values()].flatMap((one) => (isWritten(one) ? [one.table] : [])))
  const ofWritten = [...keys].flatMap(([table, all]) => {
    const named = all.filter(({ target }) => written.has(catalog.tables.get(target) as CatalogTable))
    return written.has(table) ? [[table, named] as const] : []
  })
  const owners = ownersOf(new Map(ofWritten))
  return new Map(
    [...kept.values()].map((one) => {
      const owner = owners.get(one.table)
      return [one, relationsOf(one, keys.get(one.table) ?? [], owner, kept)]
    }),
  )
}

/** Those that name a resource with ids of one value. */
function possibleKeys(
  catalog: Catalog,
  table: CatalogTable,
  kept: ReadonlyMap<string, KeptTable>,
  exclusions: Exclusions,
): readonly SingleKey[] {
  return singleKeys(catalog, table).filter(({ column, target }) => {
    const id = kept.get(target)?.id
    if (id === undefined || !hasIds(id) || exclusions.ofRelation(table.name, column) !== undefined) return false
    return id.members === undefined || id.members.length === 1
  })
}

function relationsOf(
  keptTable: KeptTable,
  keys: readonly SingleKey[],
  owner: SingleKey | undefined,
  kept: ReadonlyMap<string, KeptTable>,
): readonly OwnRelation[] {
  const { table, id } = keptTable
  const taken = new Set(['id', ...table.found.columns.keys()])
  return inColumnOrder(table, keys).flatMap((key) => {
    const nullable = isNullable(table, key.column)
    const kind = kindOf(table, key, key === owner, nullable)
    const target = kept.get(key.target)?.key
    if (kind === undefined || target === undefined) return []
    const name = relationName(key.column, target, taken)
    taken.add(name)
    const isOnlyPart = id.members?.join() === key.column
    const isUnique = kind.relation === 'needs.one' && (isOnlyPart || isUniqueAlone(table, key.column))
    const others = new Set([...taken].filter((one) => one !== key.column))
    const foreignKey = { name: foreignKeyName(key.column, name, others), column: key.column }
    const options = {
      foreignKey: foreignKey.name,
      ...(nullable && kind.relation !== 'knows.one' && { optional: true }),
      ...(isUnique && { unique: true }),
    }
    // What the database does to a row that nobody writes here is nobody's choice.
    const note = isWritten(keptTable) ? kind.note : undefined
    return [{ name, target, ...kind, note, options, foreignKey }]
  })
}

function inColumnOrder({ found }: CatalogTable, keys: readonly SingleKey[]): readonly SingleKey[] {
  const columns = [...found.columns.keys()]
  return keys.toSorted((one, other) => columns.indexOf(one.column) - columns.indexOf(other.column))
}

type Kind = Pick<OwnRelation, 'relation' | 'note'>

/** What the database does to the row when the other one goes says which relation it is; undefined: none. */
function kindOf(table: CatalogTable, key: SingleKey, isOwner: boolean, nullable: boolean): Kind | undefined {
  if (isOwner) return { relation: 'ownedBy', note: key.target === table.name ? undefined : OWNED }
  if (key.target === table.name && !nullable) return undefined
  if (key.target === table.name && key.onDelete !== 'CASCADE') return { relation: 'knows.one', note: clearedNote(key) }
  switch (key.onDelete) {
    case 'SET DEFAULT':
      return undefined
    case 'SET NULL':
      return { relation: nullable ? 'knows.one' : 'needs.one', note: undefined }
    case 'CASCADE':
      return { relation: 'needs.one', note: 'the database deletes the row with the other one; ownedBy would, too' }
    default:
      return { relation: 'needs.one', note: undefined }
  }
}

const OWNED = 'it is a part of that record; needs.one, and neededBy.many there, would make it a record of its own'

/** The database would refuse to delete what is named. */
function clearedNote({ onDelete }: SingleKey): string | undefined {
  if (onDelete === 'SET NULL') return undefined
  return 'the database would refuse a DELETE of the other record; here it clears this one. needs.one with optional: true refuses it'
}

function isNullable({ found, primaryKey }: CatalogTable, column: string): boolean {
  return !primaryKey.includes(column) && found.columns.get(column)?.notNull !== true
}

/** Whether a unique key keeps each value of the column from a second row. */
export function isUniqueAlone({ found }: CatalogTable, column: string): boolean {
  return found.indexes.some(
    ({ isUnique, isPartial, isDeferred, columns }) =>
      isUnique && !isPartial && !isDeferred && columns.length === 1 && columns[0] === column,
  )
}

/**
 * Which foreign key of each table names the owner of its rows, if one does: its only cascading one, if it is never
 * null; or, of a table whose key is a pair of foreign keys, the first of them. A longer circle of owners is none.
 */
function ownersOf(tables: ReadonlyMap<CatalogTable, readonly SingleKey[]>): ReadonlyMap<CatalogTable, SingleKey> {
  const owners = new Map<CatalogTable, SingleKey>()
  const ownerOf = new Map<string, string>()
  for (const [table, keys] of tables) {
    const owner = ownerAmong(table, keys)
    if (owner === undefined || reaches(ownerOf, owner.target, table.name)) continue
    owners.set(table, owner)
    if (owner.target !== table.name) ownerOf.set(table.name, owner.target)
  }
  return owners
}

function ownerAmong(table: CatalogTable, keys: readonly SingleKey[]): SingleKey | undefined {
  const [cascading, another] = keys.filter(({ onDelete }) => onDelete === 'CASCADE')
  const isOnly = cascading !== undefined && another === undefined
  if (isOnly && cascading.target === table.name) return isNotNull(table, cascading) ? undefined : cascading
  if (isOnly) return isNotNull(table, cascading) ? cascading : undefined
  const pair = table.primaryKey.map((column) => keys.find((key) => key.column === column))
  return pair.length === 2 && pair.every((key) => key !== undefined && key.target !== table.name) ? pair[0] : undefined
}

function isNotNull({ found, primaryKey }: CatalogTable, { column }: SingleKey): boolean {
  return primaryKey.includes(column) || found.columns.get(column)?.notNull === true
}

/** Whether the table is among the owners of that one's owners. */
function reaches(ownerOf: ReadonlyMap<string, string>, from: string, table: string): boolean {
  for (let one = ownerOf.get(from); one !== undefined; one = ownerOf.get(one)) if (one === table) return true
  return false
}
