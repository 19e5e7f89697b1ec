import { busy, CrudError } from '../../errors.ts'
import { type Address, namesNoOwner } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { mayBeMoved } from '../../model/resource-tree.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import { ownerInPath } from '../../writing/vacancy.ts'
import type { BulkCreate, BulkRecord, WriteParts } from '../../writing/write-call.ts'
import { type AskAboutMany, askingOutside, isSameAddress, locateMany, locateNewOfMany } from '../locate.ts'
import type { Asked } from '../types/write-options.ts'

// At the top, a write of many looks up the owners of its records, and the application is asked about these, before it
// takes their locks. While it waits for these, others may move a record, or an owner above it.

/** Owners are not those that were looked up: the write begins again. */
export class OwnersChangedError extends Error {
  override readonly name = 'OwnersChangedError'
}

/** The addresses of records of a write of many, as they were looked up. */
export interface KnownOwners {
  /** Undefined where there is no such record, or nobody asks. */
  addressOf(record: BulkRecord): Address | undefined
  /** Is asked under the locks: throws an {@link OwnersChangedError} if one of the addresses is another one by now.
   * Undefined: none can be. */
  readonly check: ((session: Session) => Promise<void>) | undefined
}

/** Looks up the owners of the records that are there, if the application is asked about owners. Those of new records
 * are known. */
export async function knownOwners(
  parts: WriteParts,
  at: Address,
  records: readonly BulkRecord[],
  { checkRecords, requestContext }: Asked,
): Promise<KnownOwners> {
  if (!namesNoOwner(at.path)) return { addressOf: () => at, check: undefined }
  const created = records.filter((one): one is BulkCreate => one.operation === 'create')
  const ids = records.flatMap((one) => (one.operation === 'create' ? [] : [one.id]))
  const there = checkRecords?.asksOwners === true ? [...new Set(ids)] : []
  const found = there.length === 0 ? NONE : await locateMany(parts, at, there, askingOutside(parts, requestContext))
  const addressOf = (one: BulkRecord) => (one.operation === 'create' ? one.at : found.get(one.id))
  if (!mayBeMoved(at.path.resource) || (there.length === 0 && created.length === 0))
    return { addressOf, check: undefined }
  return {
    addressOf,
    async check(session) {
      const ask: AskAboutMany = (query, values) => session.value<string>(query, values)
      const isAsBefore =
        (await areAsBefore(parts, at, created, ask)) &&
        (there.length === 0 || isSame(found, await locateMany(parts, at, there, ask)))
      if (!isAsBefore) throw new OwnersChangedError()
    },
  }
}

const NONE: ReadonlyMap<Id, Address> = new Map()

async function areAsBefore(
  parts: WriteParts,
  at: Address,
  created: readonly BulkCreate[],
  ask: AskAboutMany,
): Promise<boolean> {
  const before = new Map<RecordOwner, Address>()
  for (const one of created) {
    const owner = ownerInPath(one.at)
    if (owner !== undefined) before.set(owner, one.at)
  }
  const now = await locateNewOfMany(parts, at, [...before.keys()], ask)
  return [...before].every(([owner, address]) => isSameAddress(address, now.get(owner)))
}

function isSame(before: ReadonlyMap<Id, Address>, now: ReadonlyMap<Id, Address>): boolean {
  return before.size === now.size && [...before].every(([id, address]) => isSameAddress(address, now.get(id)))
}

/** How often a write begins again while others move its records. */
const MOST_TIMES = 8

/** Begins again where owners have changed. */
export async function whileOwnersChange<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let times = 1; ; times++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof OwnersChangedError)) throw error
      if (times === MOST_TIMES) throw new CrudError(busy(), { cause: error })
    }
  }
}
