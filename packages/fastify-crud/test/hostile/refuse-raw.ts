import { expect } from 'vitest'
import type { TestApp } from '../../../../test/support/app.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type ExpectedProblem, expectProblem } from '../../../../test/support/problem.ts'

/** Sends bytes as a body. They must be refused so, and change nothing in the database. Returns the problem. */
export async function refuseRaw(
  service: TestApp,
  method: string,
  path: string,
  bytes: string | Buffer,
  expected: ExpectedProblem,
  contentType?: string,
): Promise<JsonBody> {
  const before = await service.snapshot()
  const answer = await service.raw(method, path, bytes, contentType)
  expectProblem(answer, expected)
  expect(await service.snapshot()).toEqual(before)
  return answer.body
}
