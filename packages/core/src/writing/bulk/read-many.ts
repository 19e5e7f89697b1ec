import type { RowAction } from '../../asking/policies/rights.ts'
import type { Selection } from '../../asking/select/selection.ts'
import { idAlone, idsOf, stateOf, wholeRecordAt } from '../../asking/select/selections.ts'
import { CrudError, notAllFound, notAllowed, notFound, notUnique, type Refusal } from '../../errors.ts'
import { type Address, nameOfPath, namesNoOwner } from '../../model/collection-path.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Owns, UniqueKey } from '../../model/model.ts'
import { noSuchRecord } from '../../planning/body/faults.ts'
import { pointerToId } from '../../planning/body/id-of-body.ts'
import { namedBesides } from '../../planning/body/nested-record.ts'
import { saidOtherwise } from '../../planning/body/owners-in-body.ts'
import { affectedRecords } from '../../planning/decide/guarded-rows.ts'
import { memberPointer, readableNames } from '../../planning/decide/unique-values.ts'
import { addUnread, concernsUnread, removesUnread } from '../../planning/diff/add-unread.ts'
import type { Move } from '../../planning/diff/move.ts'
import { groupBy, type RecordData, type RecordOwner } from '../../planning/rows.ts'
import { readStored } from '../../rules/rows/stored-rows.ts'
import { inPortions, type Session } from '../../session/session.ts'
import { beforeConflict, checkPrecondition, mayRunRules } from '../checks/check-allowed.ts'
import { isGathered } from '../effects/current-gathering.ts'
import { placeAfter } from '../moves.ts'
import { recordToClientJson } from '../reads/client-json.ts'
import { setRuleValues } from '../rule-write.ts'
import { ownerInPath, vacanciesRefusal } from '../vacancy.ts'
import type {
  BulkCall,
  BulkCreate,
  BulkDelete,
  BulkRecord,
  BulkUpdate,
  CallTerms,
  Current,
  WriteParts,
} from '../write-call.ts'
import { checkHolders, compareMany } from './compare-many.ts'
import { ROW_NOT_ALLOWED, readStates, readTexts } from './read-states.ts'

type ThereRecord = BulkUpdate | BulkDelete

/**
 * Reads all records that a write names, and compares them with its bodies. Fails unless the precondition of the call
 * holds for each of them.
 */
export async function readMany(parts: WriteParts, session: Session, call: BulkCall): Promise<Current> {
  const { dialect, rights, fieldRights } = parts.context
  const { at, precondition, maxAffected, hidden } = call
  const { resource } = at.path
  await call.checkOwners?.(session)
  const records = await meantBy(session, call)
  const there = records.filter((one): one is ThereRecord => one.operation !== 'create')
  const created = records.filter((one): one is BulkCreate => one.operation === 'create')
  const ids = there.map(({ id }) => id)
  const read = reads(parts, call, there)
  const states = await readAll(parts, session, at, there, read.first, read.action)
  const owners = await ownersOf(parts, session, at, ids)
  const ofOthers = there.flatMap((one) => (saysOther(one, owners.get(one.id)) ? [one] : []))
  if (ofOthers.length > 0) throw new CrudError(heldElsewhere(ofOthers, fieldRights))
  if (precondition !== undefined) {
    if (there.length > 0) checkPrecondition(precondition, { exists: true, json: undefined })
    if (created.length > 0) checkPrecondition(precondition, { exists: false, json: undefined })
  }
  const updates = records.filter((one): one is BulkUpdate => one.operation !== 'create' && one.operation !== 'delete')
  await checkHolders(parts, session, updates, { states, owners })
  const reading = { hidden, fieldRights }
  const compare = (found: typeof states) => compareMany(dialect, resource, records, { states: found, owners }, reading)
  const { diff, results } = await compare(states)
  const shown = read.shown === undefined ? states : await readAll(parts, session, at, there, read.shown)
  const isRuled = mayRunRules(parts, at) || isGathered(parts, call)
  const forRules = isRuled || read.action === 'EditBefore' ? shown : NO_STATES
  const known = [...forRules].map(([id, record]) => ({ resource, record, owner: owners.get(id) }))
  setRuleValues(parts, call, diff, known)
  const refusal = await vacanciesRefusal(parts, session, created)
  if (refusal !== undefined) throw new CrudError(await beforeConflict(parts, session, diff.changes, refusal))
  let affected = 0
  if (maxAffected !== undefined) {
    const isMore = read.action === 'EditBefore' && removesUnread(diff)
    const all = isMore ? await readAll(parts, session, at, there, stateOf(resource, fieldRights)) : shown
    affected = affectedRecords((all === states ? diff : (await compare(all)).diff).changes, hidden)
  }
  if (read.action === 'EditBefore' && concernsUnread(diff, rights)) {
    const stored = await readAll(parts, session, at, there, idsOf(resource))
    for (const record of stored.values()) addUnread(diff, resource, record)
  }
  const ofDeleted = there.filter(({ operation }) => operation === 'delete').flatMap(({ id }) => owners.get(id) ?? [])
  const ofCreated = created.flatMap((one) => ownerInPath(one.at) ?? [])
  const own = { resource, ids: new Set(ids), owners: [...ofCreated, ...ofDeleted] }
  return {
    diff,
    results,
    record: undefined,
    basis: undefined,
    unreadIds: undefined,
    own,
    affected,
    read: known,
    count: records.length,
  }
}

