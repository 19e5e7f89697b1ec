import type { Session } from '../../connection/session.ts'
import { mayBeGivenByDatabase } from '../../model/descriptors/field-options.ts'
import type { Id } from '../../model/ids.ts'
import type { Link, Member, Model, Resource } from '../../model/model.ts'
import type { MemberValues } from '../../plan/member-values.ts'
import type { RecordData } from '../../plan/record-data.ts'
import { isNew, type RowId } from '../../plan/row-id.ts'
import type { AnyKysely } from '../../query/dialect/database.ts'
import type { AnyRow } from '../ready-made/ready-made-rule.ts'
import type { ResourceRules } from '../rule-set.ts'
import type { RuleAction } from '../rule-types.ts'
import type { RowLocks } from './row-locks.ts'
import type { RuleStatements } from './stored-rows.ts'
import type { RowOwner } from './tree.ts'

/** A row for which rules run, as far as it is known. */
export interface RuledRow {
  /** Of the model that the rules were checked with. */
  readonly resource: Resource
  readonly id: RowId
  action: RuleAction
  /** Nothing of the row itself changes, but something below it. */
  isAbove: boolean
  /** The relations below which something changes. */
  readonly changedBelow: string[]
  /** Of the row in the body, or of the nearest place that is in it. */
  pointer: string
  /** The body has an object for the row, so its fields have places. */
  isInBody: boolean
  /** Whether the caller may see the row; undefined if it has to be asked. */
  isShown: boolean | undefined
  owner: RowOwner
  /** The owner's row, if it is known and rules run for it or are told of it. */
  above: RuledRow | undefined
  /** The rules of a row that it owns are told of it. */
  isTaken: boolean
  /** The row before the write, by the names in JSON. Links are records with an id. Undefined if it has to be read, or is new. */
  record: RecordData | undefined
  /** What the plan sets. */
  values: MemberValues | undefined
  /** The foreign keys that become null because their records are removed. */
  readonly cleared: string[]
  readonly linked: [Link, RowId][]
  readonly unlinked: [Link, Id][]
}

/** The ids of new rows, by their numbers; undefined where they are not known yet. */
export type NewRowIds = readonly (Id | undefined)[]

/** The row as it was; null for a new one. */
export function beforeOf({ resource, action, record, owner }: RuledRow): AnyRow | null {
  return action === 'Add' || record === undefined ? null : rowOf(resource, record, owner)
}

/** A record that was read, as rules see it. */
export function rowOf(resource: Resource, record: RecordData, owner: RowOwner): AnyRow {
  const row: Record<string, unknown> = { id: record.id }
  for (const { property } of resource.members) row[property] = record[property] ?? null
  for (const by of resource.ownedBy) row[by.foreignKey] = owner?.by.name === by.name ? owner.id : null
  for (const { name } of resource.links) row[name] = (record[name] as readonly RecordData[]).map(({ id }) => id)
  return Object.freeze(row) as AnyRow
}

/** What only the database knows of a new row is missing until the row is read. */
function isKnown(member: Member): boolean {
  return member.kind === 'reference' || !mayBeGivenByDatabase(member)
}

/** The row as it will be, or is by now; null for one that is removed. */
export function afterOf(ruled: RuledRow, before: AnyRow | null, ids: NewRowIds): AnyRow | null {
  const { resource, action, values, owner, cleared, linked, unlinked } = ruled
  if (action === 'Delete') return null
  if (action !== 'Add' && values === undefined && cleared.length + linked.length + unlinked.length === 0) return before
  const idOf = (id: RowId) => (isNew(id) ? ids[id.new] : id)
  const row: Record<string, unknown> = { ...before, id: idOf(ruled.id) }
  for (const name of cleared) row[name] = null
  for (const member of resource.members) {
    const value = values?.[member.position]
    if (value !== undefined) row[member.property] = value
    else if (action === 'Add' && isKnown(member)) row[member.property] = null
  }
  for (const by of action === 'Add' ? resource.ownedBy : []) {
    row[by.foreignKey] = owner?.by.name === by.name ? idOf(owner.id) : null
  }
  if (linked.length + unlinked.length > 0 || action === 'Add') addLinks(row, ruled, idOf)
  return Object.freeze(row) as AnyRow
}

/** The ids of a row's links, after the write. */
function addLinks(
  row: Record<string, unknown>,
  { resource, linked, unlinked }: RuledRow,
  idOf: (id: RowId) => Id | undefined,
): void {
  for (const { name } of resource.links) {
    const gone = new Set(unlinked.flatMap(([link, to]) => (link.name === name ? [to] : [])))
    const kept = ((row[name] ?? []) as readonly Id[]).filter((id) => !gone.has(id))
    const added = linked.flatMap(([link, to]) => (link.name === name ? (idOf(to) ?? []) : []))
    row[name] = [...kept, ...added]
  }
}

/** What rules of a write work with. */
export interface RuledWith {
  readonly model: Model
  readonly rules: ReadonlyMap<string, ResourceRules>
  readonly statements: RuleStatements
  readonly locks: RowLocks
  readonly db: AnyKysely
  readonly session: Session
  readonly caller: Readonly<Record<string, unknown>>
  /** The ids that clients chose for new rows, by their numbers. */
  readonly chosenIds: NewRowIds
}
