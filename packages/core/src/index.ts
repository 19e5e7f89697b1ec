export { keepStatements } from './connection/drivers/keep-statements.ts'
export type { SessionSettings } from './connection/session-settings.ts'
export {
  type Blocker,
  type BodyProblem,
  CrudError,
  type CrudErrorCode,
  type Fault,
  ModelError,
  type ModelProblem,
  type ParameterProblem,
  type Problem,
  type Refusal,
} from './errors.ts'
export type { AnyCaller } from './model/any-caller.ts'
export type { CreateBody, PatchBody, ReplaceBody } from './model/body-types.ts'
export type { CallersTypeName } from './model/callers-types.ts'
export type { ChosenRecord } from './model/chosen-record.ts'
export {
  type Aggregate,
  type ComputedBuilder,
  type ComputedDeclaration,
  type ComputedExpression,
  type ComputedOptions,
  countOf,
  maxOf,
  minOf,
  sumOf,
  type VisibleRecords,
  visible,
} from './model/computed.ts'
export type { FieldName, IncludeName, Nested, NestedRows } from './model/contents-types.ts'
export { dbDefault } from './model/db-default.ts'
export { defineResources } from './model/define-resources.ts'
export type { Descriptors, ResourceDescriptor } from './model/descriptors.ts'
export { type FieldOptions, field } from './model/field.ts'
export type { Id } from './model/ids.ts'
export type { FieldSchema } from './model/json-schema.ts'
export type { Model } from './model/model.ts'
export type { Filter, SortName } from './model/query-types.ts'
export type { RecordOf } from './model/record-type.ts'
export {
  type KnowsMany,
  type KnowsOne,
  knows,
  type NeededByMany,
  type NeededByOne,
  type NeedsMany,
  type NeedsOne,
  neededBy,
  needs,
  type OwnedBy,
  type OwnsMany,
  type OwnsOne,
  ownedBy,
  owns,
} from './model/relations.ts'
export type { OwnsRelation, OwnsTarget, ResourceKey, RootKey } from './model/resource-keys.ts'
export type { Fact, Lookup } from './plan/lookup.ts'
export type { Outcome } from './plan/outcome.ts'
export type { Owner } from './plan/owner.ts'
export type { InsertedRow, LinkedPair, Plan, RelationName, Step, UpdatedRow } from './plan/plan.ts'
export { type CreateState, planCreate } from './plan/plan-create.ts'
export { type DeleteState, planDelete } from './plan/plan-delete.ts'
export { type LookupOutcome, planLookups, type WriteStates } from './plan/plan-lookups.ts'
export { planPatch } from './plan/plan-patch.ts'
export { planReplace } from './plan/plan-replace.ts'
export type { UpdateState } from './plan/plan-update.ts'
export type { RecordData } from './plan/record-data.ts'
export type { RowId } from './plan/row-id.ts'
export type { AnyKysely } from './query/dialect/database.ts'
export type { Count } from './reading/count.ts'
export { audit } from './rules/audit.ts'
export type { ErrorsOption, RefusingError } from './rules/errors-option.ts'
export { outbox } from './rules/outbox.ts'
export { type OutboxRow, readOutbox } from './rules/read-outbox.ts'
export type { ReadyMadeRule } from './rules/ready-made-rule.ts'
export type { RuleRow } from './rules/rule-row.ts'
export type { SetInput } from './rules/rule-set.ts'
export type {
  ChangedRow,
  CommittedRows,
  Invariant,
  InvariantRecord,
  Refusing,
  Rule,
  RuleAction,
  RuleLog,
  ValidatedRow,
  WrittenRow,
} from './rules/rule-types.ts'
export type { Rules } from './rules/rules.ts'
export { type SetOptions, set } from './rules/set.ts'
export { type Stamps, stamps } from './rules/stamps.ts'
export { timestamps } from './rules/timestamps.ts'
export { transitions } from './rules/transitions.ts'
export { checkExpressions } from './store/check-expressions.ts'
export type { Policies, Policy, PolicyBuilder, PolicyRule } from './store/policy-types.ts'
export type { FindOptions, Listing, ListOptions, Page } from './store/read-options.ts'
export { createStore } from './store/store.ts'
export type { StoreLimits, StoreOptions } from './store/store-options.ts'
export type { Collection, GuardedStore, SessionOf, Store, StoreMethods } from './store/store-types.ts'
export type { CreateOptions, DryRun, DryRunOf, WriteOptions } from './store/write-options.ts'
export { checkTables } from './tables/check/check-tables.ts'
export type { TableProblem } from './tables/check/table-problem.ts'
export { createTables } from './tables/create/create-tables.ts'
export type { TablesOf } from './tables/tables-of.ts'
