import type { AnyCaller, Asker } from '../model/callers.ts'
import type { KnowsMany, NeedsMany, OwnsMany, OwnsOne, Relations } from '../model/descriptors/relations.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Model } from '../model/model.ts'
import type { IdOf, TargetId } from '../model/types/id-types.ts'
import type { ComputedOf, ComputedValues, ForeignKeys, NullIfNone } from '../model/types/record-type.ts'
import type { FieldsOf, KeyOf, RelationNameIn, RelationsOf, ResourceKey } from '../model/types/resource-keys.ts'
import type { FieldValues, Flat } from '../model/types/value-type.ts'
import type { AnyTransaction } from '../session/kysely-transaction.ts'
import type { LinkIds, PlannedRuleOwner, PlannedRuleRow, RuleOwner, RuleRow } from './rule-row.ts'

/** The parts of a rule; each may be left out. Functions may be asynchronous. A write that is tried again runs its rules
 * again. */
export interface Rule<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller> {
  /**
   * Runs under the lock, before the first statement that writes: once for each row that the write adds, changes or
   * removes, and once for each owner above such a row.
   */
  validate?(row: ValidatedRow<M, K, C>): unknown
  /** Runs before the commit, for each record whose tree the write has touched. */
  readonly invariant?: Invariant<M, K, C>
  /** Runs after the statements, before the commit, for each row that the write adds, changes or removes. To throw
   * undoes the write. */
  afterWrite?(row: WrittenRow<M, K, C>): unknown
  /**
   * Runs once after the commit of a write, and gets all rows of the resource. It never runs for what was rolled back,
   * nor in a transaction of the application's own. An error that it throws is logged.
   */
  afterCommit?(committed: CommittedRows<M, K, C>): unknown
}

export type RuleAction = 'Add' | 'Edit' | 'Delete'

/** The ways in which a rule refuses a write. All refusals of one stage are reported together. */
export interface Refusing<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> {
  /** 409 `CRUD_ERR_REFUSED`, with these words. */
  refuse(message: string): void
  /** 400 `CRUD_ERR_INVALID` with the pointer of the field in the body. */
  invalid(field: NameOf<M, K>, message: string): void
}

/** Tools for the rules of a row. */
export interface RuleTools<M extends Model, K extends ResourceKey<M>, C> extends Refusing<M, K>, Asker<C> {
  /** The write's own transaction, without policies and rules. It must not be used any more when the rule is done. */
  readonly db: AnyTransaction
  /**
   * Keeps other writers from these records until the end of the transaction. Without it, only the tree is locked that
   * the request names. It takes the records in the order of their ids.
   */
  lock(resource: ResourceKey<M>, ids: readonly Id[]): Promise<void>
}

/**
 * A row before it is written. The id of a new row is not known yet, unless the client has chosen it, nor are the values
 * that only the database gives it: `dbDefault`.
 */
export interface ValidatedRow<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller>
  extends RuleTools<M, K, C> {
  readonly action: RuleAction
  /** A deleted row comes back as it was. Its action is `Add`, and `before` is null. */
  readonly restored?: true
  /** Null for a new row. */
  readonly before: RuleRow<M, K> | null
  /** Null for a row that is removed. */
  readonly after: PlannedRuleRow<M, K> | null
  /** The owner of the row, also a new one; null if it has none. */
  readonly owner: PlannedRuleOwner<M, K>
  /** The `owns` relations below which something changes; empty for a row that is added or removed. */
  readonly changedBelow: readonly OwnsNameOf<M, K>[]
}

/** A row after it is written. */
export interface WrittenRow<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller>
  extends RuleTools<M, K, C>,
    ChangedRow<M, K> {
  readonly changedBelow: readonly OwnsNameOf<M, K>[]
}

export interface ChangedRow<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>> {
  readonly action: RuleAction
  /** A deleted row came back as it was. Its action is `Add`, and `before` is null. */
  readonly restored?: true
  /** Null for a new row. */
  readonly before: RuleRow<M, K> | null
  /** Null for a row that was removed. */
  readonly after: RuleRow<M, K> | null
  /** The owner of the row, also a new one; null if it has none. */
  readonly owner: RuleOwner<M, K>
}

