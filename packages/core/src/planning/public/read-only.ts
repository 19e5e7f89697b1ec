import { onlyRead, type Refusal } from '../../errors.ts'
import type { Resource } from '../../model/model.ts'
import { whyUnwritten } from '../../model/operations.ts'

/** Why records are not written whatever the request is; undefined if they are. */
export function refusalOfReadOnly(resource: Resource): Refusal | undefined {
  return resource.isWritable ? undefined : onlyRead(resource.key, whyUnwritten(resource))
}
