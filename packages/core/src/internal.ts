// What the other packages need besides, and users do not: each name is used by one of them. It may change with any
// version.

export type { CheckedAction, CheckedActions } from './actions/action.ts'
export { readActions } from './actions/read-actions.ts'
export { type GroupRequest, MOST_GROUP_KEYS, MOST_GROUP_VALUES } from './asking/groups/group-query.ts'
export type { ListRequest } from './asking/list-query.ts'
export { elementTypeOf, idKindBeside, isBytes, type Operand, readPath } from './asking/operand.ts'
export { MOST_VALUES, OPERATORS, type Operator, operatorsOf } from './asking/parameters/operators.ts'
export { MOST_KEYS } from './asking/parameters/read-sort.ts'
export { Spelling } from './asking/parameters/read-value.ts'
export type { RecordRequest } from './asking/record-query.ts'
export type { ScalarType } from './asking/scalar-type.ts'
export { relationsOf, type Scope } from './asking/scope.ts'
export type { Selection } from './asking/select/selection.ts'
export { selection } from './asking/select/selections.ts'
export { PathTable } from './batch/path-table.ts'
export {
  type BatchTarget,
  locksOf,
  type PlacedRequest,
  placeRequests,
  type SampledRequest,
  type SpelledRequest,
  spelledPath,
} from './batch/place-requests.ts'
export { readRequests } from './batch/requests.ts'
export type { BatchPart, PartAnswer } from './batch/run-batch.ts'
export { BECAUSE } from './effects-form.ts'
export {
  busyWithStreams,
  errorKinds,
  forbidden,
  invalid,
  notFound,
  preconditionFailed,
  preconditionRequired,
  problemOfRequest,
  shortened,
  tooLarge,
  withArticle,
} from './errors.ts'
export { DEFAULT_POLL, type FeedListener, type FeedPart, type LiveFeed } from './feed/live-feed.ts'
export { withSubschemas } from './model/check/check-schema.ts'
export { didYouMean, GRAMMAR_WORDS, problemOfFieldName, problemOfRelationName } from './model/check/names.ts'
export type { Address } from './model/collection-path.ts'
export {
  type CollectionPath,
  deletedPath,
  linkedPath,
} from './model/collection-path.ts'
export type { DatabaseName } from './model/database-name.ts'
export { DEFAULT_LIMITS } from './model/descriptors/default-limits.ts'
export { isGivenByDatabase, mayBeGivenByDatabase } from './model/descriptors/field-options.ts'
export type { RelationDeclaration } from './model/descriptors/relations.ts'
export { hasForm } from './model/descriptors/stored.ts'
export { FIELDS_OF_SOME, type FieldRights, knowsField } from './model/field-rights.ts'
export { type IdKind, isGivenByClient, isGivenByInsert } from './model/ids/id-kind.ts'
export { integerId } from './model/ids/integer-id.ts'
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
  type OwnerReference,
  type Owns,
  type Reference,
  type Relation,
  type Resource,
  resourceOf,
  type UniqueKey,
} from './model/model.ts'
export { hasAddress, type Mount, type MountLink, mountsOf, ownerParam, recordPath } from './model/mount.ts'
export {
  type BodyOperation,
  type HistoryOperation,
  isDescribed,
  isPredefined,
  type Operation,
  reads,
  serves,
  type UpdateOperation,
  whyUnwritten,
} from './model/operations.ts'
export {
  allRelationsOf,
  hasHistory,
  keepsHistory,
  mayBeMoved,
  otherEnd,
  ownedTree,
  type ResourcesInRecord,
  resourcesInRecord,
} from './model/resource-tree.ts'
export { decimalDigits } from './model/values/decimals.ts'
export { DURATION, fieldCheck, meaningOf } from './model/values/field-check.ts'
export type { DescribedValue, StorageKind } from './model/values/field-problems.ts'
export { markLostDigits } from './model/values/long-number.ts'
export type { JsonSchema } from './model/values/schema-facts.ts'
export { itemsOf, longestText, onlyBranch, RANGE_FORMATS, textFormat } from './model/values/schema-facts.ts'
export { ORDER_NUMBER, storageOf } from './model/values/storage.ts'
export { idInBody } from './planning/body/id-of-body.ts'
export { namedInBody } from './planning/body/nested-record.ts'
export { wholeIdInBody } from './planning/body/owners-in-body.ts'
export { numberTypeOf, readPlaceOfLink } from './planning/body/patch-marks.ts'
export { PendingAnswersError, type Permit } from './planning/decide/planned-actions.ts'
export type { OwnerKind } from './planning/diff/changes.ts'
export { pointerStep } from './problem.ts'
export { databaseErrorKind, subjectOf } from './session/database-errors.ts'
export { factsOf } from './session/drivers/driver-features.ts'
export { proveTransactions } from './session/drivers/prove-transactions.ts'
export { withRetries } from './session/retries.ts'
export { causeOf } from './session/session.ts'
export { anySession } from './session/session-pool.ts'
export { foldsAllLetters } from './session/sqlite/folds-all-letters.ts'
export { transaction, withTransaction } from './session/transaction.ts'
export { ofHeld, type QueryContext, queryContext } from './sql/context.ts'
export { cutName, databaseOf, MAX_NAME_BYTES, nameInDatabase, problemsOfColumns } from './sql/dialect/database.ts'
export { type Dialect, UNSHOWN } from './sql/dialect/dialect.ts'
export { dialectOf, dialects } from './sql/dialect/dialects.ts'
export type { ColumnsOfId } from './sql/dialect/id-sql.ts'
export { databaseKey } from './sql/dialect/kept-for-database.ts'
export { engineOf } from './sql/dialect/postgres/engine.ts'
export { sequenceOfDefault } from './sql/dialect/postgres/ids/integer-id-sql.ts'
export { digitsOf, modifierOf, NO_TYPES, typesOfDatabase } from './sql/dialect/postgres/learned-types.ts'
export { postgres } from './sql/dialect/postgres/postgres.ts'
export { isLocalDefault } from './sql/dialect/postgres/postgres-texts.ts'
export { baseType } from './sql/dialect/postgres/type-of.ts'
export { sqlite } from './sql/dialect/sqlite/sqlite.ts'
export { servesBytes } from './sql/dialect/sqlite/sqlite-functions.ts'
export { formIn, momentText } from './sql/dialect/value-sql.ts'
export { jsonArrayOfSortedQuery } from './sql/reads/json-text.ts'
export { readUnshown, type WithUnshown } from './sql/reads/read-unshown.ts'
export { recordJson } from './sql/reads/record-json.ts'
export { constantText } from './sql/text/field-column.ts'
export { idSqlOf, rowId } from './sql/text/member-id-sql.ts'
export { prepare } from './sql/text/prepare.ts'
export { join, type Sql } from './sql/text/sql-text.ts'
export {
  HISTORY_RECORDS_TABLE,
  HISTORY_TABLE,
  keyColumns,
  NUMBER,
  NUMBERS_TABLE,
  REPEATS_TABLE,
  SEARCH_PREFIX,
  searchNames,
  storedRows,
  wordsColumn,
} from './sql/text/stored-rows.ts'
export type { Upserted, WrittenMany } from './store/bulk/bulk-store.ts'
export type { CallerRights } from './store/caller-rights.ts'
export type { ChangesScope } from './store/changes/show-changes.ts'
export type { GivenAction, JsonStore, WrittenAway, WrittenRecord } from './store/json-store.ts'
export { ReplayWatch, readPosition, withReplica } from './store/replica/log-position.ts'
export { storeOfDatabases, storeOver, storesForActions } from './store/store.ts'
export { type Stores, storesOf } from './store/stores.ts'
export { checkedTenant } from './store/tenants.ts'
export type { ActionAnswer } from './store/types/act-methods.ts'
export type { Asked } from './store/types/write-options.ts'
export { etagOf } from './writing/reads/client-json.ts'
export { ownerNotFound } from './writing/vacancy.ts'
export type { Precondition, Repeat, WrittenEffects } from './writing/write-call.ts'
