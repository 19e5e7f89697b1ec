import type { Refusal } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Resource } from '../../model/model.ts'
import type { ResourcesInRecord } from '../../model/resource-tree.ts'
import { otherEnd } from '../../model/resource-tree.ts'
import { rearranged } from '../diff/arrange.ts'
import { type Changes, NO_POINTER, type OwnerKind } from '../diff/changes.ts'
import type { Move } from '../diff/move.ts'
import { isNew } from '../rows.ts'

/** What a write does to records of one resource. */
export interface PlannedAction {
  readonly action: 'Add' | 'Edit' | 'Delete'
  readonly resource: Resource
  /** What owns these records. */
  readonly owners: ReadonlySet<OwnerKind>
  /** JSON pointers to what asks for it in the body; none for a DELETE. */
  readonly pointers: readonly string[]
  /** Of a record that moves: where it was, or will be. Absent: the action is not about one address. */
  readonly place?: { readonly at: Address; readonly id: Id | undefined } | undefined
}

/**
 * What the application says of a write before it is carried out. Both may throw: then the write is not carried out, and
 * fails with what was thrown. {@link PendingAnswersError} has it wait, and begin again.
 */
export interface Permit {
  /** Why the write may not do all of this; undefined if it may. */
  refusalOf(actions: readonly PlannedAction[]): Refusal | undefined
  /** Those of the resources whose records the caller may not see. Is asked before a refusal names such records. */
  hiddenOf(resources: ResourcesInRecord): ReadonlySet<Resource>
  /** Whether the caller may see the owner of a record at this address. */
  seesOwner(at: Address): boolean
}

/** Some answers are not known yet. The write waits for them without a transaction, and is planned again. */
export class PendingAnswersError extends Error {
  override readonly name = 'PendingAnswersError'
  readonly answers: Promise<unknown>

  constructor(answers: Promise<unknown>) {
    super('the answers to what the write may do are not known yet')
    this.answers = answers
  }
}

/**
 * What changes do, once for each action and resource. To clear a reference because its target is deleted is none: the
 * record that knew the target has to let go of it.
 */
export function plannedActions(changes: Changes): readonly PlannedAction[] {
  const { inserts, updates, removed, linked, unlinked, moved = [] } = changes
  const actions = new Map<string, Growing>()
  const actionOn = (action: PlannedAction['action'], resource: Resource): Growing => {
    const pair = `${action} ${resource.key}`
    const known = actions.get(pair) ?? { action, resource, owners: new Set(), pointers: [] }
    actions.set(pair, known)
    return known
  }
  const add = (action: PlannedAction['action'], resource: Resource, owner: OwnerKind, pointer: string) => {
    const { owners, pointers } = actionOn(action, resource)
    owners.add(owner)
    pointers.push(pointer)
  }
  for (const { resource, owner, pointer } of inserts) add('Add', resource, owner?.by.target ?? 'none', pointer)
  for (const { resource, owner, pointer } of updates) add('Edit', resource, owner?.by.target ?? 'addressed', pointer)
  for (const { link, from, pointer } of [...linked, ...unlinked]) {
    if (!isNew(from)) add('Edit', link.source, 'inside', pointer)
    if (isShared(link)) add('Edit', link.target, 'outside', pointer)
  }
  for (const { array, pointer } of rearranged(changes)) add('Edit', array.source, 'inside', pointer)
  for (const { resource, owners, pointers } of removed) {
    const action = actionOn('Delete', resource)
    for (const owner of owners) action.owners.add(owner)
    for (const pointer of pointers.values()) if (pointer !== NO_POINTER) action.pointers.push(pointer)
  }
  return [...actions.values(), ...moved.flatMap(actionsOfMove)]
}

/** It goes from one owner as if it was deleted, and comes to the other as if it was new. */
function actionsOfMove({ resource, id, from, to, pointer, places }: Move): readonly PlannedAction[] {
  const of = (action: PlannedAction['action'], owner: Move['to'], place: PlannedAction['place']): PlannedAction => ({
    action,
    resource,
    owners: new Set([owner?.by.target ?? 'none']),
    pointers: [pointer],
    place,
  })
  return [
    of('Delete', from, places && { at: places.before, id }),
    of('Add', to, places && { at: places.after, id: undefined }),
  ]
}

interface Growing extends PlannedAction {
  readonly owners: Set<OwnerKind>
  readonly pointers: string[]
}

/** Whether the target shows the same links: a change of them changes both records. */
export function isShared(link: Link): boolean {
  return otherEnd(link) !== undefined
}
