import type { Id } from '../model/ids.ts'
import { type Link, memberName, type OwnedBy, type Reference, type Resource } from '../model/model.ts'
import { type Insert, isNew, type RowId } from './diff/changes.ts'
import type { OrderedChanges, OrderedStep, RowUpdate } from './order/ordered.ts'

/**
 * The ordered steps of a write, as data. Each touches one table; the rows of a step may be written in any order.
 * Values are by property name: fields, and foreign keys.
 */
export interface Plan {
  readonly steps: readonly Step[]
  /** The resource of each row that the plan inserts, by the row's number. */
  readonly inserted: readonly string[]
  /** The record that the request is about; undefined if the plan deletes it. */
  readonly result: RowId | undefined
}

export type Step =
  /** Link rows go. */
  | {
      readonly step: 'unlink'
      readonly relation: RelationName
      readonly pairs: readonly (readonly [from: Id, to: Id])[]
    }
  /** All link rows of some records go, whichever side of the link table these are on. */
  | {
      readonly step: 'unlinkAll'
      readonly relation: RelationName
      readonly side: 'from' | 'to'
      readonly ids: readonly Id[]
    }
  /** Foreign keys that name records which are about to go become null. */
  | { readonly step: 'clear'; readonly relation: RelationName; readonly ids: readonly Id[] }
  /** Foreign keys of these records become null: what they need is about to go, and they go too or turn to another one. */
  | { readonly step: 'release'; readonly relation: RelationName; readonly ids: readonly Id[] }
  | { readonly step: 'delete'; readonly resource: string; readonly ids: readonly Id[] }
  /** Rows give up unique values that others take, for values that are out of the way. */
  | { readonly step: 'park'; readonly resource: string; readonly rows: readonly UpdatedRow[] }
  | { readonly step: 'update'; readonly resource: string; readonly rows: readonly UpdatedRow[] }
  | { readonly step: 'insert'; readonly resource: string; readonly rows: readonly InsertedRow[] }
  /** Link rows are added, where they are not there yet. */
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

export interface InsertedRow {
  /** The row's number, or the id that the request asks for. */
  readonly id: RowId
  readonly values: Readonly<Record<string, unknown>>
  readonly pointer: string
}

export interface LinkedPair {
  readonly from: RowId
  readonly to: Id
  readonly pointer: string
}

/** Makes data of ordered changes that stands for itself: with names in place of the model's parts. */
export function toPlan({ steps, inserts, result }: OrderedChanges): Plan {
  return {
    steps: steps.map((step) => toStep(step, inserts)),
    inserted: inserts.map(({ resource }) => resource.key),
    result,
  }
}

function toStep(step: OrderedStep, inserts: readonly Insert[]): Step {
  switch (step.step) {
    case 'unlink': {
      const pairs = step.pairs.map(({ from, to }) => [from, to] as const)
      return { step: step.step, relation: nameOf(step.relation), pairs }
    }
    case 'link': {
      const pairs = step.pairs.map(({ from, to, pointer }) => ({ from: idOf(from, inserts), to, pointer }))
      return { step: step.step, relation: nameOf(step.relation), pairs }
    }
    case 'unlinkAll':
    case 'clear':
    case 'release':
      return { ...step, relation: nameOf(step.relation) }
    case 'delete':
      return { ...step, resource: step.resource.key }
    case 'park':
    case 'update': {
      const rows = step.rows.map((row) => ({ id: row.id, values: valuesOf(step.resource, row), pointer: row.pointer }))
      return { step: step.step, resource: step.resource.key, rows }
    }
    case 'insert':
      return { step: step.step, resource: step.resource.key, rows: step.rows.map((row) => toInsertedRow(row, inserts)) }
  }
}

/** The row's id, where the request asks for one. */
function idOf(row: RowId, inserts: readonly Insert[]): RowId {
  return isNew(row) ? (inserts[row.new]?.id ?? row) : row
}

function toInsertedRow(insert: Insert, inserts: readonly Insert[]): InsertedRow {
  const { resource, row, owner, pointer } = insert
  const ownerId = (by: OwnedBy) => (owner?.by === by ? idOf(owner.id, inserts) : null)
  const owners = resource.ownedBy.map((by) => [by.foreignKey, ownerId(by)] as const)
  return { id: idOf(row, inserts), values: { ...Object.fromEntries(owners), ...valuesOf(resource, insert) }, pointer }
}

function valuesOf({ members }: Resource, { values }: Pick<RowUpdate, 'values'>): Readonly<Record<string, unknown>> {
  const said = members.filter(({ position }) => values[position] !== undefined)
  return Object.fromEntries(said.map((member) => [memberName(member), values[member.position]]))
}

function nameOf(relation: Reference | Link): RelationName {
  return { resource: relation.source.key, relation: relation.name }
}
