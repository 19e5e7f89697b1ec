import type { TestApp } from '../../../../test/support/app.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import type { ExpectedProblem } from '../../../../test/support/problem.ts'
import { refuseAllRaw } from './refuse-all.ts'

/** Sends bytes as a body. They must be refused so, and change nothing in the database. Returns the problem. */
export async function refuseRaw(
  service: TestApp,
  method: string,
  path: string,
  bytes: string | Buffer,
  expected: ExpectedProblem,
  contentType?: string,
): Promise<JsonBody> {
  const [problem] = await refuseAllRaw(service, expected, [[method, path, bytes]], contentType)
  return problem
}
