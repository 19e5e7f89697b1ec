export type { Count } from './asking/count.ts'
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
export type { CallersTypeName } from './model/callers-types.ts'
export { defineResources, type ModelOptions } from './model/define/define-resources.ts'
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
} from './model/descriptors/computed.ts'
export { dbDefault } from './model/descriptors/db-default.ts'
export type {
  Descriptors,
  KeyConditionDeclaration,
  ResourceDescriptor,
  UniqueKeyDeclaration,
} from './model/descriptors/descriptors.ts'
export { type FieldOptions, field } from './model/descriptors/field.ts'
export type { FieldSchema } from './model/descriptors/json-schema.ts'
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
export type { Fact, Lookup } from './planning/public/lookup.ts'
export type { Outcome } from './planning/public/outcome.ts'
export type { Owner } from './planning/public/owner.ts'
export type { InsertedRow, LinkedPair, Plan, RelationName, Step, UpdatedRow } from './planning/public/plan.ts'
export { type CreateState, planCreate } from './planning/public/plan-create.ts'
export { type DeleteState, planDelete } from './planning/public/plan-delete.ts'
export { type LookupOutcome, planLookups, type WriteStates } from './planning/public/plan-lookups.ts'
export { planPatch } from './planning/public/plan-patch.ts'
export { planReplace } from './planning/public/plan-replace.ts'
export type { UpdateState } from './planning/public/plan-update.ts'
export type { RecordData, RowId } from './planning/rows.ts'
export { audit, outbox } from './rules/ready-made/change-log.ts'
export { type NumbersGroup, type NumbersOptions, numbers } from './rules/ready-made/numbers.ts'
export { type OutboxOptions, type OutboxRow, readOutbox } from './rules/ready-made/read-outbox.ts'
export type { ReadyMadeRule } from './rules/ready-made/ready-made-rule.ts'
export { type SetOptions, set } from './rules/ready-made/set.ts'
export { type Stamps, stamps } from './rules/ready-made/stamps.ts'
export { type TimestampNames, timestamps } from './rules/ready-made/timestamps.ts'
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
export type { Rules } from './rules/rules.ts'
export type { ErrorsOption, RefusingError } from './rules/stages/errors-option.ts'
export { keepStatements } from './session/drivers/keep-statements.ts'
export type { SessionSettings } from './session/session-settings.ts'
export type { AnyKysely } from './sql/dialect/database.ts'
export { defineEngine, type PostgresEngine } from './sql/dialect/postgres/engine.ts'
export { checkExpressions } from './store/checks/check-expressions.ts'
export { createStore } from './store/store.ts'
export type { DeletedRecords } from './store/types/deleted-records.ts'
export type { Grouping, GroupOptions } from './store/types/group-options.ts'
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