const NO_STATES: ReadonlyMap<Id, RecordData> = new Map()

interface Reads {
  /** What the write is planned from. */
  readonly first: Selection
  /** What the caller sees of the same records, where that is something else and makes a difference. */
  readonly shown: Selection | undefined
  readonly action: 'EditBefore' | 'Delete'
}

/** What is read of the records that are there, and what policies have to allow. */
function reads(parts: WriteParts, call: BulkCall, there: readonly ThereRecord[]): Reads {
  const { context, statements } = parts
  const { resource } = call.at.path
  const { rights, fieldRights } = context
  if (there[0]?.operation !== 'delete') {
    const besides = new Set<Owns | Link>()
    for (const one of there)
      if (one.operation !== 'delete') for (const some of namedBesides(one.draft)) besides.add(some)
    return { first: statements.stateWith(resource, besides), shown: undefined, action: 'EditBefore' }
  }
  const isRuled = mayRunRules(parts, call.at) || isGathered(parts, call)
  const seesAll = rights === undefined
  const mustSee = call.maxAffected !== undefined || isRuled
  return {
    first: isRuled && seesAll ? stateOf(resource, fieldRights) : idsOf(resource),
    shown: seesAll || !mustSee ? undefined : stateOf(resource, fieldRights),
    action: 'Delete',
  }
}

/** The records that a request still means, now that they are locked. */
async function meantBy(session: Session, { records, stillMeant }: BulkCall): Promise<readonly BulkRecord[]> {
  if (stillMeant === undefined) return records
  const meant = await stillMeant(session)
  return records.filter((one) => one.operation === 'create' || meant.has(one.id))
}

/** Fails unless all records are there, and policies allow what is to be done to them. */
async function readAll(
  parts: WriteParts,
  session: Session,
  at: Address,
  there: readonly ThereRecord[],
  selection: Selection,
  action?: RowAction,
): Promise<ReadonlyMap<Id, RecordData>> {
  const ids = there.map(({ id }) => id)
  const states = await readStates(parts, session, at, ids, selection, action)
  const missing = there.filter(({ id }) => !states.has(id))
  if (missing.length > 0) throw new CrudError(notThere(parts, at, missing))
  const refused = there.filter(({ id }) => states.get(id) === ROW_NOT_ALLOWED)
  if (refused.length > 0) throw new CrudError(notAllowed(refused.map(pointerOf)))
  return states as ReadonlyMap<Id, RecordData>
}

type FoundByKey = BulkUpdate & { readonly by: UniqueKey }

/** Whether a record was found by its unique values, and its body names another owner. */
function saysOther(one: ThereRecord, owner: RecordOwner | undefined): one is FoundByKey {
  if (one.operation === 'delete' || one.by === undefined || owner === undefined) return false
  return saidOtherwise(owner, one.said).length > 0
}

