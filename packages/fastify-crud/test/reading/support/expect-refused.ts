import { expect } from 'vitest'
import type { Answer } from '../../../../../test/support/app.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'

/** Fails unless the query is refused, with a problem that names each of these. */
export function expectRefused(answer: Answer, ...names: readonly string[]): void {
  expectProblem(answer, { code: 'CRUD_ERR_INVALID', pointers: [] })
  const messages: string[] = answer.body.errors.map(({ message }: { message: string }) => message)
  for (const name of names) expect(messages).toContainEqual(expect.stringContaining(name))
}

/** What a refusal says, with `nobody` for this name, and without names that are proposed instead of it. */
export function refusalWithout(answer: Answer, name: string): string {
  const text = JSON.stringify(answer.body).replaceAll(name, 'nobody')
  return text.replaceAll(/[;,.]? ?did you mean[^"?]*\?/gi, '')
}
