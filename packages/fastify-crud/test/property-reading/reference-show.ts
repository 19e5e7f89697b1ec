import type { Json, JsonObject } from '../property/json.ts'
import { resourceOf } from '../property/reference-model.ts'
import type { Row } from '../property/reference-store.ts'
import { matches, type Sight } from './filter-rows.ts'
import { type ReadingResource, type Relation, readingResourceOf } from './reading-model.ts'
import type { NestedQuery } from './reading-query.ts'
import type { Selection } from './selection.ts'
import { sortRows } from './sort-rows.ts'

const DEFAULT_NESTED = 20

/**
 * A record as an answer shows it. One that is owned, or that a request is about, is whole: with its foreign keys and its default
 * relations. Any other is a summary: its fields, and what `include` adds.
 */
export function shownRecord(
  sight: Sight,
  resource: ReadingResource,
  row: Row,
  isWhole: boolean,
  selection: Selection | undefined,
): JsonObject {
  const { fields, left } = propertiesOf(sight, resource, isWhole, selection)
  const record: JsonObject = { id: row.id }
  for (const name of fields) record[name] = row.values[name] ?? null
  for (const relation of resource.relations) {
    const name = `count(${relation.name})`
    if (selection?.fields?.has(name) === true) record[name] = relation.follow(sight.state, row).length
  }
  let isCut = left
  for (const relation of resource.relations) {
    const isCarried = isWhole && relation.isDefault
    const isShown = showsRelation(relation, isCarried, selection)
    if (isShown)
      record[relation.name] = shownRelated(sight, relation, row, isCarried, selection?.below.get(relation.name))
    else if (isCarried) isCut = true
  }
  return isCut ? { ...record, partial: true } : record
}

/** The names of a record's own values, and whether some are left out that it has otherwise. */
function propertiesOf(
  { model }: Sight,
  { key, fields, foreignKeys }: ReadingResource,
  isWhole: boolean,
  selection: Selection | undefined,
): { readonly fields: readonly string[]; readonly left: boolean } {
  const isInSummary = new Set(
    resourceOf(model.records, key)
      .fields.filter(({ inSummary }) => inSummary)
      .map(({ name }) => name),
  )
  const all = fields.map(({ name }) => name).filter((name) => isWhole || isInSummary.has(name))
  const names = isWhole ? [...all, ...foreignKeys] : all
  const asked = selection?.fields
  if (asked === undefined) return { fields: names, left: false }
  const shown = names.filter((name) => asked.has(name))
  return { fields: shown, left: shown.length < names.length }
}

function showsRelation({ name }: Relation, isCarried: boolean, selection: Selection | undefined): boolean {
  if (selection?.fields !== undefined) return selection.below.get(name)?.fields !== undefined
  if (selection?.excluded.has(name) === true) return false
  return isCarried || selection?.included.has(name) === true
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
  return sortRows(sight, target, found, sort).slice(0, limit ?? (isCarried ? undefined : DEFAULT_NESTED))
}
