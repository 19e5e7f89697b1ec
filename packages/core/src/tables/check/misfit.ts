/** Why a column does not keep every value of its kind as it is. */
export interface Misfit {
  /** `error`: wrong for most values. `warning`: wrong for some that the model allows. */
  readonly severity: 'error' | 'warning'
  /** Goes on right after the column's name. */
  readonly what: string
}
