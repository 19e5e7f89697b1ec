import type { Comparing } from '../../asking/condition.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import type { ParameterProblem } from '../../errors.ts'
import { type Address, namesNoOwner } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { wholeId } from '../../model/ids/short-id.ts'
import type { Model, UniqueKey } from '../../model/model.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { Session } from '../../session/session.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import type { ValueReader } from '../../writing/reads/read-record.ts'
import type { BulkCreate, BulkUpdate, CallTerms, WriteParts } from '../../writing/write-call.ts'
import type { BodyRead, BodyReader } from '../body-reader.ts'
import { readPage } from '../read/read-page.ts'
import type { Asked } from '../types/write-options.ts'

/** A body as the update of the record whose id it has. */
export function toUpdate(
  at: Address,
  operation: BulkUpdate['operation'],
  { draft, said, owner }: BodyRead,
): BulkUpdate {
  const id = wholeId(at.path.resource, draft.id as Id, owner?.id ?? at.owners.at(-1))
  return { operation, id, draft, said, by: undefined }
}

/** A body as the update of the record that was found to have its values of a key. */
export function toUpdateBy(by: UniqueKey, id: Id, { draft, said }: BodyRead): BulkUpdate {
  return { operation: 'replace', id, draft, said, by }
}

/** Bodies as new records. Owners that only the bodies name are looked up together, each once. */
export async function toCreates(
  { locateNew }: Pick<BulkParts, 'locateNew'>,
  at: Address,
  bodies: readonly BodyRead[],
  asked: Asked,
): Promise<readonly BulkCreate[]> {
  const owners = new Map<string, RecordOwner>()
  const known = bodies.map(({ owner }) => {
    if (owner === undefined || !namesNoOwner(at.path)) return undefined
    const key = JSON.stringify([owner.by.name, owner.id])
    const same = owners.get(key) ?? owner
    owners.set(key, same)
    return same
  })
  const located = owners.size === 0 ? undefined : await locateNew(at, [...owners.values()], asked)
  return bodies.map(({ draft }, index) => {
    const owner = known[index]
    return { operation: 'create', at: (owner && located?.get(owner)) ?? at, draft }
  })
}

/** Which records of a list a write means. */
export interface Matching {
  /** A filter in its JSON form. */
  readonly filter: unknown
}

/** What the writes of many records need of the store that they are a part of. */
export interface BulkParts {
  readonly parts: WriteParts
  readonly model: Model
  readonly bodies: BodyReader
  /** The most records that one request may name. */
  readonly maxItems: number
  termsOf(asked: Asked): Omit<CallTerms, 'at'>
  /** The address of a new record of each owner that bodies name, whether there is such an owner or not. */
  locateNew(at: Address, owners: readonly RecordOwner[], asked: Asked): Promise<ReadonlyMap<RecordOwner, Address>>
  match(at: Address, matching: Matching, most: number, asked: Asked): Promise<Match>
}

/** The records that a request means by a filter. */
export interface Match {
  readonly ids: readonly Id[]
  /** Which records match, as the connection of a write sees it. */
  again(session: Session): Promise<ReadonlySet<Id>>
}

/** A filter that says nothing is likely to be a mistake, and would write all records. */
export const MATCHES_ALL: ParameterProblem = {
  parameter: 'filter',
  message: 'filter: has to say which records are written, and this one says nothing',
  keyword: 'required',
  params: { missingProperty: 'filter' },
}

/** Finds the records that a query matches, but no more than `most`. The query selects their ids. */
export async function idsThatMatch(
  value: ValueReader,
  statements: ReadStatements,
  at: Address,
  most: number,
  query: ListQuery,
  comparing: Comparing,
): Promise<Match> {
  const { resource, isTopLevel } = at.path
  const idsOn = async (on: ValueReader): Promise<readonly Id[]> => {
    const page = await readPage(on, statements, at, { limit: most, offset: 0 }, query, comparing)
    const { rows } = JSON.parse(page) as { readonly rows: readonly { readonly id: Id }[] }
    return rows.map(({ id }) => (isTopLevel ? id : wholeId(resource, id, at.owners.at(-1))))
  }
  return {
    ids: await idsOn(value),
    again: async (session) => new Set(await idsOn(session.value)),
  }
}
