import { idsOf, rowAlone } from '../../asking/select/selections.ts'
import type { Viewer } from '../../effects/shown-effects.ts'
import { recordKey, type WholeChange } from '../../effects/whole-change.ts'
import type { EffectChange } from '../../effects-form.ts'
import { CrudError, cannotUndo, notAllowed, notFound } from '../../errors.ts'
import { type ChangeToUndo, type StateNow, undoingOf } from '../../history/inverse.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Model, Resource } from '../../model/model.ts'
import { NOTHING_HIDDEN } from '../../planning/body/draft.ts'
import { affectedRecords } from '../../planning/decide/guarded-rows.ts'
import { noLookups } from '../../planning/decide/lookups.ts'
import { type Changes, comesBack, givenId, isRemoved } from '../../planning/diff/changes.ts'
import { newDiff } from '../../planning/diff/diff.ts'
import { concernsBelow, noteBelow } from '../../planning/diff/move.ts'
import type { RecordData } from '../../planning/rows.ts'
import { type IdsByResource, lockTopmost, type RowLocks } from '../../rules/rows/row-locks.ts'
import { readStored, rowsById, rowsInJson, type StoredRow } from '../../rules/rows/stored-rows.ts'
import type { Session } from '../../session/session.ts'
import { idSqlOf } from '../../sql/text/member-id-sql.ts'
import { placeNow } from '../moves.ts'
import { lookUp } from '../plan-write.ts'
import { dataOf, readIds } from '../reads/read-state.ts'
import { setRuleValues } from '../rule-write.ts'
import type { Current, UndoCall, WriteParts } from '../write-call.ts'
import { HistorySight } from './history-sight.ts'
import { checkSeen, known, readWrite } from './read-write.ts'

/** Reads an earlier write and what has become of its records: as changes that set them back. */
export async function readToUndo(
  parts: WriteParts,
  session: Session,
  call: UndoCall,
  rowLocks: RowLocks | undefined,
): Promise<Current> {
  const { context } = parts
  const { at, id, write, hidden } = call
  const hides = (one: Resource) => hidden.has(one)
  const { resource } = at.path
  const sight = new HistorySight(parts, session, hides)
  await checkSeen(parts, session, sight, { at, id, hides })
  const row = await readWrite(parts, session, { at, id }, write)
  if (row === undefined) throw new CrudError(notFound('write', write))
  const { stored, changes } = known(context.model as Model, row.stored.changes)
  if (row.stored.isCut === true) throw new CrudError(cannotUndo('not all of the write is kept, so it cannot be undone'))
  if (changes.length < row.stored.changes.length) {
    throw new CrudError(cannotUndo('the model does not know all that the write has changed, so it cannot be undone'))
  }
  const [viewer] = await sight.viewersOf([{ stored, changes }])
  if (!changes.every((change) => seesAll(change, viewer as Viewer))) throw new CrudError(notAllowed())
  await lockRecords(parts, session, rowLocks, changes)
  const all = changes.map(
    (change, index): ChangeToUndo => ({ change, stored: stored[index] as ChangeToUndo['stored'] }),
  )
  const now = await readNow(parts, session, changes)
  const inverse = undoingOf(all, now.state)
  if ('conflicts' in inverse) throw conflicts(inverse.conflicts, context.model as Model, context.fieldRights)
  if (!setsAll(inverse.changes, context.fieldRights)) throw new CrudError(notAllowed())
  const lost = await lostTargets(parts, session, inverse.changes)
  if (lost.length > 0) throw conflicts(lost, context.model as Model, context.fieldRights)
  const diff = { ...newDiff({ hidden: NOTHING_HIDDEN, fieldRights: context.fieldRights }), changes: inverse.changes }
  // What comes back has the values that it had.
  setRuleValues(parts, call, { ...diff, changes: { ...inverse.changes, inserts: [] } }, [])
  await noteWhatMoves(parts, session, call, inverse.changes)
  const isBack = inverse.changes.inserts.find((one) => one.resource === resource && one.id === id)
  const isThere = now.state.row(resource, id) !== undefined && !isRemoved(inverse.changes, resource, id)
  return {
    diff,
    results: isBack !== undefined ? [isBack.row] : isThere ? [id] : [],
    record: undefined,
    basis: undefined,
    unreadIds: undefined,
    own: { resource: undefined, ids: new Set(), owners: [] },
    affected: affectedRecords(inverse.changes, NOTHING_HIDDEN),
    read: now.rows.map(({ resource: of, record, owner }) => ({ resource: of, record, owner })),
  }
}

