/** The median of several runs and between what the middle half of them lies: the others tell of the machine. */
export interface Spread {
  readonly median: number
  readonly lower: number
  readonly upper: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => {
    const index = (sorted.length - 1) * share
    const [below, above] = [sorted[Math.floor(index)], sorted[Math.ceil(index)]]
    if (below === undefined || above === undefined) return Number.NaN
    return below + (above - below) * (index - Math.floor(index))
  }
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) }
}

/** How many times the others, round by round: what slows the machine down slows down both sides of a round. */
export function ratioOf(values: readonly number[], others: readonly number[]): Spread {
  return spreadOf(values.flatMap((value, round) => (round in others ? [value / (others[round] as number)] : [])))
}
