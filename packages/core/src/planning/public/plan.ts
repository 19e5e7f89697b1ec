import type { Id } from '../../model/ids/id-kind.ts'
import type { OrderedArray, OwnerReference, Reference, Resource } from '../../model/model.ts'
import type { Insert } from '../diff/changes.ts'
import type { OrderedChanges, OrderedStep, RowUpdate } from '../order/ordered.ts'
import { isNew, type RowId, rowMembers } from '../rows.ts'

/**
 * The ordered steps of a write, as data. Each step writes to one table. Its rows may be written in any order.
 * Values have the names of properties: fields and foreign keys.
 */
export interface Plan {
  readonly steps: readonly Step[]
  /** The resource of each new row. A row's `new` is its index here. */
  readonly inserted: readonly string[]
  /** The record that the request names or creates; undefined if the plan deletes it, and in a write of many records. */
  readonly result: RowId | undefined
  /** In a write of many records: those that it names or creates, in their order. */
  readonly results?: readonly RowId[]
}

export type Step =
  /** Deletes some link rows. */
  | {
      readonly step: 'unlink'
      readonly relation: RelationName
      readonly pairs: readonly (readonly [from: Id, to: Id])[]
    }
  /** Deletes all link rows that name some records on one side of the link table. */
  | {
      readonly step: 'unlinkAll'
      readonly relation: RelationName
      readonly side: 'from' | 'to'
      readonly ids: readonly Id[]
    }
  /** Sets all foreign keys to null that name some records, which are deleted later. `except`: the records that are
   * deleted with these, and kept. */
  | {
      readonly step: 'clear'
      readonly relation: RelationName
      readonly ids: readonly Id[]
      readonly except?: readonly Id[] | undefined
    }
  /** Sets the foreign key of some records to null: what it names is deleted later. The records are deleted too, or get
   * another value. */
  | { readonly step: 'release'; readonly relation: RelationName; readonly ids: readonly Id[] }
  | { readonly step: 'delete'; readonly resource: string; readonly ids: readonly Id[] }
  /** Marks records as deleted, by the moment in the column that `softDelete` names. */
  | { readonly step: 'stamp'; readonly resource: string; readonly ids: readonly Id[] }
  /** Takes the mark away again. */
  | { readonly step: 'restore'; readonly resource: string; readonly ids: readonly Id[] }
  /** Gives rows temporary unique values, so that other rows can take the ones they have. */
  | { readonly step: 'park'; readonly resource: string; readonly rows: readonly UpdatedRow[] }
  /**
   * Updates rows that take unique values from each other where no temporary values fit, such as required references.
   * PostgreSQL updates them in one statement, behind which it checks a deferrable key. SQLite has no such keys, but
   * room for any value: first it gives the `parked` rows values that no record has.
   */
  | {
      readonly step: 'swap'
      readonly resource: string
      readonly rows: readonly UpdatedRow[]
      readonly parked: readonly UpdatedRow[]
    }
  | { readonly step: 'update'; readonly resource: string; readonly rows: readonly UpdatedRow[] }
  /** Gives elements of arrays that keep their order other numbers. */
  | { readonly step: 'number'; readonly resource: string; readonly rows: readonly NumberedRow[] }
  | { readonly step: 'number'; readonly relation: RelationName; readonly rows: readonly NumberedPair[] }
  | { readonly step: 'insert'; readonly resource: string; readonly rows: readonly InsertedRow[] }
  /** Inserts link rows that do not exist yet. */
  | { readonly step: 'link'; readonly relation: RelationName; readonly pairs: readonly LinkedPair[] }

export interface RelationName {
  readonly resource: string
  readonly relation: string
}

export interface UpdatedRow {
  readonly id: Id
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

export interface NumberedRow {
  readonly id: Id
  readonly number: number
}

/** A link, and its number. */
export interface NumberedPair extends NumberedRow {
  readonly owner: Id
}

export interface InsertedRow {
  /** The new row's index, or the id that the client chose. */
  readonly id: RowId
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

export interface LinkedPair {
  readonly from: RowId
  readonly to: Id
  /** In arrays that keep their order, by the column. */
  readonly numbers?: Readonly<Record<string, number>>
  readonly pointer: string
}

/** Turns ordered changes into a plan: names replace the parts of the model. */
export function toPlan({ steps, inserts, results }: OrderedChanges): Plan {
  return {
    steps: steps.map((step) => toStep(step, inserts)),
    inserted: inserts.map(({ resource }) => resource.key),
    result: results[0],
  }
}

/** The same for a write of many records. */
export function toPlanOfMany(ordered: OrderedChanges): Plan {
  return { ...toPlan(ordered), result: undefined, results: ordered.results }
}

function toStep(step: OrderedStep, inserts: readonly Insert[]): Step {
  switch (step.step) {
    case 'unlink': {
      const pairs = step.pairs.map(({ from, to }) => [from, to] as const)
      return { step: step.step, relation: nameOf(step.relation), pairs }
    }
    case 'link': {
      const pairs = step.pairs.map(({ link: _, from, ...pair }) => ({ from: idOf(from, inserts), ...pair }))
      return { step: step.step, relation: nameOf(step.relation), pairs }
    }
    case 'unlinkAll':
    case 'clear':
    case 'release':
      return { ...step, relation: nameOf(step.relation) }
    case 'delete':
    case 'stamp':
    case 'restore':
      return { step: step.step, resource: step.resource.key, ids: step.ids }
    case 'park':
    case 'update':
      return { step: step.step, resource: step.resource.key, rows: updatedRows(step.resource, step.rows) }
    case 'swap': {
      const { resource, rows, parked } = step
      return {
        ...step,
        resource: resource.key,
        rows: updatedRows(resource, rows),
        parked: updatedRows(resource, parked),
      }
    }
    case 'number':
      return 'resource' in step
        ? { step: step.step, resource: step.resource.key, rows: step.rows.map(({ id, number }) => ({ id, number })) }
        : { step: step.step, relation: nameOf(step.relation), rows: step.rows }
    case 'insert':
      return { step: step.step, resource: step.resource.key, rows: step.rows.map((row) => toInsertedRow(row, inserts)) }
  }
}

function updatedRows(resource: Resource, rows: readonly RowUpdate[]): readonly UpdatedRow[] {
  return rows.map((row) => ({ id: row.id, values: valuesOf(resource, row), pointer: row.pointer }))
}

/** The id that the client chose for the row, if it did. */
function idOf(row: RowId, inserts: readonly Insert[]): RowId {
  return isNew(row) ? (inserts[row.new]?.id ?? row) : row
}

function toInsertedRow(insert: Insert, inserts: readonly Insert[]): InsertedRow {
  const { resource, row, owner, pointer } = insert
  const ownerId = (by: OwnerReference) => (owner?.by === by ? idOf(owner.id, inserts) : null)
  const owners = resource.ownedBy.map((by) => [by.foreignKey, ownerId(by)] as const)
  return { id: idOf(row, inserts), values: { ...Object.fromEntries(owners), ...valuesOf(resource, insert) }, pointer }
}

function valuesOf(resource: Resource, { values }: Pick<RowUpdate, 'values'>): Readonly<Record<string, unknown>> {
  const said = rowMembers(resource).filter(({ position }) => values[position] !== undefined)
  return Object.fromEntries(said.map((member) => [member.property, values[member.position]]))
}

export function nameOf(relation: Reference | OrderedArray): RelationName {
  return { resource: relation.source.key, relation: relation.name }
}
