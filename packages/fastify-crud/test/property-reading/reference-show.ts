import type { Json, JsonObject } from '../property/json.ts'
import type { Row } from '../property/reference-store.ts'
import { matches, relatedRows, type Sight } from './filter-rows.ts'
import { readPath } from './paths.ts'
import { type ReadingResource, type Relation, readingResourceOf } from './reading-model.ts'
import type { NestedQuery } from './reading-query.ts'
import type { Selection } from './selection.ts'
import { sortRows } from './sort-rows.ts'

const DEFAULT_NESTED = 20

/**
 * A record as an answer shows it. One that is owned, or that a request is about, is whole: with its foreign keys and its default
 * relations. Any other is a summary: its fields, and what the request adds. It is partial if it lacks something that a body could
 * set.
 */
export function shownRecord(
  sight: Sight,
  resource: ReadingResource,
  row: Row,
  isWhole: boolean,
  selection: Selection | undefined,
): JsonObject {
  const record: JsonObject = { id: sight.model.idsOf(resource.key).spell(row.id) }
  const values = valuesOf(resource, isWhole)
  const shown = selection?.fields ?? values
  for (const { name } of resource.fields) if (shown.has(name)) record[name] = row.values[name] ?? null
  for (const { foreignKey = '', target } of resource.relations) {
    const id = row.values[foreignKey] ?? null
    if (shown.has(foreignKey)) record[foreignKey] = id === null ? null : sight.model.idsOf(target).spell(Number(id))
  }
  for (const text of shown) {
    if (text.startsWith('count(')) record[text] = countAt(sight, resource, row, text.slice('count('.length, -1))
  }
  let isCut = [...values].some((name) => !shown.has(name))
  for (const relation of resource.relations) {
    const isCarried = isWhole && relation.isDefault
    if (showsRelation(relation, isCarried, selection)) {
      const below = selection?.below.get(relation.name)
      record[relation.name] = shownRelated(sight, relation, row, isCarried, below)
      isCut ||= relation.isSettable && isArrayCut(sight, relation, row, isCarried, below?.nested)
    } else isCut ||= isCarried
  }
  return isCut ? { ...record, partial: true } : record
}

/** The names of the values that a record shows unless a request says otherwise. */
function valuesOf({ fields, foreignKeys }: ReadingResource, isWhole: boolean): ReadonlySet<string> {
  if (isWhole) return new Set([...fields.map(({ name }) => name), ...foreignKeys])
  return new Set(fields.filter(({ inSummary }) => inSummary).map(({ name }) => name))
}

function countAt(sight: Sight, resource: ReadingResource, row: Row, path: string): number {
  return relatedRows(sight, readPath(sight.model, resource, path).relations, row).length
}

/** Whether a record shows a relation. `isCarried`: unless a request says otherwise, it does. */
export function showsRelation({ name }: Relation, isCarried: boolean, selection: Selection | undefined): boolean {
  if (selection?.below.has(name) === true) return true
  return selection?.fields === undefined && isCarried && selection?.excluded.has(name) !== true
}

function shownRelated(
  sight: Sight,
  relation: Relation,
  row: Row,
  isCarried: boolean,
  selection: Selection | undefined,
): Json {
  const target = readingResourceOf(sight.model, relation.target)
  const all = relation.follow(sight.state, row)
  const chosen = relation.isMany ? nestedRows(sight, target, all, isCarried, selection?.nested) : all
  const records = chosen.map((one) => shownRecord(sight, target, one, relation.isOwned, selection))
  return relation.isMany ? records : (records[0] ?? null)
}

/** An array that a record carries by default is complete, unless the request bounds it. */
function nestedRows(
  sight: Sight,
  target: ReadingResource,
  all: readonly Row[],
  isCarried: boolean,
  { filter = {}, sort = [], limit }: NestedQuery = {},
): Row[] {
  const found = all.filter((row) => matches(sight, target, row, filter))
  return sortRows(sight, target, found, sort).slice(0, limit ?? boundOf(isCarried))
}

/** Whether an array may lack records: it has a filter, or there are more than its bound. */
function isArrayCut(
  sight: Sight,
  { isMany, follow }: Relation,
  row: Row,
  isCarried: boolean,
  { filter = {}, limit = boundOf(isCarried) }: NestedQuery = {},
): boolean {
  if (!isMany) return false
  return Object.keys(filter).length > 0 || (limit !== undefined && follow(sight.state, row).length > limit)
}

function boundOf(isCarried: boolean): number | undefined {
  return isCarried ? undefined : DEFAULT_NESTED
}
