import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { isPlainUnique, isRowNumber, needsValue } from '../../catalogs/found-tables.ts'
import { columnSchema } from '../columns/column-schema.ts'
import type { Catalog, CatalogTable } from '../read/catalog.ts'
import { type SingleKey, singleKeys } from '../read/catalog.ts'
import type { FieldDraft, FoundModel, FoundResource, LinkTable, OwnRelation, RelationDraft } from './draft.ts'
import { hasIds, type TableId, tableId } from './draft.ts'
import { draftFields } from './draft-fields.ts'
import { draftRelations, isUniqueAlone } from './draft-relations.ts'
import { draftUniques } from './draft-uniques.ts'
import type { Exclusions } from './exclusions.ts'
import { housekeepingOf, isWritten, type KeptTable } from './exclusions.ts'
import { oppositeName, resourceKey, tablesWithSameLetters } from './names.ts'

/** Describes the tables of a database as resources, each as far as nothing is excluded. Names are the database's
 * own. */
export function draftResources(catalog: Catalog, exclusions: Exclusions): FoundModel {
  const left = new Map<string, string>()
  const ids = new Map<string, TableId>()
  const alike = tablesWithSameLetters(catalog.tables.keys())
  for (const table of catalog.tables.values()) {
    const id = alike.get(table.name) ?? idOrReason(catalog, table, exclusions)
    if (typeof id === 'string') left.set(table.name, id)
    else ids.set(table.name, id)
  }
  const readOnly = new Map(
    [...ids].flatMap(([name, id]) => {
      const unspelled = hasIds(id) ? whyUnspelled(catalog, catalog.tables.get(name) as CatalogTable) : undefined
      const reason = exclusions.readOnly.get(name) ?? unspelled
      return reason === undefined ? [] : [[name, reason] as const]
    }),
  )
  const links = linkTables(catalog, ids, readOnly, exclusions)
  for (const { table } of links) ids.delete(table)
  const kept = keepTables(catalog, ids, readOnly)
  const relations = draftRelations(catalog, kept, exclusions)
  const resources = [...kept.values()].map((one) => draftResource(catalog, one, relations.get(one) ?? [], exclusions))
  addOpposites(kept, resources, links)
  return { schema: catalog.schema, resources, links, left }
}

function idOrReason(catalog: Catalog, table: CatalogTable, exclusions: Exclusions): TableId | string {
  const reason = exclusions.tables.get(table.name) ?? housekeepingOf(table.name)
  if (reason !== undefined) return reason
  if (table.name.includes('.')) return 'its name has a dot, which separates the name of a schema from that of a table'
  if (table.kind === 'virtual table') return `it is a ${table.kind}`
  const id = tableId(catalog, table, singleKeys(catalog, table))
  const columns = [...table.found.columns.values()]
  const keys = id.members ?? [id.column]
  const unspelled = whyUnspelled(catalog, table, (column) => keys.includes(column.name))
  if (hasIds(id) && unspelled !== undefined) return unspelled
  const showsNothing = columns.every(
    (column) =>
      exclusions.ofColumn(table.name, column.name) !== undefined ||
      typeof columnSchema(catalog, table, column) === 'string',
  )
  return !hasIds(id) && showsNothing ? 'none of its columns can be a field' : id
}

/** Why a column of these cannot be described that each new row needs; undefined: all can. */
function whyUnspelled(
  catalog: Catalog,
  table: CatalogTable,
  isAmong: (column: FoundColumn) => boolean = () => true,
): string | undefined {
  for (const column of table.found.columns.values()) {
    const schema = isAmong(column) && needsValue(table.found, column) && columnSchema(catalog, table, column)
    if (typeof schema === 'string') return `of its column ${JSON.stringify(column.name)}, ${schema}`
  }
  return undefined
}

/** The tables of links between others that are kept. A table to which a foreign key leads is none: its rows are more
 * than links. */
