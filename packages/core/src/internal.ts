// What the plugin and the tests need besides, and users do not. It may change with any version.

export { keepsStatements } from './connection/drivers/driver-features.ts'
export { withRetries } from './connection/retries.ts'
export type { SettingsOf } from './connection/session-settings.ts'
export { foldsAllLetters } from './connection/sqlite/folds-all-letters.ts'
export {
  errorKinds,
  forbidden,
  invalid,
  notFound,
  preconditionFailed,
  preconditionRequired,
  shortened,
  withArticle,
} from './errors.ts'
export type { Address } from './model/address.ts'
export { allRelationsOf } from './model/all-relations-of.ts'
export { type CollectionPath, linkedPath, topPath } from './model/collection-path.ts'
export { DEFAULT_LIMITS } from './model/descriptors/default-limits.ts'
export type { JsonSchema } from './model/descriptors/json-schema.ts'
export { FIELDS_OF_SOME } from './model/field-rights.ts'
export { type IdKind, isGivenByClient } from './model/ids/id-kind.ts'
export { holdsOwner, idInPath, idKindIn, shortIdOf, wholeId } from './model/ids/short-id.ts'
export { isObject } from './model/is-object.ts'
export {
  checkModel,
  type Field,
  type ForeignKey,
  type Index,
  isToMany,
  type Link,
  type Owns,
  type Reference,
  type Resource,
  resourceOf,
  type UniqueKey,
} from './model/model.ts'
export { hasAddress, type Mount, type MountLink, mountsOf, ownerParam } from './model/mount.ts'
export {
  type BodyOperation,
  isPredefined,
  type Operation,
  serves,
  type UpdateOperation,
  whyUnwritten,
} from './model/operations.ts'
export { ownedTree } from './model/owned-tree.ts'
export { type ResourcesInRecord, resourcesInRecord } from './model/resources-in-record.ts'
export type { DescribedValue } from './model/values/described-value.ts'
export { DURATION } from './model/values/duration.ts'
export { LISTS, MAPS, SCHEMAS } from './model/values/schema-keywords.ts'
export { idInBody } from './plan/body/id-of-body.ts'
export type { LinkChange } from './plan/body/link-draft.ts'
export { namedInBody } from './plan/body/named-relations.ts'
export { wholeIdInBody } from './plan/body/owners-in-body.ts'
export { PendingAnswersError, type Permit, type PlannedAction } from './plan/decide/planned-actions.ts'
export type { OwnerKind } from './plan/diff/changes.ts'
export { databaseOf } from './query/dialect/database.ts'
export { databaseKey } from './query/dialect/kept-for-database.ts'
export { OPERATORS, type Operator, operatorsOf } from './reading/ask/operators.ts'
export { MOST_VALUES } from './reading/ask/read-comparison.ts'
export { MOST_KEYS } from './reading/ask/read-sort.ts'
export { Spelling } from './reading/ask/read-value.ts'
export { type GroupRequest, MOST_GROUP_KEYS, MOST_GROUP_VALUES } from './reading/groups/group-query.ts'
export type { ListRequest } from './reading/list-query.ts'
export { elementTypeOf, idKindBeside, isBytes, type Operand, readPath } from './reading/operand.ts'
export type { RecordRequest } from './reading/record-query.ts'
export type { ScalarType } from './reading/scalar-type.ts'
export { relationsOf, type Scope } from './reading/scope.ts'
export type { Upserted, WrittenMany } from './store/bulk/bulk-store.ts'
export { checkedTenant } from './store/checks/checked-tenant.ts'
export { createJsonStore, type JsonStore, type WrittenRecord } from './store/json-store.ts'
export { ReplayWatch, readPosition } from './store/replica/log-position.ts'
export { withReplica } from './store/replica/replica-store.ts'
export { storeOfDatabases, storeOver } from './store/store.ts'
export { type Stores, storesOf } from './store/stores.ts'
export type { Asked } from './store/types/asked.ts'
export type { Precondition, RecordBefore, Repeat, WriteTerms } from './store/types/write-terms.ts'
export { ownerNotFound } from './store/write/owner-at.ts'
