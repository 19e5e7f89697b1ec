import type { Id } from '../model/ids.ts'
import type { OwnedBy } from '../model/model.ts'
import type { RowId } from './row-id.ts'

/** Who owns a record, and through which relation. A new record may be owned by another new one. */
export interface RecordOwner<Owner extends RowId = Id> {
  readonly by: OwnedBy
  readonly id: Owner
}
