import { v7 } from 'uuid'
import { mayHide } from '../../asking/policies/rights.ts'
import { effectsTag, shownChanges, type Viewer } from '../../effects/shown-effects.ts'
import {
  type EffectRecord,
  mergedChanges,
  recordKey,
  type WholeChange,
  writtenByRule,
} from '../../effects/whole-change.ts'
import type { Effects } from '../../effects-form.ts'
import { CrudError, effectsChanged, type TaggedEffects, tooManyChanges } from '../../errors.ts'
import { prepareHistory } from '../../history/keep-history.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource } from '../../model/model.ts'
import { noLookups } from '../../planning/decide/lookups.ts'
import { kyselyTransaction, type TransactionUse } from '../../session/kysely-transaction.ts'
import type { Session } from '../../session/session.ts'
import { isSomeones } from '../../sql/rows/whose-rows.ts'
import { lookUp } from '../plan-write.ts'
import type { CallTerms, EffectsTerms, WriteCall, WriteParts, WrittenEffects } from '../write-call.ts'
import { type Gathering, gatherings } from './current-gathering.ts'

/** The gathering that a write has to add to, or begins; undefined where nobody asks for effects. `use`: of its
 * transaction. */
export function gatheringFor(
  parts: WriteParts,
  session: Session,
  { effects }: Pick<CallTerms, 'effects'>,
  { use, keeps }: GatheringTerms,
): Gathering | undefined {
  const { context, statements } = parts
  const parent = context.db.isTransaction ? gatherings.get(context.db) : undefined
  // The rows of another model are not those of this one.
  if (parent !== undefined && parent.viewer.context.model !== context.model) return undefined
  if (parent === undefined && effects === undefined && !keeps) return undefined
  const viewer = parent?.viewer ?? { context, statements, session }
  const { unseen = { before: new Set<string>(), after: new Set<string>() } } = parent ?? {}
  const transaction = kyselyTransaction(context.db, session, use)
  const isShown = parent?.isShown ?? effects !== undefined
  const own = { isShown, isKept: parent === undefined && keeps, unseen, hasOthers: parent !== undefined }
  return { viewer, parent, write: v7(), transaction, changes: [], ...own }
}

interface GatheringTerms {
  /** Of the write's transaction. */
  readonly use?: TransactionUse
  /** Whether the history keeps what is written, if it touches a record with a history. */
  readonly keeps: boolean
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
      parent.changes.push(...changes.map(parent.ofWithin ?? writtenByRule))
      parent.hasOthers = true
    }
    return result
  } finally {
    if (parent === undefined) gatherings.delete(transaction)
    else gatherings.set(transaction, parent)
  }
}

/** Notes which of these records the viewer cannot see at the moment. */
export async function noteUnseen(
  { viewer, hasOthers, isShown, unseen }: Gathering,
  when: 'before' | 'after',
  records: Iterable<EffectRecord>,
): Promise<void> {
  if (!isShown) return
  const { context, statements, session } = viewer
  const existing = new Map<Resource, Set<Id>>()
  for (const { resource, id } of records) {
    const mayBeUnseen = mayHide(context.rights, resource) || (hasOthers && isSomeones(resource))
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
  if (gathering.isShown && gathering.changes.length > maxChanges) throw new CrudError(tooManyChanges(maxChanges))
  await noteUnseen(gathering, 'after', recordsAfter(mergedChanges(gathering.changes)))
}

/** The records that a viewer may be shown as they are after a write. */
export function recordsAfter(changes: readonly WholeChange[]): readonly EffectRecord[] {
  return changes.flatMap((change) => {
    if (change.action === 'Delete' || change.action === 'Unlink') return []
    return change.kind === 'link' ? [change, { resource: change.link.target, id: change.to }] : [change]
  })
}

/** A write, as far as its effects depend on it. `at`: absent where it is about nothing in particular. */
export type EffectsCall = Pick<CallTerms, 'now' | 'rollsBack' | 'effects'> & Partial<Pick<CallTerms, 'at'>>

/** What the effects of a write are about. */
export interface EffectsSubject {
  readonly operation: string
  readonly id: Id | undefined
}

/** The effects of a write as its caller sees them; undefined where nobody asks for them. */
export function effectsOf(
  { changes, viewer, unseen, write }: Gathering,
  { at, now, rollsBack, effects }: EffectsCall,
  { operation, id: about }: EffectsSubject,
): WrittenEffects | undefined {
  if (effects?.areAnswer !== true) return undefined
  const merged = mergedChanges(changes)
  const by = viewerOf(viewer, unseen, effects)
  const resource = at?.path.resource
  const id = rollsBack && resource !== undefined && isNewIn(merged, resource, about) ? null : about
  const shown: Effects = {
    effects: 1,
    write,
    at: now.toISOString(),
    operation,
    ...(resource && { resource: resource.key }),
    ...(id !== undefined && { id }),
    changes: shownChanges(merged, by, rollsBack),
  }
  return { shown, tag: rollsBack ? effectsTag(merged, by, shown) : undefined }
}

function viewerOf({ context }: Gathering['viewer'], unseen: Gathering['unseen'], { hides }: EffectsTerms): Viewer {
  return {
    fieldRights: context.fieldRights,
    sees: (when, { resource, id }) => hides?.(resource) !== true && !unseen[when].has(recordKey(resource, id)),
  }
}

/** Whether the service has given the id of a record in a write. */
function isNewIn(all: readonly WholeChange[], resource: Resource, id: Id | undefined): boolean {
  return all.some((one) => one.kind === 'row' && one.isGivenId && one.resource === resource && one.id === id)
}

/** Fails, before anything is stored for good, unless a write does what its request says that it does. */
export function checkMatch(gathering: Gathering, call: EffectsCall, subject: EffectsSubject): void {
  const { match } = call.effects ?? {}
  if (match === undefined || gathering.parent !== undefined) return
  const terms = { ...call, rollsBack: true, effects: { ...call.effects, areAnswer: true } }
  const now = effectsOf(gathering, terms, subject) as TaggedEffects
  if (now.tag !== match) throw new CrudError(effectsChanged(now))
}

/** Reads what the history needs besides. Resolves to the work that keeps the write, whose statements start before it
 * waits; undefined where the history does not keep it. */
export async function prepareToKeep(
  { context: { model }, statements, history, maxChanges }: WriteParts,
  session: Session,
  gathering: Gathering,
  { at, requestContext }: Pick<EffectsCall, 'at'> & Pick<CallTerms, 'requestContext'>,
  { operation, id }: EffectsSubject,
): Promise<(() => Promise<void>) | undefined> {
  const { isKept, write, changes } = gathering
  if (!isKept || history === undefined || model === undefined) return undefined
  const written = { write, operation, at, id, requestContext, changes }
  return await prepareHistory(model, statements, session, { ...history, maxChanges }, written)
}

/** What the effects of a write are about. `id`: of its record. */
export function effectsSubject(call: WriteCall, id: Id | undefined): EffectsSubject {
  return call.operation === 'bulk' ? { operation: call.verb, id: undefined } : { operation: call.operation, id }
}
