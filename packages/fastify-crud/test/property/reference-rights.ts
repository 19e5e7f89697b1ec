import { isDeepStrictEqual } from 'node:util'
import { own } from './json.ts'
import type { RefResource } from './reference-model.ts'
import { fulfils, hasPolicy, mayWrite, ownerOf, type Rights } from './reference-policies.ts'
import { linksOf, type Row, rowsOf, type State } from './reference-store.ts'
import { placeKey, type Write } from './reference-write.ts'

interface RowsOf {
  readonly resource: RefResource
  readonly rows: readonly Row[]
}

/** The rows that a write changes, before anything is settled. */
export interface ChangedRows {
  /** As they were. */
  readonly updated: readonly RowsOf[]
  readonly inserted: readonly RowsOf[]
  readonly removed: readonly RowsOf[]
}

export function changedRows({ model, before, state, places, arranged }: Write): ChangedRows {
  const all = [...model.resources.values()]
  const pick = (from: State, isOne: (resource: RefResource, row: Row) => boolean): RowsOf[] =>
    all.map((resource) => ({
      resource,
      rows: [...rowsOf(from, resource.key).values()].filter((row) => isOne(resource, row)),
    }))
  return {
    updated: pick(before, (resource, row) => {
      const after = rowsOf(state, resource.key).get(row.id)
      if (after === undefined) return false
      const { body } = places.get(placeKey(resource.key, row.id)) ?? {}
      // A write-only value is written whatever is stored.
      const setsHidden = resource.fields.some(
        ({ name, writeOnly }) => writeOnly && body && own(body, name) !== undefined,
      )
      const isArranged = arranged.some((one) => {
        return one.array.source === resource.key && one.owner === row.id && one.places.length > 0
      })
      if (setsHidden || isArranged || !isDeepStrictEqual(row.values, after.values)) return true
      return resource.links.some(({ table, from, to }) => {
        const linked = (one: State): number[] =>
          linksOf(one, table).flatMap((link) => (link[from] === row.id ? [Number(link[to])] : []))
        return !isDeepStrictEqual(linked(before).sort(), linked(state).sort())
      })
    }),
    inserted: pick(state, (resource, row) => !rowsOf(before, resource.key).has(row.id)),
    removed: pick(before, (resource, row) => !rowsOf(state, resource.key).has(row.id)),
  }
}

/** Whether a policy refuses what is done to a row as it was before the write. */
export function isRefusedBefore(rights: Rights, write: Write, changed: ChangedRows): boolean {
  const { before, state } = write
  const may = (resource: RefResource, action: 'EditBefore' | 'Delete', row: Row): boolean =>
    mayWrite(rights, before, resource, action, row)
  return (
    editedRecords(write, changed).some(({ resource, id }) => {
      const row = rowsOf(before, resource.key).get(id)
      return row !== undefined && hasPolicy(rights, resource) && !may(resource, 'EditBefore', row)
    }) ||
    some(changed.updated, (resource, row) => !may(resource, 'EditBefore', row)) ||
    some(changed.inserted, (resource, row) => {
      const owner = ownerOf(rights.model, state, resource, row)
      const ownerBefore = owner && rowsOf(before, owner.resource.key).get(owner.row.id)
      // With a new owner, the owner's own Add is all that it takes.
      if (owner === undefined || ownerBefore === undefined || hasPolicy(rights, resource)) return false
      return !may(owner.resource, 'EditBefore', ownerBefore)
    }) ||
    some(changed.removed, (resource, row) => {
      const owner = ownerOf(rights.model, before, resource, row)
      const goesWithOwner = owner !== undefined && !rowsOf(state, owner.resource.key).has(owner.row.id)
      if (goesWithOwner && !hasPolicy(rights, resource)) return false
      return !may(resource, 'Delete', row)
    })
  )
}