export interface CommittedRows<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller>
  extends Asker<C> {
  readonly rows: readonly ChangedRow<M, K>[]
  /** The log of the request; without HTTP, the console. */
  readonly log: RuleLog
}

export interface RuleLog {
  info(...said: readonly unknown[]): void
  warn(...said: readonly unknown[]): void
  error(...said: readonly unknown[]): void
}

/** A condition that each record has to meet, with its tree. */
export interface Invariant<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller> {
  /**
   * The properties that the test sees, besides ids: fields, computed ones, foreign keys and links, and by paths those
   * of owned records, such as `lines.amount`.
   */
  readonly reads: readonly ReadPath<M['descriptors'], K>[]
  test(record: InvariantRecord<M, K, C>): unknown
}

export interface InvariantRecord<M extends Model = Model, K extends ResourceKey<M> = ResourceKey<M>, C = AnyCaller>
  extends Refusing<M, K>,
    Asker<C> {
  /** Null for a new record. It has the properties that `reads` names, and no others. */
  readonly before: RecordRead<M, K> | null
  /** It has the properties that `reads` names, and no others. */
  readonly after: RecordRead<M, K>
}

/** The names of the properties that a body can set in a row. */
type NameOf<M extends Model, K extends ResourceKey<M>> = NameIn<M['descriptors'], K>

type NameIn<D extends Model['descriptors'], K extends KeyOf<D>> = string extends keyof D
  ? string
  : string & (keyof FieldsOf<D[K]> | keyof ForeignKeys<D, RelationsOf<D[K]>> | keyof LinkIds<D, RelationsOf<D[K]>>)

type OwnsNameOf<M extends Model, K extends ResourceKey<M>> = OwnsNameIn<M['descriptors'], K>

type OwnsNameIn<D extends Model['descriptors'], K extends KeyOf<D>> = RelationNameIn<D, K, OwnsOne | OwnsMany>

/**
 * The names that an invariant can read of a record, through so many levels of owned records. A rule for any model may
 * be one of every resource, so its names are `any`.
 */
type ReadPath<
  D extends Model['descriptors'],
  K extends KeyOf<D>,
  Levels extends readonly unknown[] = [1, 1, 1, 1],
> = string extends keyof D
  ? // biome-ignore lint/suspicious/noExplicitAny: `string` would be no path of a known model
    any
  : NameIn<D, K> | (keyof ComputedOf<D[K]> & string) | OwnsNameIn<D, K> | BelowPath<D, K, Levels>

type BelowPath<
  D extends Model['descriptors'],
  K extends KeyOf<D>,
  Levels extends readonly unknown[],
> = Levels extends readonly [unknown, ...infer Rest]
  ? {
      [N in OwnsNameIn<D, K>]: RelationsOf<D[K]>[N & keyof RelationsOf<D[K]>] extends
        | OwnsOne<infer T>
        | OwnsMany<infer T>
        ? `${N}.${ReadPath<D, T & KeyOf<D>, Rest>}`
        : never
    }[OwnsNameIn<D, K>]
  : never

/** All that an invariant can read of a record: whether the record carries it by default or not, write-only fields and
 * computed ones, too. */
type RecordRead<M extends Model, K extends ResourceKey<M>> = ReadIn<M['descriptors'], K>

type ReadIn<D extends Model['descriptors'], K extends KeyOf<D>> =
  K extends KeyOf<D>
    ? Flat<
        { id: IdOf<D, D[K]> } & FieldValues<FieldsOf<D[K]>> &
          ForeignKeys<D, RelationsOf<D[K]>> &
          OwnedRecords<D, RelationsOf<D[K]>> &
          LinkedIds<D, RelationsOf<D[K]>> &
          Required<ComputedValues<D, D[K]>>
      >
    : never

type OwnedRecords<D extends Model['descriptors'], S extends Relations> = {
  -readonly [N in keyof S as S[N] extends OwnsOne | OwnsMany ? N : never]: S[N] extends OwnsMany
    ? ReadIn<D, S[N]['target']>[]
    : ReadIn<D, S[N]['target']> | NullIfNone<S[N]>
}

type LinkedIds<D extends Model['descriptors'], S extends Relations> = {
  -readonly [N in keyof S as S[N] extends NeedsMany | KnowsMany ? N : never]: { id: TargetId<D, S[N]> }[]
}
