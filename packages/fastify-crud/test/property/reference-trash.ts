import { type RefModel, type RefReference, type RefResource, resourceOf } from './reference-model.ts'
import { mayWrite, type Rights, seenState } from './reference-policies.ts'
import { type DeletedRow, rowsOf, type State } from './reference-store.ts'

/** The deleted records of a resource. */
export function deletedOf(state: State, key: string): DeletedRow[] {
  return [...(state.deleted.get(key)?.values() ?? [])]
}

/** All records, be they deleted or not. */
export function withDeleted(state: State): State {
  const rows = new Map([...state.rows].map(([key, some]) => [key, new Map(some)]))
  for (const [key, deleted] of state.deleted) for (const row of deleted.values()) rows.get(key)?.set(row.id, row)
  return { ...state, rows }
}

/** What is there for a deleted record: all that is, and what was deleted together with it. */
export function besides(state: State, { moment }: DeletedRow): State {
  const rows = new Map([...state.rows].map(([key, some]) => [key, new Map(some)]))
  for (const [key, deleted] of state.deleted) {
    for (const row of deleted.values()) if (row.moment === moment) rows.get(key)?.set(row.id, row)
  }
  return { ...state, rows }
}

/** The same, as a caller sees it. */
export function seenBesides(state: State, row: DeletedRow, rights: Rights | undefined): State {
  const all = besides(state, row)
  return rights === undefined ? all : seenState(rights, all)
}

/** Whether a caller finds a deleted record in lists: it sees it, and may delete it. `'forbidden'`: it only sees it. */
export function findsDeleted(
  state: State,
  resource: RefResource,
  row: DeletedRow,
  rights: Rights | undefined,
): boolean | 'forbidden' {
  if (rights === undefined) return true
  const all = besides(state, row)
  if (!rowsOf(seenState(rights, all), resource.key).has(row.id)) return false
  return mayWrite(rights, all, resource, 'Delete', row) || 'forbidden'
}

/** A deleted record, and what it owns and was deleted with it, or ever. Owners come first. */
export function deletedTree(
  model: RefModel,
  state: State,
  resource: RefResource,
  row: DeletedRow,
  isOfMoment: (one: DeletedRow) => boolean,
): { readonly resource: RefResource; readonly row: DeletedRow }[] {
  const below = resource.owns.flatMap((owns) => {
    const target = resourceOf(model, owns.target)
    const all = deletedOf(state, owns.target).filter(({ owner }) => {
      return owner?.relation === owns.inverse && owner.id === row.id
    })
    return all.filter(isOfMoment).flatMap((one) => deletedTree(model, state, target, one, isOfMoment))
  })
  return [{ resource, row }, ...below]
}

/** A deleted record is there again. */
export function bringBack(state: State, { resource: { key }, row }: { resource: RefResource; row: DeletedRow }): void {
  const { moment: _, ...stored } = row
  rowsOf(state, key).set(row.id, { ...stored, values: { ...row.values } })
  state.deleted.get(key)?.delete(row.id)
}

/** The deleted records that need some of those that are to go for good: each as often as it does. */
export function needingDeleted(
  model: RefModel,
  left: State,
  gone: readonly { readonly resource: RefResource; readonly row: DeletedRow }[],
): { readonly resource: RefResource; readonly row: DeletedRow }[] {
  return [...model.resources.values()].flatMap((resource) =>
    deletedOf(left, resource.key).flatMap((row) => {
      const needed = resource.references.filter(({ needs, target, foreignKey }) => {
        return needs && gone.some((one) => one.resource.key === target && one.row.id === row.values[foreignKey])
      })
      return needed.map(() => ({ resource, row }))
    }),
  )
}

/** Forgets in deleted records what they know, and was deleted since, or is removed for good. */
export function forgetKnown(model: RefModel, state: State): void {
  for (const resource of model.resources.values()) {
    for (const row of deletedOf(state, resource.key)) {
      for (const reference of resource.references) {
        if (!reference.needs && isLost(state, row, reference)) row.values[reference.foreignKey] = null
      }
    }
  }
}

/** Whether what a deleted record names is neither there nor deleted together with it. */
export function isLost(state: State, row: DeletedRow, { foreignKey, target }: RefReference): boolean {
  const id = row.values[foreignKey]
  if (typeof id !== 'number' || rowsOf(state, target).has(id)) return false
  return state.deleted.get(target)?.get(id)?.moment !== row.moment
}
