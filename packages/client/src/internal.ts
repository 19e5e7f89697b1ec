// For the packages that give the data of a service to a framework. Nothing here is promised to applications.

export { CONDITION_OPERATORS, condition, type FieldCondition } from './providers/field-conditions.ts'
export { type FormBody, formRecord, inputsOf } from './providers/form-body.ts'
export { type FormRefusal, type RefusalTexts, refusalOf } from './providers/form-refusal.ts'
export {
  createLiveRecords,
  type LiveRecords,
  type LiveRecordsOptions,
  type RecordsChanged,
} from './providers/live-records.ts'
export { isOffered } from './providers/offers.ts'
export type { DataClient, OwnerAddress, RecordMeta } from './providers/record-places.ts'
export { createRecords, type ListedPage, type RecordListQuery, type ServiceRecords } from './providers/records.ts'
