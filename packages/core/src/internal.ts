// What the other packages need besides, and users do not: each name is used by one of them. It may change with any version.

export { type GroupRequest, MOST_GROUP_KEYS, MOST_GROUP_VALUES } from './asking/groups/group-query.ts'
export type { ListRequest } from './asking/list-query.ts'
export { elementTypeOf, idKindBeside, isBytes, type Operand, readPath } from './asking/operand.ts'
export { OPERATORS, type Operator, operatorsOf } from './asking/parameters/operators.ts'
export { MOST_VALUES } from './asking/parameters/read-comparison.ts'
export { MOST_KEYS } from './asking/parameters/read-sort.ts'
export { Spelling } from './asking/parameters/read-value.ts'
export type { RecordRequest } from './asking/record-query.ts'
export type { ScalarType } from './asking/scalar-type.ts'
export { relationsOf, type Scope } from './asking/scope.ts'
export type { Selection } from './asking/select/selection.ts'
export { selection } from './asking/select/selections.ts'
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
export { type CollectionPath, linkedPath } from './model/collection-path.ts'
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
export { pointerStep } from './model/pointer-step.ts'
export { type ResourcesInRecord, resourcesInRecord } from './model/resources-in-record.ts'
export type { DescribedValue, StorageKind } from './model/values/described-value.ts'
export { DURATION } from './model/values/duration.ts'
export { fieldCheck } from './model/values/field-check.ts'
export { itemsOf } from './model/values/items-of.ts'
export { markLostDigits } from './model/values/long-number.ts'
export { longestText } from './model/values/longest-text.ts'
export { onlyBranch } from './model/values/only-branch.ts'
export { RANGE_FORMATS } from './model/values/range.ts'
export { LISTS, MAPS, SCHEMAS } from './model/values/schema-keywords.ts'
export { storageOf } from './model/values/storage.ts'
export { textFormat } from './model/values/text-format.ts'
export { idInBody } from './planning/body/id-of-body.ts'
export { namedInBody } from './planning/body/named-relations.ts'
export { wholeIdInBody } from './planning/body/owners-in-body.ts'
export { PendingAnswersError, type Permit } from './planning/decide/planned-actions.ts'
export type { OwnerKind } from './planning/diff/changes.ts'
export { type DatabaseErrorKind, databaseErrorKind } from './session/database-errors.ts'
export { factsOf } from './session/drivers/driver-features.ts'
export { proveTransactions } from './session/drivers/prove-transactions.ts'
export { withRetries } from './session/retries.ts'
export { anySession } from './session/session-pool.ts'
export { foldsAllLetters } from './session/sqlite/folds-all-letters.ts'
export { causeOf } from './session/statement-error.ts'
export { transaction, withTransaction } from './session/transaction.ts'
export { type QueryContext, queryContext, withDeleted } from './sql/context.ts'
export { formIn } from './sql/dialect/column-form.ts'
export { constantText } from './sql/dialect/constant-text.ts'
export { cutName, databaseOf, MAX_NAME_BYTES, nameInDatabase, problemsOfColumns } from './sql/dialect/database.ts'
export { type Dialect, UNSHOWN } from './sql/dialect/dialect.ts'
export { dialectOf, dialects } from './sql/dialect/dialects.ts'
export type { IdColumns } from './sql/dialect/id-sql.ts'
export { databaseKey } from './sql/dialect/kept-for-database.ts'
export { momentText } from './sql/dialect/moment.ts'
export { baseType } from './sql/dialect/postgres/base-type.ts'
export { engineOf } from './sql/dialect/postgres/engine.ts'
export { sequenceOfDefault } from './sql/dialect/postgres/ids/integer-id-sql.ts'
export { digitsOf } from './sql/dialect/postgres/learned-types.ts'
export { isLocalDefault } from './sql/dialect/postgres/local-default.ts'
export { postgres } from './sql/dialect/postgres/postgres.ts'
export { sqlite } from './sql/dialect/sqlite/sqlite.ts'
export { servesBytes } from './sql/dialect/sqlite/sqlite-functions.ts'
export { jsonArrayOfSortedQuery } from './sql/reads/json-text.ts'
export { readUnshown, type WithUnshown } from './sql/reads/read-unshown.ts'
export { recordJson } from './sql/reads/record-json.ts'
export { idSqlOf, rowId } from './sql/text/id-sql-of.ts'
export { NUMBERS_TABLE, REPEATS_TABLE } from './sql/text/own-tables.ts'
export { prepare } from './sql/text/prepare.ts'
export { keyColumns, NUMBER, SEARCH_PREFIX, searchNames, wordsColumn } from './sql/text/search-table.ts'
export { join, type Sql } from './sql/text/sql-text.ts'
export { storedRows } from './sql/text/stored-rows.ts'
export type { Upserted, WrittenMany } from './store/bulk/bulk-store.ts'
export { checkedTenant } from './store/checks/checked-tenant.ts'
export type { JsonStore, WrittenRecord } from './store/json-store.ts'
export { ReplayWatch, readPosition } from './store/replica/log-position.ts'
export { withReplica } from './store/replica/replica-store.ts'
export { storeOfDatabases, storeOver } from './store/store.ts'
export { type Stores, storesOf } from './store/stores.ts'
export type { Asked } from './store/types/asked.ts'
export { ownerNotFound } from './writing/owner-at.ts'
export type { Precondition, Repeat } from './writing/write-terms.ts'
