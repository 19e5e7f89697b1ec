import { needsValue } from '../catalogs/found-columns.ts'
import type { TableProblem } from '../check/table-problem.ts'
import type { Draft, ResourceDraft } from './draft/draft.ts'
import type { Exclusions } from './draft/exclusions.ts'
import type { Catalog } from './read/catalog.ts'

/** A draft that has been tried. */
interface Tried {
  readonly draft: Draft
  readonly catalog: Catalog
  readonly exclusions: Exclusions
}

/** Excludes what a problem of the model is about: a field, a relation, a unique key, or the whole resource. */
export function excludePlace(place: string, reason: string, tried: Tried): void {
  const [key, part, ...rest] = place.split('.')
  const name = rest.join('.')
  const resource = tried.draft.resources.find((one) => one.key === key)
  if (resource === undefined) return
  const field = part === 'fields' ? resource.fields.find((one) => one.name === name) : undefined
  const relation = part === 'relations' ? relationInTheWay(resource, name) : undefined
  const unique = resource.unique[Number(/^unique\[(\d+)\]$/.exec(part ?? '')?.[1])]
  if (field !== undefined) excludeColumn(resource.table, field.column, reason, tried)
  else if (relation !== undefined) tried.exclusions.excludeRelation(resource.table, relation, reason)
  else if (unique !== undefined) tried.exclusions.excludeUnique(resource.table, unique, reason)
  else tried.exclusions.excludeTable(resource.table, reason)
}

/** The foreign key's column of the relation with that name, or else of one that each record must have. */
function relationInTheWay({ relations }: ResourceDraft, name: string): string | undefined {
  const named = relations.find((one) => one.name === name)
  const required = relations.find(({ foreignKey, options }) => foreignKey !== undefined && options.optional !== true)
  return (named ?? required)?.foreignKey?.column
}

/**
 * Excludes what an error in a table is about: a column, a relation, or the whole table. An error of the connection excludes nothing. One of
 * values becomes a note, because values come and go.
 */
export function excludeColumnOrTable({ kind, table, column, message }: TableProblem, tried: Tried): void {
  const { draft, exclusions } = tried
  const name = table?.split('.').at(-1)
  const resource = draft.resources.find((one) => one.table === name)
  const link = draft.links.find((one) => one.table === name)
  if (link !== undefined && column !== undefined) exclusions.excludeRelation(link.table, column, message)
  else if (link !== undefined) exclusions.excludeTable(link.table, message)
  if (resource === undefined) return
  if (kind === 'value' && column !== undefined) {
    exclusions.noteColumn(resource.table, column, message)
    return
  }
  const hasRelation = resource.relations.some(
    ({ foreignKey }) => foreignKey !== undefined && foreignKey.column === column,
  )
  if (column === undefined || column === resource.idColumn) exclusions.excludeTable(resource.table, message)
  else if (hasRelation) exclusions.excludeRelation(resource.table, column, message)
  else excludeColumn(resource.table, column, message, tried)
}

/** Without a column that each new row needs, a table is only read; without one of its key, there is none. */
function excludeColumn(table: string, column: string, reason: string, { draft, catalog, exclusions }: Tried): void {
  const existing = catalog.tables.get(table)
  const found = existing?.found.columns.get(column)
  const resource = draft.resources.find((one) => one.table === table)
  const isRead = resource?.id === false || resource?.isReadOnly === true
  if (existing === undefined || found === undefined || existing.primaryKey.includes(column))
    exclusions.excludeTable(table, reason)
  else if (isRead || !needsValue(existing.found, found)) exclusions.excludeColumn(table, column, reason)
  else exclusions.excludeNeeded(table, column, `of its column ${JSON.stringify(column)}, ${reason}`)
}
