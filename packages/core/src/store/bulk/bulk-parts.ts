import type { Address } from '../../model/address.ts'
import type { Model } from '../../model/model.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import type { CallTerms, WriteParts } from '../../writing/write-call.ts'
import type { BodyReader } from '../body-reader.ts'
import type { Asked } from '../types/asked.ts'
import type { Match } from './match.ts'

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