function linkTables(
  catalog: Catalog,
  ids: ReadonlyMap<string, TableId>,
  readOnly: ReadonlyMap<string, string>,
  exclusions: Exclusions,
): readonly LinkTable[] {
  const all = [...ids.keys()].map((name) => catalog.tables.get(name) as CatalogTable)
  const canBeNamed = ({ name }: CatalogTable, end: LinkTable['from']) =>
    isOneValue(ids.get(end.table)) && !readOnly.has(end.table) && exclusions.ofRelation(name, end.column) === undefined
  const named = new Set(all.flatMap((table) => table.foreignKeys.map(({ target }) => target)))
  return all.flatMap((table) => {
    const link = named.has(table.name) ? undefined : linkTableOf(catalog, table)
    const isPossible = link !== undefined && [link.from, link.to].every((end) => canBeNamed(table, end))
    return isPossible ? [link] : []
  })
}

function isOneValue(id: TableId | undefined): boolean {
  return id !== undefined && hasIds(id) && (id.members === undefined || id.members.length === 1)
}

function keepTables(
  catalog: Catalog,
  ids: ReadonlyMap<string, TableId>,
  readOnly: ReadonlyMap<string, string>,
): ReadonlyMap<string, KeptTable> {
  const keys = new Set<string>()
  return new Map(
    [...ids].map(([name, id]) => {
      const key = resourceKey(name, keys)
      keys.add(key)
      return [name, { table: catalog.tables.get(name) as CatalogTable, key, id, readOnly: readOnly.get(name) }]
    }),
  )
}

function draftResource(
  catalog: Catalog,
  kept: KeptTable,
  relations: readonly OwnRelation[],
  exclusions: Exclusions,
): FoundResource {
  const { table, key, id, readOnly } = kept
  const notes: string[] = hasIds(id) ? [] : [`${noKeyOf(table)}: ${ABOUT_IDS}`]
  if (readOnly !== undefined) notes.push(`Requests only read it: ${readOnly}`)
  const drafted = draftFields(catalog, table, { id, isWritten: isWritten(kept), relations, exclusions, notes })
  const isOwned = relations.some(({ relation }) => relation === 'ownedBy')
  const fields = isOwned && isWritten(kept) ? drafted.map(withOrderNote) : drafted
  const names = new Map<string, string>([
    ...fields.map(({ column, name }) => [column, name] as const),
    ...relations.map(({ foreignKey, name }) => [foreignKey.column, name] as const),
  ])
  return {
    key,
    table: table.name,
    description: table.comment,
    id: id.members === undefined ? id.declaration : id.members.map((column) => names.get(column) ?? column),
    idColumn: id.members === undefined ? id.column : undefined,
    fields,
    relations: [...relations],
    isReadOnly: hasIds(id) && readOnly !== undefined,
    unique: isWritten(kept) ? draftUniques(table, id, names, fields, relations, exclusions, notes) : [],
    notes,
  }
}

/** What columns are called by which people order the records of an owner. */
const ORDER =
  /^(?:(?:sort|display|list)_?)?(?:position|pos|sort|order|rank|ordinal|index|idx|seq|sequence)(?:_?(?:no|nr|number|index|key))?$/i

function withOrderNote(field: FieldDraft): FieldDraft {
  const { name, schema, note } = field
  if (note !== undefined || schema.type !== 'integer' || !ORDER.test(name)) return field
  const order = `order: '${name}'`
  const proposal = `if it keeps the order of the owner's array, say ${order} in the owner's owns.many, and leave it out here or make it readOnly`
  return { ...field, note: proposal }
}

function noKeyOf({ kind }: CatalogTable): string {
  return kind === 'table'
    ? 'The table has no primary key, and no unique key without nulls'
    : `It is a ${kind}, which has no key`
}

const ABOUT_IDS =
  "only its list is served. If a column has no value twice and never null, give it an id: { writable: false, id: 'integer', columns: { id: the column } }"

/**
 * The table as one of links: its rows are pairs of foreign keys, and the database gives every other column a value. The
 * pair is the primary key or a unique key beside an id.
 */
