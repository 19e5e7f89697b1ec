import type { Because } from '../effects-form.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, OwnerReference, Resource } from '../model/model.ts'
import { sameValue } from '../planning/diff/changes.ts'
import type { RecordData, RecordOwner } from '../planning/rows.ts'

/** A record that a change names. */
export interface EffectRecord {
  readonly resource: Resource
  readonly id: Id
}

/** A record that owns another one. */
export interface EffectOwner extends EffectRecord {
  /** How the other one names it. */
  readonly by: OwnerReference
}

export function ownerRecord({ by, id }: RecordOwner): EffectOwner {
  return { resource: by.target, id, by }
}

/** What a write does to a row or a link, in whole: what a viewer sees of it is decided later. */
export type WholeChange = WholeRowChange | WholeLinkChange

interface WholeTerms extends EffectRecord {
  readonly pointer: string | undefined
  readonly because: Because | undefined
  readonly cause: EffectRecord | undefined
}

export interface WholeRowChange extends WholeTerms {
  readonly kind: 'row'
  readonly action: 'Add' | 'Edit' | 'Delete'
  /** Null: there is none, or nobody knows it. */
  readonly owner: EffectOwner | null
  readonly soft: boolean
  /** The service has given the id of the new row in this write. */
  readonly isGivenId: boolean
  /** The row by the names of properties; undefined for an `Add`. */
  readonly before: RecordData | undefined
  /** Undefined for a `Delete`. */
  readonly after: RecordData | undefined
  /** The properties that a rule or an action has written: only the application knows their values. */
  readonly byRule: ReadonlySet<string>
}

export interface WholeLinkChange extends WholeTerms {
  readonly kind: 'link'
  readonly action: 'Link' | 'Unlink' | 'Edit'
  readonly link: Link
  readonly to: Id
  /** Before an `Unlink` and an `Edit`, in an array that keeps its order. */
  readonly place?: FormerPlace
}

/** The places of a link in the arrays of both ends: the id of the element before it; null: it was the first. */
export interface FormerPlace {
  /** Undefined: the array keeps no order, or nobody knows. */
  readonly behind?: Id | null | undefined
  /** In the array of the record at the other end. */
  readonly otherBehind?: Id | null | undefined
}

/** Tells apart the records of all resources. */
export function recordKey({ key }: Pick<Resource, 'key'>, id: Id): string {
  return `${key} ${typeof id} ${id}`
}

/** Tells apart what is changed. */
function changeKey(change: WholeChange): string {
  const record = recordKey(change.resource, change.id)
  return change.kind === 'row' ? record : `${record} ${change.link.name} ${typeof change.to} ${change.to}`
}

/**
 * The changes of several writes of one transaction as one for each row and link, in the order in which they were first
 * met. What was added and removed again is not there.
 */
export function mergedChanges(all: readonly WholeChange[]): readonly WholeChange[] {
  const merged = new Map<string, WholeChange | undefined>()
  for (const change of all) {
    const key = changeKey(change)
    const known = merged.get(key)
    merged.set(key, known === undefined ? change : together(known, change))
  }
  return [...merged.values()].filter((change) => change !== undefined)
}

function together(first: WholeChange, second: WholeChange): WholeChange | undefined {
  if (first.kind === 'link' || second.kind === 'link') return linkTogether(first, second)
  const { before } = first
  const { after } = second
  if (before === undefined && after === undefined) return undefined
  const action = before === undefined ? 'Add' : after === undefined ? 'Delete' : 'Edit'
  // What the body says of the row counts, unless the row is gone in the end for another reason.
  const terms = second.action === 'Delete' ? second : first
  const { isGivenId } = first
  const owner = second.owner ?? first.owner
  const byRule = new Set([...first.byRule, ...second.byRule])
  return { ...terms, action, before, after, owner, isGivenId, byRule, soft: second.soft }
}

const OF_ORDER = { because: 'order', pointer: undefined, cause: undefined } as const

function linkTogether(first: WholeChange, second: WholeChange): WholeChange | undefined {
  if (second.action === 'Edit') return first
  const { place } = first as WholeLinkChange
  if (first.action === 'Edit' || first.action === second.action) return { ...second, ...(place && { place }) }
  // It may be at another place by now.
  return first.action === 'Unlink' && place !== undefined ? { ...first, action: 'Edit', ...OF_ORDER } : undefined
}

/** A change that a rule or an action has written: no body says it. */
export function writtenByRule(change: WholeChange): WholeChange {
  const terms = { pointer: undefined, because: change.because ?? ('rule' as const) }
  if (change.kind === 'link') return { ...change, ...terms }
  const { before = {}, after = {} } = change as { readonly before?: RecordData; readonly after?: RecordData }
  const values = [before, after] as readonly Readonly<Record<string, unknown>>[]
  const names = Object.keys({ ...values[0], ...values[1] })
  const written = names.filter((name) => !sameValue(values[1]?.[name], values[0]?.[name]))
  return { ...change, ...terms, byRule: new Set(written) }
}
