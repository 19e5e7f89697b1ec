import type { Because } from '../effects-form.ts'
import { isGivenByDatabase, mayBeGivenByDatabase } from '../model/descriptors/field-options.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Reference, Resource } from '../model/model.ts'
import { onceFor } from '../model/once-for.ts'
import { otherEnd } from '../model/resource-tree.ts'
import { type Changes, type Insert, isRemoved, NO_POINTER, type Update } from '../planning/diff/changes.ts'
import { isNew, type MemberValues, type NewRow, type RecordData, type RowId, rowMembers } from '../planning/rows.ts'
import type { StoredRow } from '../rules/rows/stored-rows.ts'
import type { RowOwner } from '../rules/rows/tree.ts'
import {
  type EffectOwner,
  ownerRecord,
  recordKey,
  type WholeChange,
  type WholeLinkChange,
  type WholeRowChange,
} from './whole-change.ts'

/** A row as it was before a write. */
export interface RowBefore {
  readonly record: RecordData
  /** Undefined: nobody knows it. */
  readonly owner: RowOwner
}

/** Rows that name records which are removed, by a relation that lets these go. */
export interface NamingRows {
  readonly relation: Reference | Link
  readonly rows: readonly StoredRow[]
}

/** A planned write, and the rows that it has read. */
export interface PlannedEffects {
  readonly changes: Changes
  /** A row as it was; undefined: it was not read. */
  rowBefore(resource: Resource, id: Id): RowBefore | undefined
  readonly naming: readonly NamingRows[]
  /** What the body has at a pointer; undefined: nothing. Without a body, undefined. */
  readonly bodyAt: ((pointer: string) => unknown) | undefined
  /** The id of the new record that the path has; undefined: it has none. */
  readonly idInPath: Id | undefined
  /** The ids of new rows, by their numbers. */
  readonly ids: readonly (Id | undefined)[]
  /** The rows that the database may spell in another way than the plan, as they are stored; undefined: as planned. */
  rowAfter(resource: Resource, id: Id): RecordData | undefined
}

/**
 * What a write does: the one place where effects are made, from the changes of its plan and the state that they were
 * compared with. In the order of the body, then what follows from it.
 */
export function makeChanges(planned: PlannedEffects): readonly WholeChange[] {
  const made: Making = { ...planned, all: [], rows: new Map() }
  for (const update of planned.changes.updates) addUpdate(made, update)
  addRemoved(made)
  for (const insert of planned.changes.inserts) addInsert(made, insert)
  addLinks(made)
  addLosses(made)
  addNumbers(made)
  return made.all
}

interface Making extends PlannedEffects {
  readonly all: WholeChange[]
  /** The indexes of changes of rows. */
  readonly rows: Map<string, number>
  /** The elements before others in arrays that keep their order, as they were. */
  arrays?: Map<string, ReadonlyMap<Id, Id | null>>
}

function addRow(made: Making, change: WholeRowChange): void {
  made.rows.set(recordKey(change.resource, change.id), made.all.length)
  made.all.push(change)
}

function addUpdate(made: Making, update: Update): void {
  const { resource, id, values, pointer } = update
  const known = made.rowBefore(resource, id)
  const wasWithin = update.owner ?? known?.owner
  const before = withOwnerKeys(made, resource, known?.record ?? update.before, wasWithin)
  const set = named(resource, values)
  const stored = made.rowAfter(resource, id)
  const after = stored === undefined ? { ...before, ...set } : { ...before, ...ownerKeysIn(resource, set), ...stored }
  const isSet = rowMembers(resource).every(
    (member) => values[member.position] === undefined || (member.kind !== 'ownedBy' && member.setByRule),
  )
  const move = made.changes.moved?.find((one) => one.resource === resource && one.id === id)
  addRow(made, {
    ...edited(made, resource, id, before, after),
    owner: ownerOf(made, resource, id, move === undefined ? wasWithin : (move.to ?? null)),
    ...(isSet ? { because: 'set' } : { pointer: inBody(made, pointer) }),
  })
}

/** A row with the foreign keys of owners that bodies may set, as far as it lacks them. */
function withOwnerKeys(made: Making, { movedBy }: Resource, record: RecordData, owner: RowOwner): RecordData {
  if (movedBy.every(({ foreignKey }) => record[foreignKey] !== undefined)) return record
  const keys = movedBy.map((by) => [by.foreignKey, owner?.by.name === by.name ? idOf(made, owner.id) : null])
  return { ...Object.fromEntries(keys), ...record }
}

function ownerKeysIn({ movedBy }: Resource, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = movedBy.filter(({ foreignKey }) => values[foreignKey] !== undefined)
  return Object.fromEntries(given.map(({ foreignKey }) => [foreignKey, values[foreignKey]]))
}

function edited(made: Making, resource: Resource, id: Id, before: RecordData, after: RecordData): WholeRowChange {
  const owner = ownerOf(made, resource, id, undefined)
  const terms = { ...NO_TERMS, owner, soft: false, isGivenId: false, byRule: NO_NAMES }
  return { kind: 'row', action: 'Edit', resource, id, ...terms, before, after }
}

