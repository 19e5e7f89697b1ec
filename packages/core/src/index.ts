export type { Count } from './asking/scope.ts'
export type { BatchRequest } from './batch/requests.ts'
export type {
  Because,
  EffectChange,
  Effects,
  HistoryEntry,
  HistoryFilter,
  HistoryListing,
  HistoryMoments,
  HistoryOptions,
  LinkChanged,
  LiveChange,
  NewRecord,
  RecordNamed,
  ReturnsEffects,
  RowChanged,
} from './effects-form.ts'
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
export type { AnyCaller, CallersTypeName } from './model/callers.ts'
export { defineResources, type ModelOptions } from './model/define/define-resources.ts'
export {
  type Aggregate,
  type ComputedDeclaration,
  type ComputedExpression,
  type ComputedOptions,
  countOf,
  maxOf,
  minOf,
  sumOf,
  type VisibleRecords,
  visible,
} from './model/descriptors/computed.ts'
export type { ComputedBuilder } from './model/descriptors/computed-builder.ts'
export type {
  Descriptors,
  HistoryDeclaration,
  KeyConditionDeclaration,
  ResourceDescriptor,
  SoftDeleteDeclaration,
  UniqueKeyDeclaration,
} from './model/descriptors/descriptors.ts'
export { dbDefault, type FieldOptions, field } from './model/descriptors/field.ts'
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
} from './model/descriptors/relations.ts'
export type { SearchDeclaration } from './model/descriptors/search.ts'
export type { Stored } from './model/descriptors/stored.ts'
export type { TenantDeclaration } from './model/descriptors/tenant.ts'
export type { IdDeclaration } from './model/ids/declared-id.ts'
export type { Id } from './model/ids/id-kind.ts'
export type { Model } from './model/model.ts'
export type { CreateBody, PatchBody, ReplaceBody } from './model/types/body-types.ts'
export type { ChosenRecord } from './model/types/chosen-record.ts'
export type { FieldName, IncludeName, Nested, NestedRows } from './model/types/contents-types.ts'
export type { Filter, SearchText, SortName } from './model/types/query-types.ts'
export type { RecordOf } from './model/types/record-type.ts'
export type {
  LinkRelation,
  LinkTarget,
  OwnsRelation,
  OwnsTarget,
  ResourceKey,
  RootKey,
} from './model/types/resource-keys.ts'
export type { TablesOf } from './model/types/tables-of.ts'
export type { FieldSchema, StandardSchema } from './model/values/schema-facts.ts'
export type { Fact, Lookup } from './planning/public/lookup.ts'
export type { Outcome, Owner } from './planning/public/outcome.ts'
export type { InsertedRow, LinkedPair, Plan, RelationName, Step, UpdatedRow } from './planning/public/plan.ts'
export { type CreateState, planCreate } from './planning/public/plan-create.ts'
export { type LookupOutcome, planLookups, type WriteStates } from './planning/public/plan-lookups.ts'
export type { UpdateState } from './planning/public/plan-update.ts'
export { type DeleteState, planDelete, planPatch, planReplace } from './planning/public/plan-update.ts'
export type { RecordData, RowId } from './planning/rows.ts'
export type { Rules } from './rules/active-rules.ts'
export { audit, outbox } from './rules/ready-made/change-log.ts'
export { type NumbersGroup, type NumbersOptions, numbers } from './rules/ready-made/numbers.ts'
export { type OutboxOptions, type OutboxRow, readOutbox } from './rules/ready-made/read-outbox.ts'
export type { ReadyMadeRule } from './rules/ready-made/ready-made-rule.ts'
export { type SetOptions, type Stamps, set, stamps, type TimestampNames, timestamps } from './rules/ready-made/set.ts'
export { transitions } from './rules/ready-made/transitions.ts'
export type { RuleRow } from './rules/rule-row.ts'
export type { NumbersStart, SetInput } from './rules/rule-set.ts'
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
export type { ErrorsOption, RefusingError } from './rules/stages/refusals.ts'
export { keepStatements } from './session/drivers/keep-statements.ts'
export type { SessionSettings } from './session/session-settings.ts'
export type { AnyKysely } from './sql/dialect/database.ts'
export { defineEngine, type PostgresEngine } from './sql/dialect/postgres/engine.ts'
export { type ReadChangesOptions, readChanges } from './store/changes/read-changes.ts'
export { checkExpressions } from './store/checks/check-expressions.ts'
export { type ActionDeclaration, type Actions, defineActions } from './store/define-actions.ts'
export { type ErasedRecord, eraseHistory, type PruneOptions, pruneHistory } from './store/history/forget-history.ts'
export { createStore } from './store/store.ts'
export type { ActOptions, WithActions } from './store/types/act-methods.ts'
export type { BatchAnswer, BatchAnswers, BatchMethod, BatchOptions } from './store/types/batch-methods.ts'
export type { DeletedReads } from './store/types/deleted-reads.ts'
export type { DeletedRecords } from './store/types/deleted-records.ts'
export type { Grouping, GroupOptions } from './store/types/group-options.ts'
export type { HistoryMethods } from './store/types/history-methods.ts'
export type { Policies, Policy, PolicyBuilder, PolicyRule } from './store/types/policy-types.ts'
export type { FindOptions, Listing, ListOptions, Page } from './store/types/read-options.ts'
export type { StoreLimits, StoreOptions } from './store/types/store-options.ts'
export type {
  Collection,
  DatabaseStores,
  GuardedStore,
  LinkedRecords,
  SessionOf,
  Store,
  StoreMethods,
  SystemStore,
  WhoseRecords,
} from './store/types/store-types.ts'
export type { CreateOptions, DryRun, DryRunOf, WriteOptions } from './store/types/write-options.ts'
