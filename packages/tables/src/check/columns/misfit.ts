import type { ColumnLayout } from '../../layout/table-layout.ts'

/** Why a column does not keep every value of its kind as it is. */
export interface Misfit {
  /** Whether it is the column's type or its default that does not fit. */
  readonly kind: 'type' | 'default'
  /** `error`: wrong for most values. `warning`: wrong for some that the model allows. */
  readonly severity: 'error' | 'warning'
  /** Goes on right after the column's name. */
  readonly what: string
}

/** How the descriptor could say what the column of a base64 field holds. */
export function adviceForBytes({ kind }: ColumnLayout): string {
  return kind === 'bytes' ? ", or leave out contentEncoding: 'base64'" : ''
}
