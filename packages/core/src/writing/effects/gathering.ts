import { v7 } from 'uuid'
import { mayHide } from '../../asking/policies/rights.ts'
import type { Effects } from '../../effects/effects.ts'
import { shownChanges } from '../../effects/shown-effects.ts'
import { type EffectRecord, mergedChanges, recordKey, type WholeChange } from '../../effects/whole-change.ts'
import { CrudError, tooManyChanges } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { noLookups } from '../../planning/decide/lookups.ts'
import { kyselyTransaction, type TransactionUse } from '../../session/kysely-transaction.ts'
import type { Session } from '../../session/session.ts'
import { lookUp } from '../plan-write.ts'
import type { CallTerms, WriteCall, WriteParts } from '../write-call.ts'
import { type Gathering, gatherings } from './current-gathering.ts'

/** The gathering that a write has to add to, or begins; undefined where nobody asks for effects. `use`: of its
 * transaction. */
export function gatheringFor(
  { context, statements }: WriteParts,
  session: Session,
  { returns }: Pick<CallTerms, 'returns'>,
  use?: TransactionUse,
): Gathering | undefined {
  const parent = context.db.isTransaction ? gatherings.get(context.db) : undefined
  // The rows of another model are not those of this one.
  if (parent !== undefined && parent.viewer.context.model !== context.model) return undefined
  if (parent === undefined && returns !== 'effects') return undefined
  const viewer = parent?.viewer ?? { context, statements, session }
  const { unseen = { before: new Set<string>(), after: new Set<string>() } } = parent ?? {}
  const transaction = kyselyTransaction(context.db, session, use)
  return { viewer, parent, write: v7(), transaction, changes: [], hasOthers: parent !== undefined, unseen }
}

/** Does the work of a write. What is written in its transaction meanwhile is gathered, and becomes a part of the write
 * around it. `isKept`: it is not undone. */
export async function whileGathering<Result>(
  gathering: Gathering | undefined,
  isKept: boolean,
  work: () => Promise<Result>,
): Promise<Result> {
  if (gathering === undefined) return await work()
  const { transaction, parent, changes } = gathering
  gatherings.set(transaction, gathering)
  try {
    const result = await work()
    if (isKept && parent !== undefined && changes.length > 0) {
      parent.changes.push(...changes.map(byRule))
      parent.hasOthers = true
    }
    return result
  } finally {
    if (parent === undefined) gatherings.delete(transaction)
    else gatherings.set(transaction, parent)
  }
}

/** What a rule or an action has written is in no body. */
function byRule(change: WholeChange): WholeChange {
  return { ...change, pointer: undefined, because: change.because ?? 'rule' }
}

/** Notes which of these records the viewer cannot see at the moment. */
export async function noteUnseen(
  { viewer, hasOthers, unseen }: Gathering,
  when: 'before' | 'after',
  records: Iterable<EffectRecord>,
): Promise<void> {
  const { context, statements, session } = viewer
  const existing = new Map<Resource, Set<Id>>()
  for (const { resource, id } of records) {
    const mayBeUnseen = mayHide(context.rights, resource) || (hasOthers && resource.tenant !== undefined)
    if (mayBeUnseen) existing.set(resource, (existing.get(resource) ?? new Set<Id>()).add(id))
  }
  if (existing.size === 0) return
  const facts = await lookUp(statements, session, { ...noLookups, existing })
  for (const [resource, ids] of existing) {
    const seen = facts.existing.get(resource)
    for (const id of ids) if (seen?.has(id) !== true) unseen[when].add(recordKey(resource, id))
  }
}

/** Asks, at the end of the first write, what the viewer sees of all that was written. Fails if it is too much. */
export async function noteSeenAtEnd(gathering: Gathering, maxChanges: number): Promise<void> {
  if (gathering.changes.length > maxChanges) throw new CrudError(tooManyChanges(maxChanges))
  await noteUnseen(gathering, 'after', recordsAfter(mergedChanges(gathering.changes)))
}

/** The records that a viewer may be shown as they are after a write. */
export function recordsAfter(changes: readonly WholeChange[]): readonly EffectRecord[] {
  return changes.flatMap((change) => {
    if (change.action === 'Delete' || change.action === 'Unlink') return []
    return change.kind === 'link' ? [change, { resource: change.link.target, id: change.to }] : [change]
  })
}

/** The document of a write. Fails if it would have too many changes. */
export function effectsOf(
  { changes, viewer: { context }, unseen, write }: Gathering,
  { at, now, rollsBack }: Pick<CallTerms, 'at' | 'now' | 'rollsBack'>,
  about: { readonly operation: string; readonly id: Id | undefined },
): Effects {
  const merged = mergedChanges(changes)
  const shown = shownChanges(
    merged,
    {
      fieldRights: context.fieldRights,
      sees: (when, { resource, id }) => !unseen[when].has(recordKey(resource, id)),
    },
    rollsBack,
  )
  const { resource } = at.path
  const isGiven = (change: WholeChange) =>
    change.kind === 'row' && change.resource === resource && change.id === about.id && change.isGivenId
  const id = rollsBack && merged.some(isGiven) ? null : about.id
  return {
    effects: 1,
    write,
    at: now.toISOString(),
    operation: about.operation,
    resource: resource.key,
    ...(id !== undefined && { id }),
    changes: shown,
  }
}

/** The document of a write. `id`: of the record that it is about. */
export function effectsOfWrite(gathering: Gathering, call: WriteCall, id: Id | undefined): Effects {
  const operation = call.operation === 'bulk' ? call.verb : call.operation
  return effectsOf(gathering, call, { operation, id: call.operation === 'bulk' ? undefined : id })
}
