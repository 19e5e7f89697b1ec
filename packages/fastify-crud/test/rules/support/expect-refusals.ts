import { expect } from 'vitest'
import type { JsonBody } from '../../../../../test/support/json-body.ts'

/** Where a rule refuses, and in which words. */
type Refusal = readonly [pointer: string, text: string]

/** Fails unless a problem has exactly these refusals, in any order. */
export function expectRefusals(problem: JsonBody, ...refusals: readonly Refusal[]): void {
  const errors: { pointer: string; message: string }[] = problem.errors
  for (const [pointer, text] of refusals) {
    expect(errors).toContainEqual({ pointer, message: expect.stringContaining(text) })
  }
  expect(errors).toHaveLength(refusals.length)
}