/** Whether a reader is shown all of a change, but for fields that it may not see. */
function seesAll(change: WholeChange, { sees }: Viewer): boolean {
  if (change.kind === 'link') {
    const when = change.action === 'Unlink' ? 'before' : 'after'
    return sees(when, change) && sees(when, { resource: change.link.target, id: change.to })
  }
  const { before, after, owner } = change
  if (owner !== null && !sees(after === undefined ? 'before' : 'after', owner)) return false
  return (before === undefined || sees('before', change)) && (after === undefined || sees('after', change))
}

/** Whether the caller may set all that changes, and see it. */
function setsAll({ inserts, updates }: Changes, { sees, sets }: FieldRights): boolean {
  return [...inserts, ...updates].every(({ resource, values }) =>
    resource.fields.every((field) => {
      const value = values[field.position]
      return value === undefined || field.setByRule || field.readOnly || (sees(field) && sets(field))
    }),
  )
}

/** Locks the topmost owners of all records, as each write does. */
async function lockRecords(
  { context, statements }: WriteParts,
  session: Session,
  rowLocks: RowLocks | undefined,
  changes: readonly WholeChange[],
): Promise<void> {
  if (context.dialect.rowLocks === undefined) return
  const records = new Map<Resource, Set<Id>>()
  const add = (resource: Resource, id: Id) => records.set(resource, (records.get(resource) ?? new Set<Id>()).add(id))
  for (const change of changes) {
    add(change.resource, change.id)
    if (change.kind === 'link') add(change.link.target, change.to)
    else if (change.owner !== null) add(change.owner.resource, change.owner.id)
  }
  const all: IdsByResource = records
  if (rowLocks === undefined) await lockTopmost(statements, session, all)
  else await rowLocks.lock(session, all)
}

interface RowNow extends StoredRow {
  readonly resource: Resource
}

/** Reads the records of a write, those that are deleted and kept, and what the added ones own by now. */
async function readNow(
  parts: WriteParts,
  session: Session,
  changes: readonly WholeChange[],
): Promise<{ readonly rows: readonly RowNow[]; readonly state: StateNow }> {
  const { statements } = parts
  const wanted = new Map<Resource, Set<Id>>()
  const want = (resource: Resource, id: Id) => wanted.set(resource, (wanted.get(resource) ?? new Set<Id>()).add(id))
  for (const change of changes) {
    want(change.resource, change.id)
    if (change.kind === 'link') want(change.link.target, change.to)
    else if (change.owner !== null) want(change.owner.resource, change.owner.id)
    if (change.kind === 'row') for (const by of change.resource.movedBy) wantOwner(want, by, change.before)
  }
  const asked = [...wanted]
  const found = await readStored(
    statements,
    session,
    asked.map(([resource, ids]) => rowsById(resource, [...ids])),
  )
  const rows = asked.flatMap(([resource], index) => (found[index] ?? []).map((row) => ({ ...row, resource })))
  const byKey = new Map(rows.map((row) => [recordKey(row.resource, row.record.id), row]))
  const kept = new Map<string, StoredRow>()
  for (const change of changes) {
    if (change.kind !== 'row' || change.action !== 'Delete' || !change.soft) continue
    const row = await readKept(statements, session, change.resource, change.id)
    if (row !== undefined) kept.set(recordKey(change.resource, change.id), row)
  }
  const owned = await readOwned(parts, session, changes)
  const state: StateNow = {
    row: (resource, id) => byKey.get(recordKey(resource, id)),
    kept: (resource, id) => kept.get(recordKey(resource, id)),
    owned: (resource, id) => owned.get(recordKey(resource, id)) ?? [],
  }
  return { rows, state }
}