const NO_NAMES: ReadonlySet<string> = new Set()

const NO_TERMS = { pointer: undefined, because: undefined, cause: undefined }

/** The values that are given, by the names of properties. */
function named(resource: Resource, values: MemberValues): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const { property, position } of rowMembers(resource))
    if (values[position] !== undefined) given[property] = values[position]
  return given
}

function ownerOf(made: Making, resource: Resource, id: Id, known: RowOwner): EffectOwner | null {
  const owner = known === undefined ? made.rowBefore(resource, id)?.owner : known
  return owner === undefined || owner === null ? null : ownerRecord({ by: owner.by, id: idOf(made, owner.id) })
}

function idOf({ ids }: Making, row: RowId): Id {
  return (isNew(row) ? ids[row.new] : row) as Id
}

/** The pointer, where the request has a body that it leads into. */
function inBody({ bodyAt }: Making, pointer: string): string | undefined {
  return bodyAt === undefined || pointer === NO_POINTER ? undefined : pointer
}

function addRemoved(made: Making): void {
  const { changes } = made
  for (const { resource, pointers, withOwner } of changes.removed) {
    for (const [id, pointer] of pointers) {
      const before = made.rowBefore(resource, id)
      // The database's own policies may keep a row from the caller.
      if (before === undefined) continue
      addRow(made, {
        ...edited(made, resource, id, withOwnerKeys(made, resource, before.record, before.owner), before.record),
        action: 'Delete',
        after: undefined,
        soft: resource.softDelete !== undefined && changes.isForGood !== true,
        ...(withOwner.has(id) ? { because: 'ownerDeleted' } : saidOf(made, elementOf(pointer))),
      })
    }
  }
}

/** Whether the body says itself that something goes, or leaves it out. */
function saidOf(made: Making, pointer: string): { readonly pointer?: string; readonly because?: Because } {
  const place = inBody(made, pointer)
  if (place === undefined) return {}
  const value = made.bodyAt?.(place)
  return value === undefined || Array.isArray(value) ? { because: 'leftOut' } : { pointer: place }
}

function addInsert(made: Making, insert: Insert): void {
  const { resource, owner, values, pointer, cleared = [] } = insert
  const isBack = insert.comesBack !== undefined
  const id = idOf(made, insert.row)
  const planned: Record<string, unknown> = { id }
  for (const member of resource.members) planned[member.property] = values[member.position] ?? null
  for (const { property } of cleared) planned[property] = null
  const row = made.rowAfter(resource, id) ?? (planned as RecordData)
  addRow(made, {
    ...edited(made, resource, id, row, withOwnerKeys(made, resource, row, owner ?? null)),
    action: 'Add',
    before: undefined,
    owner: ownerOf(made, resource, id, owner ?? null),
    soft: insert.comesBack === 'kept',
    isGivenId: !isBack && !isChosen(made, insert),
    pointer: inBody(made, pointer),
  })
}

/** Whether the client has given the id of a new row. */
function isChosen(made: Making, { resource, id, idPointer, pointer, owner }: Insert): boolean {
  if (id === undefined) return false
  const isBelowNew = owner !== undefined && isNew(owner.id) && resource.idMembers.includes(owner.by)
  if (isBelowNew && !isChosen(made, made.changes.inserts[(owner.id as NewRow).new] as Insert)) return false
  if (resource.id.assign === undefined) return true
  if (pointer === '' && id === made.idInPath) return true
  return idPointer !== pointer && made.bodyAt?.(idPointer) !== undefined
}

function addLinks(made: Making): void {
  const { changes } = made
  for (const { link, from, to, pointer } of changes.unlinked) {
    if (isRemoved(changes, link.source, from)) continue
    made.all.push({ ...unlinkOf(made, link, from, to), ...saidOf(made, elementOf(pointer)) })
  }
  for (const { link, from, to, pointer } of changes.linked)
    made.all.push({ ...linkOf(made, 'Link', link, from, to), pointer: inBody(made, elementOf(pointer)) })
}

/** The pointer of an element, where problems of it point to its id, or to the mark that removes it. */
function elementOf(pointer: string): string {
  return pointer.replace(/\/(?:id|\$remove)$/, '')
}

function linkOf(made: Making, action: WholeLinkChange['action'], link: Link, from: RowId, to: Id): WholeLinkChange {
  return { kind: 'link', action, resource: link.source, id: idOf(made, from), ...NO_TERMS, link, to }
}

function unlinkOf(made: Making, link: Link, from: Id, to: Id): WholeLinkChange {
  const change = linkOf(made, 'Unlink', link, from, to)
  const other = otherEnd(link)
  if (link.order === undefined && other?.order === undefined) return change
  const place = { behind: elementBefore(made, link, from, to), otherBehind: elementBefore(made, other, to, from) }
  return { ...change, place }
}

