import type { OrderedStep } from './ordered.ts'

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
