import type { KeyConditionDeclaration } from 'fastify-crud'
import { namesIn, type RefModel, type RefReference, type RefResource } from './reference-model.ts'
import { linksOf, type Row, rowsOf, type State } from './reference-store.ts'
import { forgetKnown } from './reference-trash.ts'

/** What a write leaves to be settled once all of its parts are done. */
export interface Settled {
  /** A record that is needed is gone. */
  readonly stillNeeded: boolean
  /** The records that need one that is gone, each as often as it does. */
  readonly needing: readonly { readonly resource: string; readonly id: number }[]
  /** The records that share a unique value, by resource and id. */
  readonly sharing: readonly CollectionPath[]
}

export interface CollectionPath {
  readonly resource: string
  readonly id: number
  /** The properties of a body that hold the value. */
  readonly properties: readonly string[]
}

/**
 * Judges the state after a write, and lets go of the known records that it removed: the foreign key becomes null, the
 * link goes.
 */
export function settle(model: RefModel, state: State): Settled {
  const needing: { resource: string; id: number }[] = []
  for (const resource of model.resources.values()) {
    for (const reference of resource.references) {
      for (const row of rowsOf(state, resource.key).values()) {
        if (!dangles(state, row, reference)) continue
        if (reference.needs) needing.push({ resource: resource.key, id: row.id })
        else row.values[reference.foreignKey] = null
      }
    }
    for (const link of resource.links) {
      const rows = linksOf(state, link.table)
      const stay = rows.filter((row) => rowsOf(state, resource.key).has(Number(row[link.from])))
      const whole = stay.filter((row) => rowsOf(state, link.target).has(Number(row[link.to])))
      for (const row of link.needs ? stay.filter((one) => !whole.includes(one)) : []) {
        needing.push({ resource: resource.key, id: Number(row[link.from]) })
      }
      state.links.set(link.table, whole)
    }
  }
  forgetKnown(model, state)
  const stillNeeded = needing.length > 0
  return { stillNeeded, needing, sharing: [...model.resources.values()].flatMap((resource) => shared(state, resource)) }
}

function dangles(state: State, row: Row, reference: RefReference): boolean {
  const id = row.values[reference.foreignKey]
  return typeof id === 'number' && !rowsOf(state, reference.target).has(id)
}

function shared(state: State, resource: RefResource): CollectionPath[] {
  const found: CollectionPath[] = []
  for (const unique of resource.uniques) {
    const { names, where } = unique
    const holders = new Map<string, CollectionPath[]>()
    const properties = namesIn(unique).map(
      (name) => resource.references.find((one) => one.name === name)?.foreignKey ?? name,
    )
    for (const row of rowsOf(state, resource.key).values()) {
      if (!Object.entries(where).every(([name, is]) => fulfils(memberOf(resource, row, name), is))) continue
      const values = names.map((name) => memberOf(resource, row, name))
      if (!values.includes(null))
        hold(holders, JSON.stringify(values), { resource: resource.key, id: row.id, properties })
    }
    found.push(...several(holders))
  }
  for (const link of resource.links.filter(({ exclusive }) => exclusive)) {
    const holders = new Map<string, CollectionPath[]>()
    for (const row of linksOf(state, link.table)) {
      hold(holders, String(row[link.to]), {
        resource: resource.key,
        id: Number(row[link.from]),
        properties: [link.name],
      })
    }
    found.push(...several(holders))
  }
  return found
}

function fulfils(value: unknown, is: KeyConditionDeclaration): boolean {
  return typeof is === 'object' && is !== null ? value !== null : value === is
}

function hold(holders: Map<string, CollectionPath[]>, value: string, place: CollectionPath): void {
  holders.set(value, [...(holders.get(value) ?? []), place])
}

function several(holders: Map<string, CollectionPath[]>): CollectionPath[] {
  return [...holders.values()].filter((places) => places.length > 1).flat()
}

/** A member of a unique key: a field, or a relation for its foreign key. */
function memberOf(resource: RefResource, row: Row, name: string): unknown {
  const reference = resource.references.find((one) => one.name === name)
  if (reference !== undefined) return row.values[reference.foreignKey] ?? null
  if (resource.owners.some((owner) => owner.name === name)) {
    return row.owner?.relation === name ? row.owner.id : null
  }
  return row.values[name] ?? null
}