function pointerOf(one: ThereRecord): string | undefined {
  return one.operation === 'delete' ? undefined : one.draft.pointer
}

function notThere(
  { context: { fieldRights } }: WriteParts,
  { path: { resource } }: Address,
  missing: readonly ThereRecord[],
): Refusal {
  const held = missing.flatMap((one) =>
    one.operation === 'delete' || one.by === undefined ? [] : [{ ...one, by: one.by }],
  )
  if (held.length > 0) return heldElsewhere(held, fieldRights)
  const problems = missing.flatMap((one) => {
    if (one.operation === 'delete') return []
    const { body, pointer } = one.draft
    return { pointer: pointerToId(resource, body, pointer), ...noSuchRecord(resource, one.id) }
  })
  return problems.length > 0 ? notAllFound(problems) : notFound(resource.key, (missing[0] as ThereRecord).id)
}

/** The caller may not see the records that have the values of a key, or they have another owner. */
function heldElsewhere(held: readonly FoundByKey[], rights: FieldRights): Refusal {
  const problems = held.map(({ by, draft: { resource, pointer, values } }) => {
    const members = readableNames(by, rights)
    const message = `another ${resource.key} has this ${members.join(', ')} already`
    return { pointer: memberPointer(by, pointer, values, rights), message, keyword: 'unique', params: { members } }
  })
  return notUnique(`not unique: ${problems[0]?.params.members.join(', ')}`, problems)
}

/** The owners of records: what the path says, or the tables do where records of one path may have several. */
async function ownersOf(
  { context, statements }: WriteParts,
  session: Session,
  at: Address,
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, RecordOwner>> {
  const owner = ownerInPath(at)
  if (owner !== undefined) return new Map(ids.map((id) => [id, owner]))
  const { resource } = at.path
  if (resource.ownedBy.length === 0 || ids.length === 0) return NO_OWNERS
  const owners = new Map<Id, RecordOwner>()
  await inPortions(context.dialect, ids, async (some) => {
    const asked = { selection: idAlone(resource), naming: undefined, ids: some }
    const [rows = []] = await readStored(statements, session, [asked])
    for (const { record, owner } of rows) if (owner !== null) owners.set(record.id, owner)
  })
  return owners
}

const NO_OWNERS: ReadonlyMap<Id, RecordOwner> = new Map()

/** A record that is at another address than that of its request. */
export type MovedRecord = Pick<Move, 'id' | 'places'>

function placeName({ places }: MovedRecord): string {
  return places === undefined ? '' : `${nameOfPath(places.after.path)} ${JSON.stringify(places.after.owners)}`
}

/**
 * The records that a write has left, as JSON `{"rows":[…]}` in the order of the request, without those that the caller
 * may not see. Undefined if they are too large for an answer. `moved`: those that are at other addresses by now.
 */
export async function readBackMany(
  parts: WriteParts,
  session: Session,
  { at }: Pick<CallTerms, 'at'>,
  ids: readonly Id[],
  moved: readonly MovedRecord[] = [],
): Promise<string | undefined> {
  const { context, statements } = parts
  const selection = wholeRecordAt(at.path, context.fieldRights)
  const found = new Map<Id, string>()
  let isTooLarge = false
  const read = (from: Address, some: readonly Id[]) =>
    readTexts(parts, session, from, some, { selection }, (id, text) => {
      if (text === undefined) isTooLarge = true
      else if (!isTooLarge) found.set(id, recordToClientJson(statements, from, text, statements.noteUnshown) as string)
    })
  const byPlace = namesNoOwner(at.path) ? [] : groupBy(moved, placeName)
  const away = new Set(byPlace.flatMap(([, some]) => some.map(({ id }) => id)))
  await read(at, away.size === 0 ? ids : ids.filter((id) => !away.has(id)))
  for (const [, some] of byPlace) {
    await read(
      placeAfter({ at }, some),
      some.map(({ id }) => id),
    )
  }
  if (isTooLarge) return undefined
  return `{"rows":[${ids.flatMap((id) => found.get(id) ?? []).join(',')}]}`
}
