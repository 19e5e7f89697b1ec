import type { Caller } from './callers.ts'
import type { StoredRow } from './stored-rows.ts'

/** What is done to a row, as far as policies tell it apart. */
export type RowAction = 'View' | 'Add' | 'EditBefore' | 'EditAfter' | 'Delete'

/** Whether a policy allows it; said once more, without the database. */
export type RowRule = (caller: Caller, action: RowAction, row: StoredRow) => boolean

/** By the key of the resource. Where one is missing, there is no policy. */
export type RowRules = Readonly<Record<string, RowRule>>
