import type { JsonObject } from '../property/json.ts'
import { ownsAt, resourceAt } from '../property/reference-path.ts'
import { pathOf, type Side, type SideAnswer } from '../property/side.ts'
import type { Sight } from './filter-rows.ts'
import { withSideIds } from './query-ids.ts'
import { queryText } from './query-text.ts'
import { readingResourceOf } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'
import type { ReadingStep } from './reading-step.ts'
import type { Collection } from './reference-list.ts'

/** Where something is asked, and what is seen there. */
export interface At {
  readonly side: Side
  readonly sight: Sight
  /** Pages tell where the next one begins. */
  readonly hasCursors: boolean
  /** Decimals can be compared. */
  readonly hasDecimals: boolean
}

/** Asks for a step's list or record, with a query as it stands in a URL. */
export function ask(
  { side, sight: { model } }: At,
  { address, caller }: ReadingStep,
  query: string,
): Promise<SideAnswer> {
  return side.request('GET', pathOf(model.records, address, side.ids) + query, undefined, caller)
}

/** Asks for a step's list with its query in a body. */
export function askInBody(at: At, { address, caller }: ReadingStep, query: JsonObject): Promise<SideAnswer> {
  const { side, sight } = at
  return side.request('POST', `${pathOf(sight.model.records, address, side.ids)}/$list`, query, caller)
}

/** The records that a step asks about. */
export function collectionOf({ model: { records } }: Sight, { address }: ReadingStep): Collection {
  const resource = resourceAt(records, address).key
  const last = address.owners.at(-1)
  if (last === undefined) return { resource, owner: undefined }
  const owner = resourceAt(records, { owners: address.owners.slice(0, -1), segment: last.segment })
  return { resource, owner: { relation: ownsAt(owner, address.segment).inverse, id: Number(last.id) } }
}

/** A step's query as it stands in a URL, with that side's ids. */
export function textOf(at: At, step: ReadingStep, query: ReadingQuery): string {
  return queryText(sideQuery(at, step, query))
}

/** The same query as it stands in a body. */
export function bodyOf(at: At, step: ReadingStep, query: ReadingQuery): JsonObject {
  const { spelling: _, ...body } = sideQuery(at, step, query)
  return body as JsonObject
}

function sideQuery({ sight }: At, step: ReadingStep, query: ReadingQuery): ReadingQuery {
  const { model } = sight
  return withSideIds(model, readingResourceOf(model, collectionOf(sight, step).resource), query)
}
