import type { Json, JsonObject } from './json.ts'
import { type RefField, type RefModel, type RefResource, resourceOf } from './reference-model.ts'
import { childrenOf, linkedTo, type Row, rowsOf, type State } from './reference-store.ts'

/**
 * A record as GET shows it: fields, what it owns in full, and the plain records that it needs and knows, as far as it carries them.
 * `showsAll`: all of these, carried or not.
 */
export function showRecord(
  model: RefModel,
  state: State,
  resource: RefResource,
  row: Row,
  showsAll = false,
): JsonObject {
  const isShown = ({ carried }: { readonly carried: boolean }): boolean => carried || showsAll
  const record = showPlain(resource, row, ({ writeOnly }) => !writeOnly)
  for (const owns of resource.owns.filter(isShown)) {
    const target = resourceOf(model, owns.target)
    const children = childrenOf(state, row, owns).map((child) => showRecord(model, state, target, child, showsAll))
    record[owns.name] = owns.many ? children : (children[0] ?? null)
  }
  for (const reference of resource.references) {
    const { name, foreignKey, target } = reference
    const id = row.values[foreignKey] ?? null
    record[foreignKey] = id
    if (isShown(reference)) record[name] = showRelated(model, state, target, id)
  }
  for (const link of resource.links.filter(isShown)) {
    record[link.name] = linkedTo(state, row, link).map((id) => showRelated(model, state, link.target, id))
  }
  return record
}

/** A record as its own path shows it, where it has an owner: with the foreign keys of its owners. */
export function showAtTop(record: JsonObject, { owners }: RefResource, row: Row): JsonObject {
  const keys = owners.map(({ name, foreignKey }) => [foreignKey, row.owner?.relation === name ? row.owner.id : null])
  return { ...record, ...Object.fromEntries(keys) }
}

/** A page of records, how many there are in all, and a `next` while there are more. */
export function showList(
  model: RefModel,
  state: State,
  resource: RefResource,
  all: readonly Row[],
  isAtTop: boolean,
  limit: number,
  offset: number,
): JsonObject {
  const rows = all.slice(offset, offset + limit).map((row) => {
    const record = showRecord(model, state, resource, row)
    return isAtTop ? showAtTop(record, resource, row) : record
  })
  return { rows, count: all.length, ...(offset + limit < all.length && { next: '' }) }
}

function showRelated(model: RefModel, state: State, key: string, id: Json): Json {
  const row = rowsOf(state, key).get(Number(id))
  return row === undefined ? null : showPlain(resourceOf(model, key), row, ({ inSummary }) => inSummary)
}

function showPlain(resource: RefResource, row: Row, isShown: (field: RefField) => boolean): JsonObject {
  const record: JsonObject = { id: row.id }
  for (const { name } of resource.fields.filter(isShown)) record[name] = row.values[name] ?? null
  return record
}
