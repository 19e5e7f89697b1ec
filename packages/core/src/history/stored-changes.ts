import {
  type EffectOwner,
  type EffectRecord,
  type FormerPlace,
  recordKey,
  type WholeChange,
  type WholeRowChange,
} from '../effects/whole-change.ts'
import type { Because } from '../effects-form.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Model, Resource } from '../model/model.ts'
import { onceFor } from '../model/once-for.ts'
import { keepsHistory } from '../model/resource-tree.ts'
import { sameValue } from '../planning/diff/changes.ts'
import type { RecordData } from '../planning/rows.ts'

/** A record in the history: the key of its resource, and its id. */
export type RecordName = readonly [resource: string, id: Id]

/** The owner of a record: its resource, its id, and the relation by which the record names it. */
export type OwnerName = readonly [resource: string, id: Id, by: string]

/** A change as the history keeps it: a row with all that it had, whoever may see it. */
export interface StoredChange {
  readonly action: WholeChange['action']
  readonly resource: string
  readonly id: Id
  /** The owners of the record, the nearest first; absent: it has none. */
  readonly above?: readonly OwnerName[]
  /** Those before it moved; absent: the same. */
  readonly wasAbove?: readonly OwnerName[]
  readonly pointer?: string
  readonly because?: Because
  readonly cause?: RecordName
  readonly soft?: true
  /** The whole row, of an `Edit` and a `Delete`. */
  readonly before?: Readonly<Record<string, unknown>>
  /** The whole row of an `Add`; of an `Edit` what differs. */
  readonly after?: Readonly<Record<string, unknown>>
  /** A value that clients may only write was changed or removed, or may have been: it is not kept. */
  readonly isSecret?: true
  /** Of a link. */
  readonly relation?: string
  readonly to?: Id
  /** The owners of the record at the other end. */
  readonly toAbove?: readonly OwnerName[]
  /** Of a link that is removed or gets another place: where it was. */
  readonly place?: FormerPlace
}

/** What the history keeps of one write. */
export interface StoredWrite {
  readonly changes: readonly StoredChange[]
  /** The write was too large, or something was erased: what is left is no whole write, and cannot be undone. */
  readonly isCut?: true
}

/** The owners of a record, the nearest first. */
export type OwnersOf = (record: EffectRecord) => readonly EffectOwner[]

/** What is kept of a write's changes. Of more than `most`, ids alone. */
export function toStoredWrite(
  changes: readonly WholeChange[],
  ownersOf: OwnersOf,
  ownersBefore: OwnersOf,
  most: number,
): StoredWrite {
  const stored = changes.map((change) => toStored(change, ownersOf, ownersBefore))
  if (stored.length <= most) return { changes: stored }
  const ids = stored.map(({ pointer, because, cause, soft, before, after, isSecret, ...names }) => names)
  return { changes: ids, isCut: true }
}

function toStored(change: WholeChange, ownersOf: OwnersOf, ownersBefore: OwnersOf): StoredChange {
  const { action, resource, id, pointer, because, cause } = change
  const above = ownersOf(change).map(ownerName)
  const terms = {
    action,
    resource: resource.key,
    id,
    ...(above.length > 0 && { above }),
    ...(pointer !== undefined && { pointer }),
    ...(because !== undefined && { because }),
    ...(cause !== undefined && { cause: nameOf(cause) }),
  }
  if (change.kind === 'link') {
    const { link, to, place } = change
    const toAbove = ownersOf({ resource: link.target, id: to }).map(ownerName)
    return { ...terms, relation: link.name, to, ...(toAbove.length > 0 && { toAbove }), ...(place && { place }) }
  }
  const wasAbove = ownersBefore === ownersOf ? above : ownersBefore(change).map(ownerName)
  const before = change.before && rowOf(resource, change.before)
  const after = change.after && rowOf(resource, change.after)
  return {
    ...terms,
    ...(wasAbove !== above && !sameValue(above, wasAbove) && { wasAbove }),
    ...(change.soft && { soft: true }),
    ...(losesSecret(change) && { isSecret: true }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after: before === undefined ? after : differing(before, after) }),
  }
}

function nameOf({ resource, id }: EffectRecord): RecordName {
  return [resource.key, id]
}

function ownerName({ resource, id, by }: EffectOwner): OwnerName {
  return [resource.key, id, by.name]
}

/** Whether a value is lost with the change that the history does not keep. */
function losesSecret({ resource, before, after }: WholeRowChange): boolean {
  if (before === undefined) return false
  return resource.fields.some(({ writeOnly, property }) => {
    if (!writeOnly) return false
    return after === undefined ? before[property] !== null : !sameValue(after[property], before[property])
  })
}

type KeptRow = Readonly<Record<string, unknown>>

