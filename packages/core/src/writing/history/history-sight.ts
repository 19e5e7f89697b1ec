import { hidesSome, mayHide } from '../../asking/policies/rights.ts'
import type { Viewer } from '../../effects/shown-effects.ts'
import { type EffectOwner, type EffectRecord, recordKey, type WholeChange } from '../../effects/whole-change.ts'
import { toHistoryRow } from '../../history/history-row.ts'
import { ownerBefore, type StoredChange, wholeChange } from '../../history/stored-changes.ts'
import type { KnownState } from '../../history/tree-then.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'
import { keepsHistory } from '../../model/resource-tree.ts'
import { noLookups } from '../../planning/decide/lookups.ts'
import type { Session } from '../../session/session.ts'
import type { RecordState } from '../../sql/checks/state-query.ts'
import { whoseRecord } from '../../sql/rows/whose-rows.ts'
import { lookUp } from '../plan-write.ts'
import type { EffectsTerms, WriteParts } from '../write-call.ts'

/** Changes of one write, as a reader may be shown them. */
export interface ChangesToShow {
  readonly stored: readonly StoredChange[]
  readonly changes: readonly WholeChange[]
}

type When = 'before' | 'after'

/**
 * What a reader sees of the history. A state of a record is shown only if `View` allows that state, and the record as
 * it is now. Of a record that is gone, its last state stands for what it is now.
 */
export class HistorySight {
  readonly #parts: WriteParts
  readonly #session: Session
  readonly #hides: (resource: Resource) => boolean
  /** A state of before a write is shown although the reader sees the record no longer, as it is told that this has
   * gone. */
  readonly #tellsOfLeaving: boolean
  /** Whether a record is seen as it is now. */
  readonly #now = new Map<string, boolean>()
  readonly #states = new Map<string, boolean>()
  /** Last states of records that are gone, which need not be read. */
  readonly #last = new Map<string, KnownState>()

  constructor(parts: WriteParts, session: Session, hides: EffectsTerms['hides'] = () => false, tellsOfLeaving = false) {
    this.#parts = parts
    this.#session = session
    this.#hides = hides
    this.#tellsOfLeaving = tellsOfLeaving
  }

