import type { Link, Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { type Sight, setsField } from './sight.ts'
import { keyColumnOf, type RowChange, type StoredRow } from './stored-rows.ts'

interface Sights {
  readonly before: Sight
  readonly after: Sight
}

/** The changes of rows that no policy allows, of fields that are not for the caller, and names of what it does not see. */
export function unallowedRows(model: Model, sight: Sights, changes: readonly RowChange[]): string[] {
  const resources = [...model.resources.values()]
  return changes.flatMap((change) => {
    const resource = resources.find(({ table }) => table === change.table)
    const link = resources.flatMap(({ links }) => links).find(({ table }) => table === change.table)
    const wrong = resource === undefined ? wrongLink(sight, link, change) : wrongRow(sight, resource, change)
    return wrong.map((what) => `${sight.before.caller.name} ${what}: ${JSON.stringify(change).slice(0, 1_000)}`)
  })
}

function wrongRow(sight: Sights, resource: Resource, { before, after }: RowChange): string[] {
  if (after === undefined) return before === undefined ? [] : wrongRemoval(sight, resource, before)
  const wrong = [
    ...(before === undefined ? wrongAddition(sight, resource, after) : wrongEdit(sight, resource, before, after)),
    ...resource.fields.flatMap((field) => {
      const isSet = (before?.[field.column] ?? null) !== (after[field.column] ?? null)
      return isSet && !setsField(sight.before.caller, field) ? [`may not set '${field.name}' of a ${resource.key}`] : []
    }),
    ...resource.references.flatMap(({ name, target, column }) => {
      const id = after[column]
      const isNew = id !== null && id !== before?.[column]
      return isNew && !sight.before.sees(target, id) ? [`does not see the '${name}' that it has set`] : []
    }),
  ]
  return wrong
}

function wrongRemoval({ before: sight, after }: Sights, resource: Resource, row: StoredRow): string[] {
  const goesWithOwner = resource.ownedBy.some(
    ({ target, column }) => row[column] !== null && after.row(target, row[column]) === undefined,
  )
  const isSeen = sight.sees(resource, row[keyColumnOf(resource)])
  return (isSeen || goesWithOwner) && sight.allows('Delete', resource, row) ? [] : [`may not delete a ${resource.key}`]
}

function wrongAddition({ after: sight }: Sights, resource: Resource, row: StoredRow): string[] {
  return sight.allows('Add', resource, row) ? [] : [`may not add a ${resource.key}`]
}

function wrongEdit(sight: Sights, resource: Resource, before: StoredRow, after: StoredRow): string[] {
  const changed = Object.keys(after).filter(
    (column) => JSON.stringify(before[column]) !== JSON.stringify(after[column]),
  )
  const isCleared = changed.every((column) => {
    const reference = resource.references.find((one) => one.column === column)
    return reference !== undefined && after[column] === null && isGone(sight.after, reference.target, before[column])
  })
  if (isCleared) return []
  if (changed.every((column) => ordersIn(resource).includes(column))) return wrongPlace(sight, resource, before)
  const isAllowed =
    sight.before.sees(resource, before[keyColumnOf(resource)]) &&
    sight.before.allows('EditBefore', resource, before) &&
    sight.after.allows('EditAfter', resource, after)
  const moves = resource.movedBy.filter(({ column }) => changed.includes(column))
  return [
    ...(isAllowed ? [] : [`may not change a ${resource.key}`]),
    ...(moves.length === 0 ? [] : wrongMove(sight, resource, before, after)),
    ...moves.flatMap(({ target, column }) =>
      after[column] === null || sight.before.sees(target, after[column]) || sight.after.sees(target, after[column])
        ? []
        : [`does not see the ${target.key} to which it has moved a ${resource.key}`],
    ),
  ]
}

/** The columns that keep the orders of owners' arrays. */
function ordersIn(resource: Resource): readonly (string | undefined)[] {
  const owns = resource.ownedBy.flatMap(({ target }) => target.owns.filter((one) => one.target === resource))
  return owns.map(({ order }) => order?.column)
}

/** A place belongs to the owner. Those who give way to another one may be hidden. */
function wrongPlace({ before: sight }: Sights, resource: Resource, row: StoredRow): string[] {
  const owner = resource.ownedBy.find(({ column }) => row[column] !== null)
  const ownersRow = owner && sight.row(owner.target, row[owner.column])
  const isAllowed =
    owner !== undefined && ownersRow !== undefined && sight.allows('EditBefore', owner.target, ownersRow)
  return isAllowed ? [] : [`may not give a ${resource.key} another place`]
}

/** It goes where it was, and comes where it is. */
function wrongMove(sight: Sights, resource: Resource, before: StoredRow, after: StoredRow): string[] {
  const isAllowed = sight.before.allows('Delete', resource, before) && sight.after.allows('Add', resource, after)
  return isAllowed ? [] : [`may not move a ${resource.key}`]
}

/** A link goes with either of its records. Otherwise the caller has to see both, and to be allowed to change the one that has it. */
function wrongLink(sight: Sights, link: Link | undefined, { before, after }: RowChange): string[] {
  if (link === undefined) return []
  const { source, target, fromColumn, toColumn } = link
  const row = (before ?? after) as StoredRow
  const [from, to] = [row[fromColumn], row[toColumn]]
  if (after === undefined && (isGone(sight.after, source, from) || isGone(sight.after, target, to))) return []
  const isLinked = (row: StoredRow) => row[fromColumn] === from && row[toColumn] === to
  const isPlaced =
    link.order !== undefined && [sight.before, sight.after].every((one) => one.rowsOf(link.table).some(isLinked))
  if (!isPlaced && !sight.before.sees(target, to))
    return [`does not see the ${target.key} of the link that it has changed`]
  const old = sight.before.row(source, from)
  const isNew = old === undefined
  const isAllowed = isNew || (sight.before.sees(source, from) && sight.before.allows('EditBefore', source, old))
  return isAllowed ? [] : [`may not change a link of a ${source.key}`]
}

function isGone(sight: Sight, resource: Resource, id: unknown): boolean {
  return sight.row(resource, id) === undefined
}
