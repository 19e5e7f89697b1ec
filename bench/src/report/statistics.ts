/** The median of several runs and how far they lie apart. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
  }
}

/** How many times the others, round by round: what slows the machine down slows down both sides of a round. */
export function ratioOf(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.flatMap((value, round) => (round in others ? [value / (others[round] as number)] : [])))
}