  /** Viewers for the changes of some writes. */
  async viewersOf(all: readonly ChangesToShow[]): Promise<readonly Viewer[]> {
    const { rights, fieldRights } = this.#parts.context
    const states = all.map(statesIn)
    if (rights !== undefined) {
      const owners = states.flatMap((ofWrite) => [...ofWrite.values()].flatMap(({ owner }) => owner ?? []))
      await this.#lookAt([...all.flatMap(({ changes }) => recordsIn(changes)), ...owners])
      await this.#askStates(
        states.flatMap((ofWrite, index) => [...ofWrite].map(([key, state]) => [`${index} ${key}`, state] as const)),
      )
    }
    return states.map((ofWrite, index) => ({
      fieldRights,
      sees: (when, record) => this.#sees(ofWrite, index, when, record),
    }))
  }

  #sees(states: ReadonlyMap<string, KnownState>, index: number, when: When, record: EffectRecord): boolean {
    const { rights } = this.#parts.context
    if (this.#hides(record.resource)) return false
    if (!mayHide(rights, record.resource)) return true
    const key = stateKey(when, record)
    const state = states.get(key)
    const mayHaveLeft = this.#tellsOfLeaving && when === 'before' && state !== undefined
    if (!mayHaveLeft && !this.#isSeenNow(record)) return false
    if (state === undefined) return true
    const isOwnerSeen = state.owner === null || this.#isSeenNow(state.owner)
    return isOwnerSeen && this.#states.get(`${index} ${key}`) !== false
  }

  #isSeenNow({ resource, id }: EffectRecord): boolean {
    return !mayHide(this.#parts.context.rights, resource) || this.#now.get(recordKey(resource, id)) === true
  }

  /** Whether the reader sees a record that is gone, by its last state. */
  async seesGone(record: EffectRecord): Promise<boolean> {
    if (!mayHide(this.#parts.context.rights, record.resource)) return true
    await this.#lookAt([record])
    return this.#isSeenNow(record)
  }

  /** Those of some states that the reader may be shown: `View` allows each of them, and its record as it is now.
   * `last`: the last states of records that are gone, as far as they are known. */
  async statesSeen(states: readonly KnownState[], last: Iterable<KnownState>): Promise<ReadonlySet<KnownState>> {
    for (const state of last) this.#last.set(recordKey(state.record.resource, state.record.id), state)
    const asked = states.filter(({ record }) => !this.#hides(record.resource))
    await this.#lookAt(asked.flatMap(({ record, owner }) => (owner === null ? [record] : [record, owner])))
    const isSeen = ({ record, owner }: KnownState) =>
      this.#isSeenNow(record) && (owner === null || this.#isSeenNow(owner))
    return await this.#allowed('View', asked.filter(isSeen))
  }

  /** Those of some records that the reader sees as they are now. */
  async recordsSeen(records: readonly EffectRecord[]): Promise<readonly EffectRecord[]> {
    const asked = records.filter(({ resource }) => !this.#hides(resource))
    await this.#lookAt(asked)
    return asked.filter((record) => this.#isSeenNow(record))
  }

  /** Finds out which records the reader sees as they are now. */
  async #lookAt(records: readonly EffectRecord[]): Promise<void> {
    const { rights } = this.#parts.context
    const unknown = new Map<string, EffectRecord>()
    for (const record of records) {
      const key = recordKey(record.resource, record.id)
      if (mayHide(rights, record.resource) && !this.#now.has(key)) unknown.set(key, record)
    }
    if (unknown.size === 0) return
    const asked = idsByResource(unknown.values())
    const lookups = { ...noLookups, existing: asked, existingForRules: asked }
    const facts = await lookUp(this.#parts.statements, this.#session, lookups)
    const gone: EffectRecord[] = []
    for (const [key, record] of unknown) {
      const { resource, id } = record
      const isThere = facts.existingForRules.get(resource)?.has(id) === true
      this.#now.set(key, facts.existing.get(resource)?.has(id) === true)
      if (!isThere) gone.push(record)
    }
    if (gone.length > 0) await this.#lookAtLastStates(gone)
  }

  async #lookAtLastStates(gone: readonly EffectRecord[]): Promise<void> {
    const last: KnownState[] = []
    for (const record of gone) {
      const known = this.#last.get(recordKey(record.resource, record.id))
      const state = known ?? (await lastStateOf(this.#parts, this.#session, record))
      if (state !== undefined) last.push(state)
    }
    await this.#lookAt(last.flatMap(({ owner }) => owner ?? []))
    const allowed = await this.#allowed('View', last)
    for (const state of last) {
      const isOwnerSeen = state.owner === null || this.#isSeenNow(state.owner)
      const { resource, id } = state.record
      this.#now.set(recordKey(resource, id), isOwnerSeen && allowed.has(state))
    }
  }

  async #askStates(states: readonly (readonly [string, KnownState])[]): Promise<void> {
    const { rights } = this.#parts.context
    const asked = states.filter(
      ([, { record }]) => hidesSome(rights, record.resource) && (this.#tellsOfLeaving || this.#isSeenNow(record)),
    )
    const allowed = await this.#allowed(
      'View',
      asked.map(([, state]) => state),
    )
    for (const [key, state] of asked) this.#states.set(key, allowed.has(state))
  }

  /** The states that the policies of their own resources allow. */
  async #allowed(action: 'View' | 'Delete', states: readonly KnownState[]): Promise<ReadonlySet<KnownState>> {
    const allowed = new Set<KnownState>()
    for (const [resource, some] of Map.groupBy(states, ({ record }) => record.resource)) {
      if (!hidesSome(this.#parts.context.rights, resource) && action === 'View') {
        for (const state of some) allowed.add(state)
        continue
      }
      const { query, values } = this.#parts.statements.states(resource, action, some.map(toRecordState))
      const json = await this.#session.value<string>(query, values)
      for (const index of JSON.parse(json as string) as readonly number[]) allowed.add(some[index] as KnownState)
    }
    return allowed
  }

  /** Whether the policies allow to delete a record that is gone, as it was last. */
  async mayDelete(record: EffectRecord): Promise<boolean> {
    const { rights } = this.#parts.context
    const state = await lastStateOf(this.#parts, this.#session, record)
    if (state === undefined || rights === undefined) return state !== undefined
    if (rights.rules.has(record.resource)) return (await this.#allowed('Delete', [state])).size > 0
    return state.owner === null || (await this.#mayEdit(state.owner))
  }

  async #mayEdit(owner: EffectOwner): Promise<boolean> {
    const rows = new Map([[owner.id, undefined]])
    const guarded = [{ resource: owner.resource, action: 'EditBefore', rows, when: 'once' } as const]
    const asked = new Map([[owner.resource, new Set([owner.id])]])
    const lookups = { ...noLookups, existing: asked, guarded }
    const facts = await lookUp(this.#parts.statements, this.#session, lookups)
    if (facts.existing.get(owner.resource)?.has(owner.id) === true) return facts.forbidden.length === 0
    return await this.mayDelete(owner)
  }
}

/** The last state of a record that is gone; undefined where the history does not have it. */
async function lastStateOf(
  { context, statements }: WriteParts,
  session: Session,
  record: EffectRecord,
): Promise<KnownState | undefined> {
  const { resource, id } = record
  if (!keepsHistory(resource)) return undefined
  const of = { ...recordSlots(session, record), before: Number.MAX_SAFE_INTEGER, most: 1 }
  const [row] = await session.rows(statements.history().writesOf, of)
  if (row === undefined) return undefined
  const isOwn = (one: StoredChange) => one.resource === resource.key && one.id === id && one.relation === undefined
  const stored = toHistoryRow(row).stored.changes.find(isOwn)
  const change = stored && wholeChange(context.model as Model, stored)
  if (change?.kind !== 'row' || change.before === undefined || change.action !== 'Delete') return undefined
  return { record, row: change.before, owner: change.owner }
}

/** By which the history finds a record. */
export function recordSlots({ requestContext }: Session, { resource, id }: EffectRecord) {
  return { ...whoseRecord(requestContext, resource), resource: resource.key, record: String(id) }
}

/** The states of records that the changes of a write have. */
function statesIn({ changes, stored }: ChangesToShow): ReadonlyMap<string, KnownState> {
  const states = new Map<string, KnownState>()
  for (const [index, change] of changes.entries()) {
    if (change.kind === 'link') continue
    const { before, after, owner } = change
    if (before !== undefined) {
      const was = ownerBefore(stored[index] as StoredChange, change)
      states.set(stateKey('before', change), { record: change, row: before, owner: was })
    }
    if (after !== undefined) states.set(stateKey('after', change), { record: change, row: after, owner })
  }
  return states
}

function stateKey(when: When, { resource, id }: EffectRecord): string {
  return `${when} ${recordKey(resource, id)}`
}

function toRecordState({ record: { resource }, row, owner }: KnownState): RecordState {
  return { row, owners: resource.ownedBy.map((by) => (owner?.by === by ? owner.id : null)) }
}

/** All records that changes name. */
function recordsIn(changes: readonly WholeChange[]): readonly EffectRecord[] {
  return changes.flatMap((change) => {
    const cause = change.cause === undefined ? [] : [change.cause]
    if (change.kind === 'link') return [change, { resource: change.link.target, id: change.to }, ...cause]
    return [change, ...(change.owner === null ? [] : [change.owner]), ...cause]
  })
}

function idsByResource(records: Iterable<EffectRecord>): ReadonlyMap<Resource, ReadonlySet<Id>> {
  const ids = new Map<Resource, Set<Id>>()
  for (const { resource, id } of records) ids.set(resource, (ids.get(resource) ?? new Set<Id>()).add(id))
  return ids
}
