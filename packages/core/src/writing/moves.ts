import type { Address } from '../model/collection-path.ts'
import { locatedPath, ownedPath, rootPath } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Owns, Resource } from '../model/model.ts'
import type { Draft } from '../planning/body/draft.ts'
import type { SaidOwner } from '../planning/body/owners-in-body.ts'
import { type Move, movesAbove, saidByKeys } from '../planning/diff/move.ts'
import type { RecordOwner } from '../planning/rows.ts'
import { type IdsByResource, lockTopmost } from '../rules/rows/row-locks.ts'
import type { Session } from '../session/session.ts'
import { outsideOwners } from '../sql/reads/owners-query.ts'
import type { Attempt } from './attempt.ts'
import { ownerInPath } from './vacancy.ts'
import type { BulkCall, UpdateCall, WriteCall, WriteParts } from './write-call.ts'

// A record that moves changes two trees. Both topmost owners are locked, in the order of all writers, and the chains
// of owners are looked up again behind these locks: others may have moved an owner meanwhile.

/** The owners that a body names, and that the address does not: its record may move to them. */
function othersSaid(at: Address, draft: Draft): readonly SaidOwner[] {
  if (draft.resource.movedBy.length === 0) return NONE
  const owner = ownerInPath(at)
  return saidByKeys(draft).filter(({ by, id }) => id !== (by === owner?.by ? owner.id : null))
}

const NONE: readonly never[] = []

/** Whether a body may give its record to another owner, so that one lock may not be enough. */
export function mayMove(call: WriteCall): call is UpdateCall {
  return (call.operation === 'replace' || call.operation === 'patch') && othersSaid(call.at, call.draft).length > 0
}

/** Locks the topmost owners of the record that a body may move, and of the owners that it names. */
export async function lockToMove(
  { context, statements }: WriteParts,
  session: Session,
  { at, id, draft }: UpdateCall,
  { rowLocks }: Attempt,
): Promise<void> {
  if (context.dialect.rowLocks === undefined) return
  const { path, owners } = at
  const top = path.relations[0]?.source ?? path.resource
  const records = withOwners(new Map([[top, new Set([owners[0] ?? id])]]), othersSaid(at, draft))
  if (rowLocks === undefined) await lockTopmost(statements, session, records)
  else await rowLocks.lockFirst(session, records)
}

/** The owners that the bodies of many records name, with the records that are locked anyway. */
export function withOwnersSaid(records: Map<Resource, Set<Id>>, { at, records: all }: BulkCall): IdsByResource {
  if (at.path.resource.movedBy.length === 0) return records
  for (const one of all)
    if ('draft' in one && one.operation !== 'create') withOwners(records, othersSaid(at, one.draft))
  return records
}

function withOwners(records: Map<Resource, Set<Id>>, said: readonly SaidOwner[]): Map<Resource, Set<Id>> {
  for (const { by, id } of said) {
    if (id !== null) records.set(by.target, (records.get(by.target) ?? new Set<Id>()).add(id))
  }
  return records
}

/** Finds where moved records were and will be. The topmost owners are locked. */
export async function findPlaces(
  { statements }: WriteParts,
  session: Session,
  { at }: Pick<WriteCall, 'at'>,
  moves: readonly Move[],
): Promise<void> {
  const placeBelow = async (resource: Resource, owner: RecordOwner | undefined): Promise<Address> => {
    if (owner === undefined) return addressBelow(resource, [], at)
    const { target } = owner.by
    const above = (await ownersOf(statements, session, target, owner.id)) ?? []
    // A record of a tree is reached as its root is.
    return addressBelow(resource, target === resource ? above : [...above, owner], at)
  }
  const above = movesAbove(moves)
  for (const move of moves) {
    const { resource, from } = move
    const { to } = topmostMove(move, above)
    move.places = { before: await placeBelow(resource, from), after: await placeBelow(resource, to) }
  }
}

/** The one by which a record comes to another tree, where its new owner moves, too. Those in a circle are refused. */
function topmostMove(move: Move, above: ReturnType<typeof movesAbove>): Move {
  const seen = new Set([move])
  let topmost = move
  for (let next = above(move); next !== undefined && !seen.has(next); next = above(next)) {
    seen.add(next)
    topmost = next
  }
  return topmost
}

/** The owners of a record, the topmost first; undefined if it is gone. */
async function ownersOf(
  statements: Pick<WriteParts['statements'], 'allOwners'>,
  session: Session,
  resource: Resource,
  id: Id,
): Promise<readonly RecordOwner[] | undefined> {
  if (outsideOwners(resource).length === 0) return []
  const { query, toOwners } = statements.allOwners(resource)
  const [row] = await session.rows(query, { id })
  return row && toOwners(row.json as string)
}

/** `owners`: the topmost first. `like`: an address that names owners in its path, or does not. */
function addressBelow(resource: Resource, owners: readonly RecordOwner[], like: Address): Address {
  const relations = owners.map(({ by }) => by.inverse)
  const ids = owners.map(({ id }) => id)
  if (like.path.isTopLevel) return { path: locatedPath(resource, relations), owners: ids }
  const top = rootPath((relations[0] as Owns | undefined)?.source ?? resource)
  return { path: relations.reduce((path, { name }) => ownedPath(path, name), top), owners: ids }
}

/** Where a record is, whatever owns it by now; undefined if it is gone. */
export async function placeNow(
  { statements }: Pick<WriteParts, 'statements'>,
  session: Session,
  at: Address,
  id: Id,
): Promise<Address | undefined> {
  const { resource } = at.path
  const owners = await ownersOf(statements, session, resource, id)
  return owners && addressBelow(resource, owners, at)
}

/** Where the record of a write is behind it. */
export function placeAfter({ at }: Pick<WriteCall, 'at'>, moves: readonly Pick<Move, 'places'>[] | undefined): Address {
  return moves?.[0]?.places?.after ?? at
}
