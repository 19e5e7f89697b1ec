import { notItsChild } from './hand-written.ts'
import { type Child, checkReplace, type Parent, type Replace } from './schemas.ts'

type Fields = Omit<Child, 'id'>

/** What a write changes of the record that is there. */
export interface Changes {
  /** The record's own fields, if one of them changes. */
  readonly parent: Fields | undefined
  readonly updated: readonly Child[]
  readonly added: readonly Fields[]
  /** Ids. */
  readonly removed: readonly number[]
}

/** Undefined if nothing changes. */
export function changesOfReplace(before: Parent, body: Replace['Body']): Changes | undefined {
  const { listed, added } = checkReplace(before.id, body)
  const children = new Map(before.children.map((child) => [child.id, child]))
  const updated: Child[] = []
  for (const child of listed) {
    const former = children.get(child.id)
    if (former === undefined) throw notItsChild()
    children.delete(child.id)
    if (!isSame(former, child)) updated.push(child)
  }
  const removed = [...children.keys()]
  const parent = isSame(before, body) ? undefined : { name: body.name, quantity: body.quantity }
  if (parent === undefined && updated.length + added.length + removed.length === 0) return undefined
  return { parent, updated, added, removed }
}

function isSame(one: Fields, other: Fields): boolean {
  return one.name === other.name && one.quantity === other.quantity
}
