// The types of records, bodies, filters and the like, for programs that know a model and no database: clients. None of
// them needs Kysely.

export type { Count } from './asking/scope.ts'
export type { EffectChange, Effects, HistoryEntry, HistoryListing, HistoryOptions, LiveChange } from './effects-form.ts'
export type { Blocker, BodyProblem, ParameterProblem, Problem } from './errors.ts'
export type { Id } from './model/ids/id-kind.ts'
export type { Model } from './model/model.ts'
export type { CreateBody, PatchBody, ReplaceBody } from './model/types/body-types.ts'
export type { ChosenIn, NotGiven } from './model/types/chosen-record.ts'
export type { FieldName, IncludeName } from './model/types/contents-types.ts'
export type { GroupKeyName, GroupOf, GroupValueName } from './model/types/group-types.ts'
export type { KeepsHistory } from './model/types/keeps-history.ts'
export type { Filter } from './model/types/query-types.ts'
export type { Place, RecordOf } from './model/types/record-type.ts'
export type {
  IsWritable,
  LinkRelation,
  LinkTarget,
  OwnsRelation,
  OwnsTarget,
  ResourceKey,
  TopKey,
} from './model/types/resource-keys.ts'
export type {
  ActionAnswer,
  ActionInput,
  ActionNameOn,
  ActionsIn,
  QueryOfAction,
  WithActions,
} from './store/types/act-methods.ts'
export type { DeletedContents, DeletedListOptions, DeletedRecord } from './store/types/deleted-reads.ts'
export type { Grouping, GroupOptions } from './store/types/group-options.ts'
export type {
  AtMoment,
  CollectionId,
  FindOptions,
  IsCounted,
  Listing,
  ListOptions,
  Shown,
  Whole,
  WholeThen,
} from './store/types/read-options.ts'