function linkTableOf(catalog: Catalog, table: CatalogTable): LinkTable | undefined {
  const keys = singleKeys(catalog, table)
  const pairs = table.found.indexes
    .filter((index) => isPlainUnique(index) && index.columns.length === 2)
    .map(({ columns }) => columns.map((column) => keys.find((key) => key.column === column)))
  const pair = pairs.find((both): both is [SingleKey, SingleKey] => both.every((key) => key !== undefined))
  if (pair === undefined || !isGivenElse(table, pair)) return undefined
  const [from, to] = pair
  return {
    table: table.name,
    from: { column: from.column, table: from.target },
    to: { column: to.column, table: to.target },
  }
}

/** Whether an INSERT of the pair alone gives a whole row. */
function isGivenElse({ found, primaryKey }: CatalogTable, pair: readonly SingleKey[]): boolean {
  return [...found.columns.values()].every((column) => {
    const { name, notNull, hasDefault, isComputed } = column
    if (pair.some(({ column }) => column === name)) return notNull || primaryKey.includes(name)
    return isRowNumber(found, column) || hasDefault || isComputed || (!notNull && !primaryKey.includes(name))
  })
}

/** Adds the other sides of all relations, and the links, to the resources. */
function addOpposites(
  kept: ReadonlyMap<string, KeptTable>,
  resources: readonly FoundResource[],
  links: readonly LinkTable[],
): void {
  const byKey = new Map(resources.map((resource) => [resource.key, resource]))
  for (const source of resources) {
    const own = source.relations.filter(({ foreignKey }) => foreignKey !== undefined)
    for (const relation of own) {
      const target = byKey.get(relation.target) as FoundResource
      const isOnly =
        own.filter((other) => other.target === relation.target && other.relation !== 'knows.one').length === 1
      const opposite = oppositeOf(kept.get(source.table) as KeptTable, relation)
      if (opposite === undefined) continue
      const name = oppositeName(source.key, relation.name, isOnly, namesOf(target))
      const inverse = isOnly ? {} : { inverse: relation.name }
      target.relations.push({
        name,
        relation: opposite,
        target: source.key,
        options: inverse,
        foreignKey: undefined,
        note: undefined,
      })
    }
  }
  const byTable = new Map(resources.map((resource) => [resource.table, resource]))
  for (const link of links) {
    const isOnly = links.filter((other) => isBetween(other, link)).length === 1
    addLink(byTable, link, link.from, link.to, isOnly)
    addLink(byTable, link, link.to, link.from, isOnly)
  }
}

function oppositeOf(
  { table, id }: KeptTable,
  { relation, foreignKey, options }: RelationDraft,
): RelationDraft['relation'] | undefined {
  const column = foreignKey?.column ?? ''
  const isWholeId = id.members?.join() === column
  switch (relation) {
    case 'ownedBy':
      return isWholeId || isUniqueAlone(table, column) ? 'owns.one' : 'owns.many'
    case 'needs.one':
      return isWholeId || options.unique === true ? 'neededBy.one' : 'neededBy.many'
    default:
      return undefined
  }
}

function addLink(
  byTable: ReadonlyMap<string, FoundResource>,
  { table, from: first }: LinkTable,
  from: LinkTable['from'],
  to: LinkTable['to'],
  isOnly: boolean,
): void {
  const source = byTable.get(from.table) as FoundResource
  const target = byTable.get(to.table) as FoundResource
  const isSelf = source === target
  const name = oppositeName(target.key, isSelf ? to.column : table, isOnly && !isSelf, namesOf(source))
  source.relations.push({
    name,
    relation: 'knows.many',
    target: target.key,
    options: { through: table, from: from.column, to: to.column },
    foreignKey: undefined,
    note: from === first ? 'needs.many, where each record needs at least one' : undefined,
  })
}

function isBetween(link: LinkTable, { from, to }: LinkTable): boolean {
  const ends = [link.from.table, link.to.table]
  return (ends[0] === from.table && ends[1] === to.table) || (ends[0] === to.table && ends[1] === from.table)
}

function namesOf({ fields, relations }: FoundResource): ReadonlySet<string> {
  return new Set([
    'id',
    ...fields.map(({ name }) => name),
    ...relations.flatMap(({ name, foreignKey }) => (foreignKey === undefined ? [name] : [name, foreignKey.name])),
  ])
}
