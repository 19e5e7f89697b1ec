import type { OrderedChanges, OrderedStep } from './ordered.ts'
import { oneRowEach } from './row-by-row.ts'

/** The steps for a database that checks every unique key row by row: rows that swap values are parked first, wherever it is. */
export function withoutSwaps({ steps, rowByRow }: OrderedChanges): readonly OrderedStep[] {
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
