export type { Address } from './address.ts'
export { keepStatements } from './drivers/keep-statements.ts'
export {
  CrudError,
  type ErrorCode,
  errorKinds,
  invalid,
  ModelError,
  type ModelProblem,
  type Problem,
  type Refusal,
  shortened,
} from './errors.ts'
export {
  createJsonStore,
  type JsonStore,
  type StoreLimits,
  type StoreOptions,
  type WrittenRecord,
} from './json-store.ts'
export type { CreateBody, PatchBody, ReplaceBody } from './model/body-types.ts'
export { defineResources } from './model/define-resources.ts'
export type { Descriptors, ResourceDescriptor } from './model/descriptors.ts'
export type { FieldSchema } from './model/json-schema.ts'
export type {
  Field,
  ForeignKey,
  Link,
  Model,
  OwnedBy,
  Owns,
  Property,
  Reference,
  Resource,
  UniqueKey,
} from './model/model.ts'
export { resourceOf } from './model/model.ts'
export { ownedPlace, type Place, topPlace } from './model/place.ts'
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
  type OwnedBy as OwnedByDeclaration,
  type OwnsMany,
  type OwnsOne,
  ownedBy,
  owns,
} from './model/relations.ts'
export type { OwnsRelation, OwnsTarget, ResourceKey, RootKey } from './model/resource-keys.ts'
export type { RecordData, RowId } from './plan/changes.ts'
export type { BodyLimits } from './plan/limits.ts'
export type { Facts } from './plan/lookups.ts'
export type { Outcome } from './plan/outcome.ts'
export type { InsertedRow, LinkedPair, Plan, RelationName, Step, UpdatedRow } from './plan/plan.ts'
export { type CreateState, planCreate } from './plan/plan-create.ts'
export { type DeleteState, planDelete } from './plan/plan-delete.ts'
export { planPatch } from './plan/plan-patch.ts'
export { planReplace } from './plan/plan-replace.ts'
export type { UpdateState } from './plan/plan-update.ts'
export type { PromiseOrValue } from './promise-or-value.ts'
export type { AnyKysely } from './query/database.ts'
export type { PageRange } from './read.ts'
export { createStore } from './store.ts'
export type { Collection, CreateOptions, Listing, Page, Store } from './store-types.ts'
export { checkTables } from './tables/check-tables.ts'
export { createTables } from './tables/create-tables.ts'
export type { TableProblem } from './tables/table-problem.ts'
