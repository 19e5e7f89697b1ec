import type { OrderedChanges, OrderedStep } from './ordered.ts'

/** A step for each row that the step writes. What it removes goes in one step: there is no row to point to. */
export function oneRowEach(step: OrderedStep): readonly OrderedStep[] {
  switch (step.step) {
    case 'insert':
      return step.rows.map((row) => ({ ...step, rows: [row] }))
    case 'park':
    case 'update':
      return step.rows.map((row) => ({ ...step, rows: [row] }))
    // A swap is none if its rows are written singly.
    case 'swap':
      return [step]
    case 'link':
      return step.pairs.map((pair) => ({ ...step, pairs: [pair] }))
    case 'unlink':
    case 'unlinkAll':
    case 'clear':
    case 'release':
    case 'delete':
      return [step]
  }
}

/** The steps for a database that checks every unique key row by row: rows that swap values are parked first, wherever it is. */
export function withoutSwaps({ steps, rowByRow }: OrderedChanges): readonly OrderedStep[] {
  if (!steps.some(({ step }) => step === 'swap')) return steps
  return steps.flatMap((step): readonly OrderedStep[] => {
    if (step.step !== 'swap') return [step]
    const { resource, rows, parked } = step
    const parkedFirst: readonly OrderedStep[] = [
      { step: 'park', resource, rows: parked },
      { step: 'update', resource, rows },
    ]
    return rowByRow ? parkedFirst.flatMap(oneRowEach) : parkedFirst
  })
}