/** The fields and foreign keys of a row. What clients may only write is not kept. */
function rowOf(resource: Resource, row: RecordData): KeptRow {
  const values: Record<string, unknown> = {}
  for (const { property } of keptMembers(resource)) values[property] = row[property] ?? null
  return values
}

function differing(was: KeptRow, is: KeptRow): KeptRow {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(is)) if (!sameValue(is[name], was[name])) values[name] = is[name]
  return values
}

/** What a row has in the history, by the names of properties: numbers that keep an order are there, too. */
const keptMembers = onceFor(({ members, movedBy }: Resource): readonly { readonly property: string }[] => [
  ...members.filter((member) => member.kind !== 'field' || !member.writeOnly || member.keepsOrder),
  ...movedBy,
])

/** The records that a write has touched, of which a history is kept: each once, with those that own them. */
export function touchedRecords(model: Model, { changes }: StoredWrite): readonly RecordName[] {
  const touched = new Map<string, RecordName>()
  const add = (name: RecordName) => {
    const [key, id] = name
    const resource = model.resources.get(key) as Resource
    if (keepsHistory(resource)) touched.set(recordKey(resource, id), name)
  }
  for (const change of changes) {
    const { resource, id, above = [], wasAbove = [], to, toAbove = [] } = change
    const owners = [...above, ...wasAbove, ...toAbove].map(([key, of]): RecordName => [key, of])
    for (const name of [[resource, id] as const, ...owners]) add(name)
    const target = linkTarget(model, change)
    if (target !== undefined) add([target.key, to as Id])
  }
  return [...touched.values()]
}

/** Whether a change is one of a record, or of what it owns. */
export function isWithin({ resource, id, above = [], wasAbove = [] }: StoredChange, [key, of]: RecordName): boolean {
  return [[resource, id], ...above, ...wasAbove].some(([one, own]) => one === key && own === of)
}

/** Whether a change is a link to a record, or to what it owns. */
export function isLinkTo(model: Model, change: StoredChange, [key, id]: RecordName): boolean {
  const target = linkTarget(model, change)
  if (target === undefined) return false
  const { to, toAbove = [] } = change
  return (target.key === key && to === id) || toAbove.some(([one, of]) => one === key && of === id)
}

/** What a link leads to; undefined for a change of a row, and of a link that the model does not know. */
export function linkTarget(model: Model, { resource, relation }: StoredChange): Resource | undefined {
  return relation === undefined ? undefined : linkOf(model.resources.get(resource), relation)?.target
}

/** The changes as they were made, as far as the model still knows their names. `write`: what was read from JSON. */
export function fromStored(model: Model, { changes }: StoredWrite): readonly WholeChange[] {
  return changes.flatMap((stored) => wholeChange(model, stored) ?? [])
}

export function wholeChange(model: Model, stored: StoredChange): WholeChange | undefined {
  const { action, id, before, after, above = [], relation, to, place } = stored
  const resource = model.resources.get(stored.resource)
  if (resource === undefined) return undefined
  const cause = stored.cause && named(model, stored.cause)
  const terms = { resource, id, pointer: stored.pointer, because: stored.because, cause }
  if (relation !== undefined) {
    const link = linkOf(resource, relation)
    return link && { kind: 'link', ...terms, action: action as 'Link', link, to: to as Id, ...(place && { place }) }
  }
  const was = before && rowWith(resource, id, before)
  const [nearest] = above
  return {
    kind: 'row',
    ...terms,
    action: action as WholeRowChange['action'],
    owner: nearest === undefined ? null : ownerNamed(resource, nearest),
    soft: stored.soft === true,
    isGivenId: false,
    before: was,
    after: after && rowWith(resource, id, { ...before, ...after }),
    byRule: NO_NAMES,
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** The owner of a row before a change of it. */
export function ownerBefore({ wasAbove }: StoredChange, { resource, owner }: WholeRowChange): EffectOwner | null {
  if (wasAbove === undefined) return owner
  const [nearest] = wasAbove
  return nearest === undefined ? null : ownerNamed(resource, nearest)
}

function named(model: Model, [key, id]: RecordName): EffectRecord | undefined {
  const resource = model.resources.get(key)
  return resource && { resource, id }
}

function ownerNamed({ ownedBy }: Resource, [, id, name]: OwnerName): EffectOwner | null {
  const by = ownedBy.find((one) => one.name === name)
  return by === undefined ? null : { resource: by.target, id, by }
}

function linkOf(resource: Resource | undefined, relation: string): Link | undefined {
  return resource?.links.find(({ name }) => name === relation)
}

/** A row with what the model knows of it. */
function rowWith(resource: Resource, id: Id, values: Readonly<Record<string, unknown>>): RecordData {
  const row: { id: Id; [name: string]: unknown } = { id }
  for (const { property } of keptMembers(resource)) if (property in values) row[property] = values[property]
  return row
}
