import type { OrderedStep } from '../planning/order/ordered.ts'
import { StatementError } from '../session/statement-error.ts'

/** What a step was about when the database refused it. */
export type Doing = 'write' | 'remove' | 'park' | 'swap'

const DOING: Readonly<Record<OrderedStep['step'], Doing>> = {
  unlink: 'remove',
  unlinkAll: 'remove',
  clear: 'remove',
  release: 'remove',
  delete: 'remove',
  stamp: 'remove',
  restore: 'write',
  park: 'park',
  swap: 'swap',
  update: 'write',
  insert: 'write',
  link: 'write',
}

/** A step that the database refused; its `cause` is the driver's error. */
export class StepError extends StatementError {
  override readonly name = 'StepError'
  readonly doing: Doing
  /** Where in the body the row that was refused is; undefined if it is not known. */
  readonly pointer: string | undefined
  readonly step: OrderedStep

  constructor(step: OrderedStep, cause: unknown) {
    super(`the database refused to ${step.step}`, cause)
    this.doing = doingOfStep(step)
    this.pointer = pointerOf(step)
    this.step = step
  }
}

/** What a step is about. */
export function doingOfStep({ step }: OrderedStep): Doing {
  return DOING[step]
}

function pointerOf(step: OrderedStep): string | undefined {
  if (step.step === 'swap') return step.parked[0]?.pointer
  const written = 'rows' in step ? step.rows : step.step === 'link' ? step.pairs : []
  return written.length === 1 ? written[0]?.pointer : undefined
}
