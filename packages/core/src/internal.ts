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
} from './errors.ts'
export type { Address } from './model/address.ts'
export { type CollectionPath, linkedPath, topPath } from './model/collection-path.ts'
export { DEFAULT_LIMITS } from './model/descriptors/default-limits.ts'
export type { JsonSchema } from './model/descriptors/json-schema.ts'
export type { IdKind } from './model/ids/id-kind.ts'
export { idInPath, idKindIn, wholeId } from './model/ids/short-id.ts'
export { isObject } from './model/is-object.ts'
export {
  type ForeignKey,
  type Index,
  type Link,
  type Owns,
  type Reference,
  type Resource,
  resourceOf,
  type UniqueKey,
} from './model/model.ts'
export { hasAddress, type Mount, type MountLink, mountsOf, ownerParam } from './model/mount.ts'
export { isPredefined, type Operation, serves, whyUnwritten } from './model/operations.ts'
export { ownedTree } from './model/owned-tree.ts'
export { type ResourcesInRecord, resourcesInRecord } from './model/resources-in-record.ts'
export { idInBody } from './plan/body/id-of-body.ts'
export type { LinkChange } from './plan/body/link-draft.ts'
export { namedInBody } from './plan/body/named-relations.ts'
export { wholeIdInBody } from './plan/body/owners-in-body.ts'
export { PendingAnswersError, type Permit, type PlannedAction } from './plan/decide/planned-actions.ts'
export type { OwnerKind } from './plan/diff/changes.ts'
export { databaseOf } from './query/dialect/database.ts'
export { databaseKey } from './query/dialect/kept-for-database.ts'
export { Spelling } from './reading/ask/read-value.ts'
export type { GroupRequest } from './reading/groups/group-query.ts'
export type { ListRequest } from './reading/list-query.ts'
export type { RecordRequest } from './reading/record-query.ts'
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