function wantOwner(
  want: (resource: Resource, id: Id) => unknown,
  by: Resource['movedBy'][number],
  before: RecordData | undefined,
): void {
  const id = before === undefined ? null : ((before[by.foreignKey] ?? null) as Id | null)
  if (id !== null) want(by.target, id)
}

async function readKept(
  statements: WriteParts['statements'],
  session: Session,
  resource: Resource,
  id: Id,
): Promise<StoredRow | undefined> {
  const json = await session.value<string>(statements.deletedRecord(resource), [id])
  const [[row] = []] = rowsInJson(json as string, [{ selection: rowAlone(resource) }])
  return row
}

/** What records that a write has added own by now. */
async function readOwned(
  { context, statements }: WriteParts,
  session: Session,
  changes: readonly WholeChange[],
): Promise<ReadonlyMap<string, readonly { readonly resource: Resource; readonly id: Id }[]>> {
  const owned = new Map<string, { readonly resource: Resource; readonly id: Id }[]>()
  const added = changes.filter(({ kind, action }) => kind === 'row' && action === 'Add')
  for (const [resource, some] of Map.groupBy(added, (one) => one.resource)) {
    for (const owns of resource.owns) {
      const ids = some.map(({ id }) => id)
      const list = idSqlOf(context, resource).encodeList(ids)
      const json = await session.value<string>(statements.ownedNow(owns), [list])
      for (const [owner, id] of JSON.parse(json as string) as [Id, Id][]) {
        const key = recordKey(resource, owner)
        owned.set(key, [...(owned.get(key) ?? []), { resource: owns.target, id }])
      }
    }
  }
  return owned
}

/** Records that rows would name again, and that are gone. */
async function lostTargets(
  { statements }: WriteParts,
  session: Session,
  changes: Changes,
): Promise<readonly EffectChange[]> {
  const named = new Map<Resource, Set<Id>>()
  for (const { resource, values } of [...changes.inserts, ...changes.updates]) {
    for (const reference of resource.references) {
      const id = givenId(values, reference)
      if (id === undefined || id === null || comesBack(changes, reference.target, id)) continue
      named.set(reference.target, (named.get(reference.target) ?? new Set<Id>()).add(id))
    }
  }
  if (named.size === 0) return []
  const facts = await lookUp(statements, session, { ...noLookups, existingForRules: named })
  return [...named].flatMap(([target, ids]) =>
    [...ids].flatMap((id): EffectChange[] => {
      const isThere = facts.existingForRules.get(target)?.has(id) === true && !isRemoved(changes, target, id)
      return isThere ? [] : [{ action: 'Delete', resource: target.key, id }]
    }),
  )
}

/** Reads what goes with records that move back, where policies or trees ask for it. */
async function noteWhatMoves(
  parts: WriteParts,
  session: Session,
  { at }: UndoCall,
  { moved = [] }: Changes,
): Promise<void> {
  const { context, statements } = parts
  if (!concernsBelow(moved, (one) => context.rights?.rules.has(one) === true)) return
  for (const move of moved) {
    const place = await placeNow(parts, session, { ...at, path: { ...at.path, isTopLevel: false } }, move.id)
    if (place === undefined) continue
    const ids = await readIds(session, statements, place, move.id)
    noteBelow(move, dataOf(place, idsOf(move.resource), ids))
  }
}

/** The error that lists what later writes have changed. Fields that the caller may not see are left out. */
function conflicts(all: readonly EffectChange[], model: Model, { sees }: FieldRights): CrudError {
  const shown = all.map((change) => {
    if (!('before' in change) && !('after' in change)) return change
    const fields = model.resources.get(change.resource)?.fields ?? []
    const hidden = new Set(fields.filter((field) => !sees(field)).map(({ property }) => property))
    const pick = (values: Readonly<Record<string, unknown>> = {}) =>
      Object.fromEntries(Object.entries(values).filter(([name]) => !hidden.has(name)))
    return { ...change, before: pick(change.before), after: pick(change.after) }
  })
  const [first] = shown
  const what = first === undefined ? 'a record' : `${first.resource} ${first.id}`
  return new CrudError(cannotUndo(`later writes have changed ${what}, so the write cannot be undone`, shown))
}
