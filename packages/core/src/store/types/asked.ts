import type { Address } from '../../model/address.ts'
import type { InvisibleResources } from '../../planning/body/draft.ts'
import type { Permit } from '../../planning/decide/planned-actions.ts'
import type { BulkRecord } from '../../writing/write-call.ts'
import type { WriteTerms } from '../../writing/write-terms.ts'

/** On whose behalf a method is called, and on which terms. */
export interface Asked extends WriteTerms {
  /**
   * Whatever the calling code has to say of the request, such as the request itself: planning and statements can ask it. Policies find
   * who is asking in its `caller`.
   */
  readonly requestContext?: unknown
  /** Aborted when nobody waits for the answer of a read any more: it fails with the signal's reason. A write is not affected. */
  readonly signal?: AbortSignal | undefined
  /** Is asked what a write may do to records other than its own. Default: everything. */
  readonly permit?: Permit | undefined
  /** Is told which records a write of many names, before anything is written: it fails if one of them may not be written. Default: all may. */
  readonly checkRecords?: ((at: Address, records: readonly BulkRecord[]) => Promise<void>) | undefined
  /** Resources whose records a body cannot name, and whose absence from a PUT changes nothing. Default: none. */
  readonly hidden?: InvisibleResources
}
