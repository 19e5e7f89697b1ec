import { mayBeGivenByDatabase } from '../../model/descriptors/field-options.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Member, Resource } from '../../model/model.ts'
import { isNew, type MemberValues, type RecordData, type RecordOwner, type RowId } from '../../planning/rows.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import type { ChangedRow, RuleAction } from '../rule-types.ts'
import type { RowOwner } from './tree.ts'

/** Rows that were read after the statements; null if they are gone. The plan knows the values of other rows. */
export type RowsAfter = ReadonlyMap<RuledRow, AnyRow | null>

/** How rules see a row: before the write, and as it will be or is by now. `owner`: its owner, if its rules take it. */
export function rowChange(row: RuledRow, owner: RuledRow | undefined, ids: NewRowIds, read: RowsAfter): ChangedRow {
  return {
    action: row.action,
    ...(row.isRestored && { restored: true }),
    ...beforeAndAfter(row, ids, read),
    owner: owner === undefined ? null : Object.freeze(beforeAndAfter(owner, ids, read)),
  }
}

/** The change that a transaction makes; undefined if the row was there neither before it nor after it. */
export function changeAtEnd(change: ChangedRow): ChangedRow | undefined {
  if (change.after !== null) return change
  return change.before === null ? undefined : { ...change, action: 'Delete' }
}

function beforeAndAfter(row: RuledRow, ids: NewRowIds, read: RowsAfter): Pick<ChangedRow, 'before' | 'after'> {
  const before = beforeOf(row)
  const after = read.get(row)
  return { before, after: after === undefined ? afterOf(row, before, ids) : after }
}

/** The row as it was; null for a new one. */
function beforeOf({ resource, action, record, owner }: RuledRow): AnyRow | null {
  return action === 'Add' || record === undefined ? null : rowOf(resource, record, owner)
}

/** A record that was read, as rules see it. */
export function rowOf(resource: Resource, record: RecordData, owner: RowOwner): AnyRow {
  const row: Record<string, unknown> = { id: record.id }
  for (const { property } of [...resource.fields, ...resource.references]) row[property] = record[property] ?? null
  for (const by of resource.ownedBy) row[by.foreignKey] = owner?.by.name === by.name ? owner.id : null
  for (const { name } of resource.links) row[name] = (record[name] as readonly RecordData[]).map(({ id }) => id)
  return Object.freeze(row) as AnyRow
}

/** The row as the plan leaves it; null for one that is removed. */
export function plannedRow(row: RuledRow, ids: NewRowIds): AnyRow | null {
  return afterOf(row, beforeOf(row), ids)
}

function afterOf(ruled: RuledRow, before: AnyRow | null, ids: NewRowIds): AnyRow | null {
  const { resource, action, values, owner, movedTo, cleared, linked, unlinked } = ruled
  if (action === 'Delete') return null
  if (action !== 'Add' && values === undefined && cleared.length + linked.length + unlinked.length === 0) return before
  const row: Record<string, unknown> = { ...before, id: idOfRow(ruled, ids) }
  for (const name of cleared) row[name] = null
  for (const member of [...resource.fields, ...resource.references]) {
    const value = values?.[member.position]
    if (action === 'Add' && isNumber(member)) continue
    if (value !== undefined) row[member.property] = value
    else if (action === 'Add' && isKnown(member)) row[member.property] = null
  }
  for (const by of action === 'Add' ? resource.ownedBy : resource.movedBy) {
    if (action === 'Add') row[by.foreignKey] = owner?.by.name === by.name ? idOfRow(owner, ids) : null
    else if (movedTo !== undefined) row[by.foreignKey] = movedTo?.by.name === by.name ? movedTo.id : null
  }
  if (linked.length + unlinked.length > 0 || action === 'Add') addLinks(row, ruled, ids)
  return Object.freeze(row) as AnyRow
}

/** A number that keeps the order of an array is chosen behind the rules. */
function isNumber(member: Member): boolean {
  return member.kind === 'field' && member.keepsOrder
}

/** Values of a new row that only the database knows are missing until the row is read. */
function isKnown(member: Member): boolean {
  return member.kind === 'reference' || !mayBeGivenByDatabase(member)
}

/** The ids of a row's links, after the write. */
function addLinks(row: Record<string, unknown>, { resource, linked, unlinked }: RuledRow, ids: NewRowIds): void {
  for (const { name } of resource.links) {
    const gone = new Set<RowId>(unlinked.flatMap(([link, id]) => (link.name === name ? [id] : [])))
    const kept = ((row[name] ?? []) as readonly Id[]).filter((id) => !gone.has(id))
    const added = linked.flatMap(([link, id]) => (link.name === name ? (idOfRow({ id }, ids) ?? []) : []))
    row[name] = [...kept, ...added]
  }
}

/** A row for which rules run, as far as it is known. */
export interface RuledRow {
  /** Of the model that the rules were checked with. */
  readonly resource: Resource
  readonly id: RowId
  action: RuleAction
  /** A deleted row comes back: its `action` is `Add`. */
  isRestored: boolean
  /** Nothing of the row itself changes, but something below it. */
  isAbove: boolean
  /** The relations below which something changes. */
  readonly changedBelow: string[]
  /** To the row in the body, or to the nearest value that the body has. */
  readonly pointer: string
  /** The body has an object for the row, so its fields have pointers. */
  isInBody: boolean
  /** Whether the caller may see the row; undefined if the database has to be asked. */
  isShown: boolean | undefined
  owner: RowOwner
  /** The owner to whom the row moves: null if it has none then, undefined if it stays. */
  movedTo: RecordOwner | null | undefined
  /** The owner's row behind the write, if it is known and rules run for it or take it. */
  above: RuledRow | undefined
  /** The rules of a row that it owns take it as the owner. */
  isTaken: boolean
  /** The row before the write, by the names in JSON. Links are records with an id. Undefined if it has to be read, or
   * is new. */
  record: RecordData | undefined
  /** The values that the plan sets. */
  values: MemberValues | undefined
  /** The foreign keys that become null because their records are removed. */
  readonly cleared: string[]
  readonly linked: [Link, RowId][]
  readonly unlinked: [Link, Id][]
}

/** A row of which nothing else is known. */
export function ruledRow(resource: Resource, id: RowId, pointer: string): RuledRow {
  return {
    resource,
    id,
    action: 'Edit',
    isRestored: false,
    isAbove: false,
    changedBelow: [],
    pointer,
    isInBody: false,
    isShown: isNew(id) || undefined,
    owner: undefined,
    movedTo: undefined,
    above: undefined,
    isTaken: false,
    record: undefined,
    values: undefined,
    cleared: [],
    linked: [],
    unlinked: [],
  }
}

/** The ids of new rows, by their numbers; undefined where they are not known yet. */
export type NewRowIds = readonly (Id | undefined)[]

export function idOfRow({ id }: Pick<RuledRow, 'id'>, ids: NewRowIds): Id | undefined {
  return isNew(id) ? ids[id.new] : id
}