/** Whether a policy refuses a row as the write leaves it. `asked`: where policies find other records. */
export function isRefusedAfter(
  rights: Rights,
  { state }: Write,
  { updated, inserted }: ChangedRows,
  asked: State = state,
): boolean {
  return (
    some(inserted, (resource, row) => !fulfils(rights, asked, resource, 'Add', row)) ||
    some(updated, (resource, row) => {
      const after = rowsOf(state, resource.key).get(row.id)
      return after !== undefined && !fulfils(rights, asked, resource, 'EditAfter', after)
    })
  )
}

/**
 * Whether `Edit` as it is after the write refuses a record of which the body changes no more than what it owns, or the owner of one that is
 * added or deleted by its own path.
 */
export function isEditRefusedAfter(rights: Rights, write: Write, changed: ChangedRows): boolean {
  const { state, places, pathOwner } = write
  const mayStay = (resource: RefResource, id: number): boolean => {
    const row = rowsOf(state, resource.key).get(id)
    return row === undefined || mayWrite(rights, state, resource, 'EditAfter', row)
  }
  const isEdited = editedRecords(write, changed).some(({ resource, id }) => {
    const isOwn = places.get(placeKey(resource.key, id))?.at === ''
    return (isOwn || hasPolicy(rights, resource)) && !mayStay(resource, id)
  })
  if (isEdited || pathOwner === undefined) return isEdited
  const own = [...changed.inserted, ...changed.removed].find(({ resource, rows }) =>
    rows.some((row) => {
      const owner = ownerOf(rights.model, write.before, resource, row)
      return owner?.resource === pathOwner.resource && owner.row.id === pathOwner.id
    }),
  )
  return own !== undefined && !hasPolicy(rights, own.resource) && !mayStay(pathOwner.resource, pathOwner.id)
}

/** The records that were there and in which, or below which, the body changes something. */
function editedRecords(
  { model, before, state, places, arranged }: Write,
  { updated, inserted, removed }: ChangedRows,
): readonly { readonly resource: RefResource; readonly id: number }[] {
  // An element's own body says a place without its owner.
  const pointers = arranged.flatMap(({ array, owner, places: said }) => {
    const isAlone = rowsOf(before, array.source).has(owner) && !places.has(placeKey(array.source, owner))
    return isAlone ? said : []
  })
  /** Of a record that is gone, what is above it. */
  const add = (from: State, resource: RefResource, row: Row): void => {
    const place = places.get(placeKey(resource.key, row.id))
    const owner = place === undefined ? ownerOf(model, from, resource, row) : undefined
    if (place !== undefined) pointers.push(place.at)
    else if (owner !== undefined) add(from, owner.resource, owner.row)
  }
  for (const { resource, rows } of updated) {
    for (const row of rows) if (places.has(placeKey(resource.key, row.id))) add(state, resource, row)
  }
  for (const { resource, rows } of inserted) for (const row of rows) add(state, resource, row)
  for (const { resource, rows } of removed) for (const row of rows) add(before, resource, row)
  return [...model.resources.values()].flatMap((resource) =>
    [...rowsOf(before, resource.key).keys()].flatMap((id) => {
      const place = places.get(placeKey(resource.key, id))
      const isEdited = place !== undefined && pointers.some((one) => one === place.at || one.startsWith(`${place.at}/`))
      return isEdited ? [{ resource, id }] : []
    }),
  )
}

/** As {@link isRefusedAfter}, before anything is written: the row of a new owner has no id of it yet. */
export function isPlannedRefused(rights: Rights, write: Write, { updated, inserted, removed }: ChangedRows): boolean {
  const planned = inserted.map(({ resource, rows }) => ({
    resource,
    rows: rows.map((row) => {
      const owner = ownerOf(rights.model, write.state, resource, row)
      const isNew = owner !== undefined && !rowsOf(write.before, owner.resource.key).has(owner.row.id)
      return isNew ? { ...row, owner: undefined } : row
    }),
  }))
  return isRefusedAfter(rights, write, { updated, inserted: planned, removed }, write.before)
}

function some(all: readonly RowsOf[], isOne: (resource: RefResource, row: Row) => boolean): boolean {
  return all.some(({ resource, rows }) => rows.some((row) => isOne(resource, row)))
}
