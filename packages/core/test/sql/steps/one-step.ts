import type { Insert } from '../../../src/planning/diff/changes.ts'
import { type NewIds, NO_NEW_IDS, newIdsOf } from '../../../src/planning/order/new-ids.ts'
import type { OrderedChanges, OrderedStep, RowUpdate } from '../../../src/planning/order/ordered.ts'
import type { RowId } from '../../../src/planning/rows.ts'
import type { Prepared, SlotValues } from '../../../src/sql/text/prepare.ts'
import { resourceOf } from '../albums.ts'
import { inFull, membersOf, type Trial } from '../rolled-back.ts'

type Properties = Readonly<Record<string, unknown>>

interface Inserted {
  readonly id?: number | undefined
  /** The owner, and the name of the relation to it. */
  readonly owner?: readonly [name: string, id: RowId]
}

/** The new row of this number. */
export function insertOf(key: string, number: number, values: Properties, { id, owner }: Inserted = {}): Insert {
  const resource = resourceOf(key)
  const by = resource.ownedBy.find(({ name }) => name === owner?.[0])
  return {
    resource,
    row: { new: number },
    id,
    shortId: id,
    idPointer: '',
    owner: owner && by && { by, id: owner[1] },
    values: membersOf(resource, values),
    pointer: '',
  }
}

export function updateOf(key: string, id: number, values: Properties): RowUpdate {
  return { id, values: membersOf(resourceOf(key), values), pointer: '' }
}

/** Steps that a plan may have, as the changes that they are part of. */
export function changesOf(steps: readonly OrderedStep[], result?: RowId): OrderedChanges {
  const inserts = steps.flatMap((step) => (step.step === 'insert' ? step.rows : []))
  return { steps, inserts, results: result === undefined ? [] : [result], rowByRow: false }
}

export function inserting(key: string, ...rows: readonly Insert[]): Extract<OrderedStep, { step: 'insert' }> {
  return { step: 'insert', resource: resourceOf(key), rows }
}

/** How the new rows of steps get their ids, where no policy asks about them. */
export function idsFor(steps: readonly OrderedStep[], result?: RowId): NewIds {
  return newIdsOf(changesOf(steps, result), [], true)
}

/** A step as a statement of its own. */
export function alone(trial: Trial, step: OrderedStep, newIds: NewIds = NO_NEW_IDS): Run {
  const { shape, values } = trial.statements.steps.part(step, newIds)
  const statement = shape.ownStatement()
  return {
    statement,
    values,
    inFull: inFull(statement, values),
    run: () => trial.run(statement, values),
  }
}

export interface Run {
  readonly statement: Prepared
  readonly values: SlotValues
  readonly inFull: string
  run(): Promise<unknown>
}
