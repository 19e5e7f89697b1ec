import { hidesSome } from '../asking/policies/rights.ts'
import { idAlone, rowAlone } from '../asking/select/selections.ts'
import { CrudError, cannotComeBack, notFound } from '../errors.ts'
import { deletedPath, locatedPath } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { shortIdOf } from '../model/ids/short-id.ts'
import type { Owns, Reference, Resource } from '../model/model.ts'
import { isHeldByDatabase } from '../model/resource-tree.ts'
import { NOTHING_HIDDEN } from '../planning/body/draft.ts'
import { affectedRecords } from '../planning/decide/guarded-rows.ts'
import { noLookups } from '../planning/decide/lookups.ts'
import type { Permit } from '../planning/decide/planned-actions.ts'
import type { Changes, Insert } from '../planning/diff/changes.ts'
import { newDiff } from '../planning/diff/diff.ts'
import { heldId, type RecordOwner, type RowId } from '../planning/rows.ts'
import { rowsInJson, type StoredRow } from '../rules/rows/stored-rows.ts'
import type { Session } from '../session/session.ts'
import type { DeletedStatements } from '../sql/statements.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { Prepared, SlotValues } from '../sql/text/prepare.ts'
import { checkPrecondition } from './checks/check-allowed.ts'
import { behindRows, rowsToLock } from './lock.ts'
import { lookUp } from './plan-write.ts'
import { recordToClientJson } from './reads/client-json.ts'
import { readRecord } from './reads/read-record.ts'
import { ownerInPath, vacancyRefusal } from './vacancy.ts'
import type { Current, RestoreCall, WriteParts } from './write-call.ts'

/** Reads a deleted record, and all that was deleted together with it: as records to add, for planning, policies and
 * rules. */
export async function readToRestore(
  parts: WriteParts,
  session: Session,
  { at, id, precondition, permit }: RestoreCall,
): Promise<Current> {
  const { resource } = at.path
  if (resource.trash !== undefined) await checkDeleted(parts, session, { at, id, precondition })
  const rows = await readDeleted(parts, session, resource, id, ownerInPath(at), 'together')
  const [top] = rows
  if (top === undefined) throw new CrudError(notFound(resource.key, id))
  const owner = ownerInPath(at) ?? top.owner ?? undefined
  const diff = newDiff({ hidden: NOTHING_HIDDEN, fieldRights: parts.context.fieldRights })
  const { changes } = diff
  addRows(rows, owner, changes)
  await refuseWithoutOwner(parts, session, at, id, owner)
  await clearLost(parts, session, rows, changes, permit)
  return {
    diff,
    results: [id],
    record: undefined,
    basis: undefined,
    unreadIds: undefined,
    own: { resource, ids: new Set(), owners: owner === undefined ? [] : [owner] },
    affected: affectedRecords(changes, NOTHING_HIDDEN),
    read: [],
  }
}

/** Fails unless the caller sees the deleted record, might delete it, and the precondition is true of it. */
export async function checkDeleted(
  { statements }: Pick<WriteParts, 'statements'>,
  session: Session,
  { at, id, precondition }: Pick<RestoreCall, 'at' | 'id' | 'precondition'>,
): Promise<void> {
  const { path } = at
  // Owners that no request has named may be of another write, which has deleted them before or since.
  const deleted = path.isTopLevel
    ? { path: deletedPath(locatedPath(path.resource, [])), owners: [] }
    : { ...at, path: deletedPath(path) }
  const selection = precondition === undefined ? idAlone(path.resource) : undefined
  const record = await readRecord(session, statements, deleted, id, { selection, action: 'Delete' })
  if (precondition === undefined) return
  checkPrecondition(precondition, { exists: true, json: recordToClientJson(statements, deleted, record, undefined) })
}

function addRows(rows: readonly DeletedRow[], topOwner: RecordOwner | undefined, { inserts }: Changes): void {
  const known = new Map<string, RowId>()
  for (const [index, { resource, record, owner }] of rows.entries()) {
    const row = { new: index }
    known.set(keyOf(resource, record.id), row)
    const above = owner && known.get(keyOf(owner.by.target, owner.id))
    inserts.push({
      resource,
      row,
      id: record.id,
      owner: index === 0 ? topOwner : owner && { by: owner.by, id: above ?? owner.id },
      shortId: shortIdOf(resource, record.id),
      idPointer: '',
      values: resource.members.map(({ property }) => record[property]),
      pointer: '',
      comesBack: 'kept',
    } as Insert)
  }
}

function keyOf({ key }: Resource, id: Id): string {
  return JSON.stringify([key, id])
}

/** The owner is there, and has room for the record. */
async function refuseWithoutOwner(
  parts: WriteParts,
  session: Session,
  at: RestoreCall['at'],
  id: Id,
  owner: RecordOwner | undefined,
): Promise<void> {
  if (owner === undefined) return
  const { target } = owner.by
  const facts = await lookUp(parts.statements, session, {
    ...noLookups,
    existingForRules: new Map([[target, new Set([owner.id])]]),
  })
  const isThere = facts.existingForRules.get(target)?.has(owner.id) === true
  const { key } = at.path.resource
  if (!isThere) throw new CrudError(cannotComeBack(key, id, [`${target.key} ${owner.id}, which owns it, is deleted`]))
  const refusal = await vacancyRefusal(session, parts.statements, at, undefined)
  if (refusal !== undefined) throw new CrudError(refusal)
}

