// What the plugin and the tests need besides, and users do not. It may change with any version.

export { type DatabaseErrorKind, databaseErrorKind } from './connection/database-errors.ts'
export { keepsStatements } from './connection/drivers/driver-features.ts'
export { withRetries } from './connection/retries.ts'
export { anySession } from './connection/session-pool.ts'
export type { SettingsOf } from './connection/session-settings.ts'
export { foldsAllLetters } from './connection/sqlite/folds-all-letters.ts'
export { causeOf } from './connection/statement-error.ts'
export { transaction, withTransaction } from './connection/transaction.ts'
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
export { GRAMMAR_WORDS } from './model/check/grammar-words.ts'
export { problemOfFieldName, problemOfRelationName } from './model/check/problem-of-name.ts'
export { didYouMean } from './model/check/suggest.ts'
export { type CollectionPath, linkedPath, topPath } from './model/collection-path.ts'
export type { DatabaseName } from './model/database-name.ts'
export { DEFAULT_LIMITS } from './model/descriptors/default-limits.ts'
export { isGivenByDatabase, mayBeGivenByDatabase } from './model/descriptors/field-options.ts'
export type { JsonSchema } from './model/descriptors/json-schema.ts'
export type { RelationDeclaration } from './model/descriptors/relations.ts'
export { FIELDS_OF_SOME } from './model/field-rights.ts'
export { type IdKind, isGivenByClient, isGivenByInsert } from './model/ids/id-kind.ts'
export { holdsOwner, idInPath, idKindIn, shortIdOf, wholeId } from './model/ids/short-id.ts'
export { isObject } from './model/is-object.ts'
export {
  type ColumnCondition,
  type Constant,
  checkModel,
  type Field,
  type ForeignKey,
  type Index,
  isToMany,
  type Link,
  type OwnedBy,
  type Owns,
  type Reference,
  type Resource,
  resourceOf,
  type TenantColumn,
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
export type { DescribedValue, StorageKind } from './model/values/described-value.ts'
export { DURATION } from './model/values/duration.ts'
export { fieldCheck } from './model/values/field-check.ts'
export { itemsOf } from './model/values/items-of.ts'
export { longestText } from './model/values/longest-text.ts'
export { onlyBranch } from './model/values/only-branch.ts'
export { RANGE_FORMATS } from './model/values/range.ts'
export { LISTS, MAPS, SCHEMAS } from './model/values/schema-keywords.ts'
export { storageOf } from './model/values/storage.ts'
export { textFormat } from './model/values/text-format.ts'
export { idInBody } from './plan/body/id-of-body.ts'
export type { LinkChange } from './plan/body/link-draft.ts'
export { namedInBody } from './plan/body/named-relations.ts'
export { wholeIdInBody } from './plan/body/owners-in-body.ts'
export { PendingAnswersError, type Permit, type PlannedAction } from './plan/decide/planned-actions.ts'
export type { OwnerKind } from './plan/diff/changes.ts'
export { type QueryContext, queryContext, withDeleted } from './query/context.ts'
export { formIn } from './query/dialect/column-form.ts'
export { constantText } from './query/dialect/constant-text.ts'
export { cutName, databaseOf, MAX_NAME_BYTES, nameInDatabase } from './query/dialect/database.ts'
export { type Dialect, UNSHOWN } from './query/dialect/dialect.ts'
export { dialectOf, dialects } from './query/dialect/dialects.ts'
export type { IdColumns } from './query/dialect/id-sql.ts'
export { databaseKey } from './query/dialect/kept-for-database.ts'
export { momentText } from './query/dialect/moment.ts'
export { baseType } from './query/dialect/postgres/base-type.ts'
export { engineOf } from './query/dialect/postgres/engine.ts'
export { sequenceOfDefault } from './query/dialect/postgres/ids/integer-id-sql.ts'
export { digitsOf } from './query/dialect/postgres/learned-types.ts'
export { isLocalDefault } from './query/dialect/postgres/local-default.ts'
export { postgres } from './query/dialect/postgres/postgres.ts'
export { sqlite } from './query/dialect/sqlite/sqlite.ts'
export { servesBytes } from './query/dialect/sqlite/sqlite-functions.ts'
export { jsonArrayOfSortedQuery } from './query/reads/json-text.ts'
export { readUnshown, type WithUnshown } from './query/reads/read-unshown.ts'
export { recordJson } from './query/reads/record-json.ts'
export { idSqlOf, rowId } from './query/text/id-sql-of.ts'
export { NUMBERS_TABLE, OWN_TABLES, REPEATS_TABLE } from './query/text/own-tables.ts'
export { prepare } from './query/text/prepare.ts'
export { keyColumns, NUMBER, SEARCH_PREFIX, searchNames, wordsColumn } from './query/text/search-table.ts'
export { join, type Sql } from './query/text/sql-text.ts'
export { storedRows } from './query/text/stored-rows.ts'
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
export type { Selection } from './reading/select/selection.ts'
export { selection } from './reading/select/selections.ts'
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