/** The element before another one in an array that keeps its order; null: it is the first; undefined: nobody knows. */
function elementBefore(made: Making, array: Link | undefined, owner: Id, element: Id): Id | null | undefined {
  if (array?.order === undefined) return undefined
  made.arrays ??= new Map()
  const key = `${array.name} ${recordKey(array.source, owner)}`
  const before = made.arrays.get(key) ?? elementsBefore(linkedBefore(made, array, owner))
  made.arrays.set(key, before)
  return before.get(element)
}

function elementsBefore(linked: readonly RecordData[]): ReadonlyMap<Id, Id | null> {
  return new Map(linked.map(({ id }, index) => [id, linked[index - 1]?.id ?? null]))
}

function linkedBefore({ rowBefore, naming }: Making, array: Link, owner: Id): readonly RecordData[] {
  const { source, name } = array
  const rows = naming.find(({ relation }) => relation === array)?.rows
  const record = rowBefore(source, owner)?.record ?? rows?.find(({ record: { id } }) => id === owner)?.record
  return (record?.[name] ?? []) as readonly RecordData[]
}

/** What others lose with records that are removed: foreign keys that name them, and links. */
function addLosses(made: Making): void {
  const { changes } = made
  for (const { relation, rows } of made.naming) {
    for (const row of rows) {
      if (isRemoved(changes, relation.source, row.record.id)) continue
      if (relation.kind === 'reference') addCleared(made, relation, row)
      else if (otherEnd(relation) === undefined) addUnlinked(made, relation, row.record, 'to')
    }
  }
  for (const { resource, pointers } of changes.removed) {
    for (const id of pointers.keys()) {
      const record = made.rowBefore(resource, id)?.record
      if (record !== undefined) for (const link of resource.links) addUnlinked(made, link, record, 'from')
    }
  }
}

function addCleared(made: Making, reference: Reference, { record, owner }: StoredRow): void {
  const { source, target, property } = reference
  const held = record[property] as Id
  if (!isRemoved(made.changes, target, held)) return
  const known = made.rows.get(recordKey(source, record.id))
  if (known !== undefined) {
    const change = made.all[known] as WholeRowChange
    const isTurned = change.after?.[property] !== held
    if (!isTurned) made.all[known] = { ...change, after: { ...(change.after as RecordData), [property]: null } }
    return
  }
  addRow(made, {
    ...edited(made, source, record.id, record, { ...record, [property]: null }),
    owner: ownerOf(made, source, record.id, owner),
    because: 'referenceDeleted',
    cause: { resource: target, id: held },
  })
}

/** `side`: the one of the record that is removed. */
function addUnlinked(made: Making, link: Link, record: RecordData, side: 'from' | 'to'): void {
  const linked = (record[link.name] ?? []) as readonly RecordData[]
  for (const { id: to } of linked) {
    const cause = side === 'from' ? { resource: link.source, id: record.id } : { resource: link.target, id: to }
    if (!isRemoved(made.changes, cause.resource, cause.id)) continue
    const change = unlinkOf(made, link, record.id, to)
    made.all.push({ ...change, because: 'linkedRecordDeleted', cause })
  }
}

/** The elements of arrays whose numbers change. */
function addNumbers(made: Making): void {
  for (const { array, owner, rows } of made.changes.numbered ?? []) {
    for (const { id, number } of rows) {
      if (array.kind === 'link') {
        const place = { behind: elementBefore(made, array, owner, id) }
        made.all.push({ ...linkOf(made, 'Edit', array, owner, id), because: 'order', place })
        continue
      }
      const { target, order } = array
      const set = order === undefined ? {} : { [order.property]: number }
      const index = made.rows.get(recordKey(target, id))
      const known = index === undefined ? undefined : (made.all[index] as WholeRowChange)
      const row = made.rowBefore(target, id)
      const before = row && withOwnerKeys(made, target, row.record, row.owner)
      if (known !== undefined && index !== undefined) {
        made.all[index] = { ...known, after: { ...(known.after as RecordData), ...set } }
      } else if (before !== undefined) {
        addRow(made, { ...edited(made, target, id, before, { ...before, ...set }), because: 'order' })
      }
    }
  }
}

/** Whether a row has to be read again to know its values: the database fills some, or may spell them in its own way. */
export function isReadAgain({ fields }: Resource, values: MemberValues, isAdded: boolean): boolean {
  return fields.some((field) => {
    if (field.keepsOrder) return false
    if (values[field.position] !== undefined) return mayBeRespelled(field)
    return isAdded ? mayBeGivenByDatabase(field) : field.hasDbDefault || isGivenByDatabase(field)
  })
}

/** Text without a format, whole numbers and booleans come back as they were given. */
const mayBeRespelled = onceFor(({ storage, stored, schema }: Resource['fields'][number]): boolean => {
  if (stored !== undefined) return true
  if (storage === 'boolean' || storage === 'integer' || storage === 'json') return false
  return storage !== 'string' || JSON.stringify(schema).includes('"format"')
})
