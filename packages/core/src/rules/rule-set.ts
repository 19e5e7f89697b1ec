import type { Selection } from '../asking/select/selection.ts'
import type { Asker } from '../model/callers.ts'
import type { Model, Resource } from '../model/model.ts'
import type { AnyTransaction } from '../session/kysely-transaction.ts'
import type { ChangedRow, Rule, WrittenRow } from './rule-types.ts'

/** The parts of one rule for one resource. */
export interface RuleParts {
  /** It takes no owner. */
  readonly isReadyMade?: true
  readonly setMembers?: readonly SetMember[]
  /** The fields of new rows that get the next number of a group. */
  readonly numbered?: readonly NumberedMember[]
  /** The values of fields that a body leaves out, by their names. */
  readonly defaults?: ReadonlyMap<string, unknown>
  readonly validate?: Validate
  readonly invariant?: Pick<NonNullable<Rule['invariant']>, 'test'> & { readonly reads: readonly string[] }
  readonly afterWrite?: AfterWrite
  /** Runs behind all `afterWrite`, for rows as these have left them. Ready-made rules have it: it writes to no row of
   * the model. */
  readonly atEnd?: AtEnd
  readonly afterCommit?: AfterCommit
}

export type Validate = NonNullable<Rule['validate']>
export type AfterWrite = NonNullable<Rule['afterWrite']>
export type AtEnd = (row: RowAtEnd) => unknown

/** `moment`: of the transaction. */
export type RowAtEnd = ChangedRow & Asker & Pick<WrittenRow, 'db'> & { readonly moment: Date }
export type AfterCommit = NonNullable<Rule['afterCommit']>

/** A field or foreign key to which a rule gives its value. */
export interface SetMember {
  readonly property: string
  /** `'change'`: for new rows, and for rows that change. */
  readonly on: 'add' | 'change'
  /** Undefined leaves the value as it is. */
  valueFor(input: SetInput): unknown
}

/** A field of new rows that gets the next number of a group. */
export interface NumberedMember {
  readonly property: string
  /** What tells the groups apart, such as the year. */
  seriesOf(input: SetInput): readonly unknown[]
  /** The first number of a group of which there is none yet, or what finds it. */
  readonly start: number | ((input: NumbersStart) => unknown)
  /** What the field has of a number. */
  format(number: number, input: SetInput): unknown
}

/** The input of the function `start` of `numbers`. */
export interface NumbersStart extends SetInput {
  /** The write's own transaction, without policies and rules. */
  readonly db: AnyTransaction
}

/** The input of a function of `set`. */
export interface SetInput extends Asker {
  /** The row as the body has it; a value that it leaves out is the default or null. The id of a new row is not
   * known. */
  // biome-ignore lint/suspicious/noExplicitAny: a rule may be for several resources
  readonly row: Readonly<Record<string, any>>
  /** The time of the request, the same for all of its rows. */
  readonly now: Date
}

/** An invariant with the selection that is read for it. */
export interface CheckedInvariant {
  readonly selection: Selection
  readonly test: NonNullable<Rule['invariant']>['test']
}

/** All rules of a resource, by part. */
export interface ResourceRules {
  readonly resource: Resource
  /** Whether its rules take the owners of rows. */
  readonly takesOwner: boolean
  readonly setMembers: readonly SetMember[]
  readonly numbered: readonly NumberedMember[]
  readonly validate: readonly Validate[]
  readonly invariants: readonly CheckedInvariant[]
  readonly afterWrite: readonly AfterWrite[]
  readonly atEnd: readonly AtEnd[]
  readonly afterCommit: readonly AfterCommit[]
}

/** Rules as they were checked at start. */
export interface RuleSet {
  /** The model in which fields and foreign keys that rules set are read-only. */
  readonly model: Model
  /** By the resource's key. A resource without rules is missing. */
  readonly rules: ReadonlyMap<string, ResourceRules>
}
