import { expect } from 'vitest'
import type { Answer, TestApp } from '../../../../test/support/app.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type ExpectedProblem, expectProblem } from '../../../../test/support/problem.ts'

export type Attempt = readonly [method: string, path: string, body?: unknown]
export type RawAttempt = readonly [method: string, path: string, bytes: string | Buffer]

/**
 * Sends many requests, each of which must be refused so. The database is compared once, at the end: that is much faster
 * than `service.refuse` for each. Returns the problems.
 */
export function refuseAll(
  service: TestApp,
  expected: ExpectedProblem,
  attempts: readonly Attempt[],
): Promise<JsonBody[]> {
  return refuse(service, expected, attempts, ([method, path, body]) => service.request(method, path, body))
}

/** The same with bytes that are sent as they are. */
export function refuseAllRaw(
  service: TestApp,
  expected: ExpectedProblem,
  attempts: readonly RawAttempt[],
  contentType?: string,
): Promise<JsonBody[]> {
  return refuse(service, expected, attempts, ([method, path, bytes]) => service.raw(method, path, bytes, contentType))
}

async function refuse<One>(
  service: TestApp,
  expected: ExpectedProblem,
  attempts: readonly One[],
  send: (attempt: One) => Promise<Answer>,
): Promise<JsonBody[]> {
  const before = await service.snapshot()
  const problems: JsonBody[] = []
  for (const attempt of attempts) {
    const answer = await send(attempt)
    try {
      expectProblem(answer, expected)
    } catch (error) {
      throw new Error(`${answer.status} ${JSON.stringify(attempt).slice(0, 500)}`, { cause: error })
    }
    problems.push(answer.body)
  }
  expect(await service.snapshot()).toEqual(before)
  return problems
}
