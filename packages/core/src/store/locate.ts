import { CrudError, invalid, notFound, type Problem } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import { locatedPath } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { mayBeMoved } from '../model/resource-tree.ts'
import { refuseOtherOwners, type SaidOwner } from '../planning/body/owners-in-body.ts'
import type { RecordOwner } from '../planning/rows.ts'
import { groupBy } from '../planning/rows.ts'
import { inPortions } from '../session/session.ts'
import type { ReadStatements } from '../sql/read-statements.ts'
import { type OwnersQuery, outsideOwners } from '../sql/reads/owners-query.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { JsonText, Prepared, SlotValues } from '../sql/text/prepare.ts'
import { askOutside } from '../writing/plan-write.ts'
import { ownerInPath, ownerNotFound } from '../writing/vacancy.ts'
import type { WriteParts } from '../writing/write-call.ts'

// A write of a record needs the owners, whose lock it takes. Where the request does not name them, they are looked up.
// What is found is not final: every statement of the write checks the whole chain of owners.

/** Reads what the tables have of owners. */
export interface OwnersReader {
  readonly statements: ReadStatements
  readonly read: (query: Prepared, id: Id) => Promise<JsonText>
}

/** An id as the record has it that it names; as it is where there is no such record, or only one spelling. */
export async function asSpelled({ statements, read }: OwnersReader, resource: Resource, id: Id): Promise<Id> {
  const { id: kind } = resource
  if (kind.fromJson(id) === undefined || kind.isSpelledFreely?.(id) !== true) return id
  const found = await read(statements.spelledId(resource), id)
  return found === undefined || found === null ? id : (JSON.parse(found) as Id)
}

/** The address of a record whose owners a request has not named, with those that it has; fails with
 * `CRUD_ERR_NOT_FOUND` if there is no such record. */
export async function locate(reader: OwnersReader, at: Address, id: Id): Promise<Address> {
  const { resource } = at.path
  const owners = await ownersOf(reader, resource, id)
  if (owners === undefined) throw new CrudError(notFound(resource.key, id))
  return below(resource, owners)
}

/**
 * Does a write at an address that was looked up. While it waits for the lock, others may move the record, or an owner
 * above it: then it is looked up once more. `resource`: of the record whose owners were looked up.
 */
export async function withLocated<Result>(
  resource: Resource,
  locate: () => Promise<Address>,
  work: (located: Address) => Promise<Result>,
): Promise<Result> {
  let located = await locate()
  if (!mayBeMoved(resource)) return await work(located)
  for (;;) {
    try {
      return await work(located)
    } catch (error) {
      if (!(error instanceof CrudError) || !GONE.has(error.code)) throw error
      const again = await locate()
      if (isSameAddress(again, located)) throw error
      located = again
    }
  }
}

const GONE: ReadonlySet<string> = new Set(['CRUD_ERR_NOT_FOUND', 'CRUD_ERR_UNKNOWN_REFERENCE'])

/** The same of a deleted record. Its owners may be deleted, too. */
export async function locateHeld({ statements, read }: OwnersReader, at: Address, id: Id): Promise<Address> {
  const { resource } = at.path
  const owners = await readOwners(read, statements.ownersOfHeld(resource), id)
  if (owners === undefined) throw new CrudError(notFound(resource.key, id))
  return below(resource, owners)
}

/** The address of a new record, of which the body names the owner. Fails if there is no such owner. */
export async function locateNew(reader: OwnersReader, at: Address, owner: RecordOwner): Promise<Address> {
  const { target } = owner.by
  const above = outsideOwners(target).length === 0 ? [] : await ownersOf(reader, target, owner.id)
  const address = below(at.path.resource, [...(above ?? []), owner])
  if (above === undefined) throw new CrudError(ownerNotFound(address))
  return address
}

/**
 * The addresses of new records below many owners, one for each. An owner that is not there has an address, too: the
 * write refuses it as one that the caller may not see, and all of them together.
 */
export async function locateNewOfMany(
  parts: WriteParts,
  at: Address,
  owners: readonly RecordOwner[],
  ask: AskAboutMany,
): Promise<ReadonlyMap<RecordOwner, Address>> {
  const located = new Map<RecordOwner, Address>()
  for (const [target, ofTarget] of groupBy(owners, ({ by }) => by.target)) {
    const ids = ofTarget.map(({ id }) => id)
    const above = outsideOwners(target).length === 0 ? NO_OWNERS : await ownersOfMany(parts, target, ids, ask)
    for (const owner of ofTarget) located.set(owner, below(at.path.resource, [...(above.get(owner.id) ?? []), owner]))
  }
  return located
}

/** The addresses of records whose owners a request has not named. There is none for an id that no record has. */
export async function locateMany(
  parts: WriteParts,
  { path: { resource } }: Address,
  ids: readonly Id[],
  ask: AskAboutMany,
): Promise<ReadonlyMap<Id, Address>> {
  const found = await ownersOfMany(parts, resource, ids, ask)
  return new Map([...found].map(([id, owners]) => [id, below(resource, owners)]))
}

/** Has the only value of a query about so many rows. */
export type AskAboutMany = (query: Prepared, values: SlotValues, rows: number) => Promise<string | undefined>

/** Asks on any connection. */
export function askingOutside(parts: WriteParts, requestContext: unknown): AskAboutMany {
  return (query, values, rows) => askOutside(parts, query, values, requestContext, rows)
}

const NO_OWNERS: ReadonlyMap<Id, readonly RecordOwner[]> = new Map()

async function ownersOfMany(
  { context, statements }: WriteParts,
  resource: Resource,
  ids: readonly Id[],
  ask: AskAboutMany,
): Promise<ReadonlyMap<Id, readonly RecordOwner[]>> {
  const { query, toOwners } = statements.allOwnersOfMany(resource)
  const owners = new Map<Id, readonly RecordOwner[]>()
  await inPortions(context.dialect, ids, async (some) => {
    const values = { ids: idSqlOf(context, resource).encodeList(some) }
    const found = toOwners((await ask(query, values, some.length)) as string)
    for (const [index, above] of found) owners.set(some[index] as Id, above)
  })
  return owners
}

export function isSameAddress(one: Address | undefined, other: Address | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return one.path === other.path && one.owners.every((id, level) => id === other.owners[level])
}

/** A body may repeat what the record has, and say nothing else. */
export function checkOwners(at: Address, said: readonly SaidOwner[]): void {
  const owner = ownerInPath(at)
  const problems: Problem[] = []
  if (owner !== undefined) refuseOtherOwners(owner, said, problems)
  if (problems.length > 0) throw new CrudError(invalid(problems))
}

function ownersOf({ statements, read }: OwnersReader, resource: Resource, id: Id) {
  return readOwners(read, statements.allOwners(resource), id)
}

async function readOwners(
  read: OwnersReader['read'],
  { query, toOwners }: OwnersQuery,
  id: Id,
): Promise<readonly RecordOwner[] | undefined> {
  const found = await read(query, id)
  return found === undefined || found === null ? undefined : toOwners(found)
}

/** `owners`: the topmost first. */
function below(resource: Resource, owners: readonly RecordOwner[]): Address {
  const path = locatedPath(
    resource,
    owners.map(({ by }) => by.inverse),
  )
  return { path, owners: owners.map(({ id }) => id) }
}
