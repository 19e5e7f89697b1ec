import type { WholeChange } from '../../effects/whole-change.ts'
import { reachesHistory } from '../../model/resource-tree.ts'
import type { DrawnIds } from '../../planning/order/new-ids.ts'
import type { AnyTransaction } from '../../session/kysely-transaction.ts'
import type { Session } from '../../session/session.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { CallTerms, WriteParts } from '../write-call.ts'

/** What a write does, with what rules and actions write in its transaction. */
export interface Gathering {
  /** Whose sight counts: that of the caller of the first write. */
  readonly viewer: EffectsViewer
  /** The write within which this one is done; undefined: it is the first. */
  readonly parent: Gathering | undefined
  readonly write: string
  /** The transaction, for what rules and actions write. */
  readonly transaction: AnyTransaction
  readonly changes: WholeChange[]
  /** Ids that were drawn for its new rows. */
  drawn?: DrawnIds
  /** What becomes of the changes of a write within this one. Default: a rule or an action has written them. */
  ofWithin?: (change: WholeChange) => WholeChange
  /** The viewer is shown them. */
  readonly isShown: boolean
  /** The history keeps them. */
  readonly isKept: boolean
  /** Rules or actions have written some of them: perhaps what is another tenant's. */
  hasOthers: boolean
  /** The records that the viewer could not see before, and those that it cannot see after. */
  readonly unseen: { readonly before: Set<string>; readonly after: Set<string> }
}

/** A store and its session, which see what the viewer sees. */
export interface EffectsViewer extends Pick<WriteParts, 'context' | 'statements'> {
  readonly session: Session
}

/** What is gathered in each transaction, by the transaction that rules and actions get. */
export const gatherings = new WeakMap<AnyKysely, Gathering>()

/** Whether the history keeps the changes, perhaps with those of the write around them. */
export function isKeptInAll({ isKept, parent }: Gathering): boolean {
  return isKept || (parent !== undefined && isKeptInAll(parent))
}

/** Whether a write is to be gathered, as `gatheringFor` says. */
export function isGathered(parts: WriteParts, call: Pick<CallTerms, 'effects' | 'at' | 'rollsBack'>): boolean {
  const { db } = parts.context
  return call.effects !== undefined || isKept(parts, call) || (db.isTransaction && gatherings.has(db))
}

/** Whether the history keeps what a write does, if it touches a record with a history. */
export function isKept({ history }: WriteParts, { at, rollsBack }: Pick<CallTerms, 'at' | 'rollsBack'>): boolean {
  return history !== undefined && !rollsBack && reachesHistory(at.path.resource)
}
