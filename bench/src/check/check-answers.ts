import { isDeepStrictEqual } from 'node:util'
import { RECORDS } from '../records.ts'
import type { RunningSide } from '../run-sides.ts'
import { ask, type CheckRequest, checkRequests } from './check-requests.ts'

/**
 * Asks every side the same, from the same records on. Where a request is refused the status counts: words are each
 * side's own.
 *
 * @throws Error that lists every request that two sides answer differently, or after which their rows differ.
 */
export async function checkAnswers(sides: readonly RunningSide[]): Promise<void> {
  for (const { database } of sides) await database.reset(RECORDS)
  const [first, ...others] = sides
  if (first === undefined) return
  const differences: string[] = []
  for (const request of checkRequests) {
    const expected = await ask(first.server.port, request)
    for (const { name, server } of others) {
      const answer = await ask(server.port, request)
      if (!isDeepStrictEqual(answer, expected)) {
        differences.push(`${titleOf(request)}\n  ${first.name}: ${show(expected)}\n  ${name}: ${show(answer)}`)
      }
    }
  }
  const rows = await first.database.rows()
  for (const { name, database } of others) {
    if (!isDeepStrictEqual(await database.rows(), rows)) differences.push(`the rows of ${name} are others`)
  }
  if (differences.length > 0) throw new Error(`the sides do not answer the same:\n${differences.join('\n')}`)
}

function titleOf({ method, path, body }: CheckRequest): string {
  return `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`
}

function show(answer: object): string {
  return JSON.stringify(answer).slice(0, 500)
}
