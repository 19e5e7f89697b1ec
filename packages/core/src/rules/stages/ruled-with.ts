import type { Id } from '../../model/ids/id-kind.ts'
import type { Model } from '../../model/model.ts'
import type { Session } from '../../session/session.ts'
import type { AnyKysely } from '../../sql/dialect/database.ts'
import type { RuleStatements } from '../../sql/statements.ts'
import type { RowLocks } from '../rows/row-locks.ts'
import type { NewRowIds, RuledRow } from '../rows/ruled-row.ts'
import type { ResourceRules } from '../rule-set.ts'

/** The parts of a store and of a write that its rules use. */
export interface RuledWith {
  readonly model: Model
  readonly rules: ReadonlyMap<string, ResourceRules>
  readonly statements: RuleStatements
  readonly locks: RowLocks
  readonly db: AnyKysely
  readonly session: Session
  readonly caller: Readonly<Record<string, unknown>>
  readonly tenant: Id | null
  /** The time of the request. */
  readonly now: Date
  /** The ids that clients chose for new rows, by their numbers. */
  readonly chosenIds: NewRowIds
}

/** A row, and the rules that run for it. */
export interface Ruled {
  readonly row: RuledRow
  readonly rules: ResourceRules
}