/**
 * What the rows need has to be there. What they only know, and was deleted together with them, may be deleted still:
 * they come back without it. Asks behind locks on what is named, so that nobody deletes it meanwhile.
 */
async function clearLost(
  parts: WriteParts,
  session: Session,
  rows: readonly DeletedRow[],
  changes: Changes,
  permit: Permit | undefined,
): Promise<void> {
  const [{ resource, record: top }] = rows as readonly [DeletedRow]
  const back = new Set(rows.map((row) => keyOf(row.resource, row.record.id)))
  const named = rows.map((row) =>
    row.resource.references.flatMap((reference) => {
      const target = heldId(row.record, reference)
      const isSure = isHeldByDatabase(reference) || !reference.target.isWritable
      return target === null || isSure || back.has(keyOf(reference.target, target)) ? [] : [{ reference, target }]
    }),
  )
  const asked = new Map<Resource, Set<Id>>()
  for (const { reference, target } of named.flat())
    asked.set(reference.target, (asked.get(reference.target) ?? new Set<Id>()).add(target))
  if (asked.size === 0) return
  const locks = await rowsToLock(parts, session, changes, noLookups)
  const lookups = { ...noLookups, existingForRules: asked }
  const facts = await behindRows(parts, session, locks, () => lookUp(parts.statements, session, lookups))
  const reasons = new Set<string>()
  for (const [index, some] of named.entries()) {
    const lost = some.filter(({ reference, target }) => !facts.existingForRules.get(reference.target)?.has(target))
    for (const { reference, target } of lost) {
      if (!reference.needs) continue
      const isOwn = index === 0
      const who = isOwn ? 'it' : `${reference.source.key} ${rows[index]?.record.id}`
      const isShown = isOwn || !hidesSomeBelow(parts, rows, permit)
      const what = isShown
        ? `${reference.target.key} ${target}, which ${who} needs,`
        : 'a record that something below needs'
      reasons.add(`${what} is deleted`)
    }
    clear(
      changes.inserts,
      index,
      lost.map(({ reference }) => reference),
    )
  }
  if (reasons.size > 0) throw new CrudError(cannotComeBack(resource.key, top.id, [...reasons]))
}

/** Whether the caller may not see all that comes back with a record. */
function hidesSomeBelow(
  { context: { rights } }: WriteParts,
  [, ...below]: readonly DeletedRow[],
  permit: Permit | undefined,
): boolean {
  const owned = [...new Set(below.map(({ resource }) => resource))]
  if (owned.some((resource) => hidesSome(rights, resource))) return true
  return permit !== undefined && permit.hiddenOf({ owned, related: [] }).size > 0
}

function clear(inserts: Insert[], index: number, cleared: readonly Reference[]): void {
  if (cleared.length === 0) return
  const insert = inserts[index] as Insert
  const values = insert.values.map((value, position) =>
    cleared.some((reference) => reference.position === position) ? null : value,
  )
  inserts[index] = { ...insert, values, cleared }
}

/** A deleted row that is kept. */
export interface DeletedRow extends StoredRow {
  readonly resource: Resource
}

/**
 * A deleted record and the deleted records that it owns, owners first: those that were deleted together with it, or
 * all. None if there is no such deleted record, or another record owns it. `owner`: undefined for a record at the top.
 */
export async function readDeleted(
  { context, statements }: Pick<WriteParts, 'context'> & { readonly statements: DeletedStatements },
  session: Session,
  resource: Resource,
  id: Id,
  owner: RecordOwner | undefined,
  which: 'together' | 'all',
): Promise<readonly DeletedRow[]> {
  const read = async (of: Resource, query: Prepared, values: SlotValues): Promise<readonly DeletedRow[]> => {
    const json = (await session.value<string>(query, values)) as string
    const [rows = []] = rowsInJson(json, [{ selection: rowAlone(of) }])
    return rows.map((row) => ({ ...row, resource: of }))
  }
  const [top] = await read(resource, statements.deletedRecord(resource), [id])
  if (top === undefined || !isOwnedBy(top, owner)) return []
  const all = [top]
  const open: [Resource, readonly Id[]][] = [[resource, [top.record.id]]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, owners] = next
    const list = idSqlOf(context, source).encodeList(owners)
    for (const owns of source.owns as readonly Owns[]) {
      const query = statements.deletedBelow(owns, which === 'together' ? resource : undefined)
      const rows = await read(owns.target, query, which === 'together' ? [list, id] : [list])
      if (rows.length === 0) continue
      all.push(...rows)
      open.push([owns.target, rows.map(({ record }) => record.id)])
    }
  }
  return all
}

/** Records of a tree are reached from the top, too. */
function isOwnedBy({ resource, owner: own }: DeletedRow, owner: RecordOwner | undefined): boolean {
  if (owner === undefined) return own === null || own.by.target === resource
  return own?.by === owner.by && own.id === owner.id
}
