import { CrudError, tooLarge } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids/id-kind.ts'

/** The JSON, unless it is too large for an answer. */
export function sendable(json: string, maxAnswer: number): string | undefined {
  return isTooLarge(json, maxAnswer) ? undefined : json
}

/** Whether a text from the database is larger than an answer may be, or stands for one that is. */
function isTooLarge(json: string, maxAnswer: number): boolean {
  const isObject = json.charCodeAt(0) === OPENING_BRACE
  if (!isObject || json.length > maxAnswer) return true
  // A UTF-16 unit has three bytes at most, so the bytes rarely need to be counted.
  return json.length * 3 > maxAnswer && Buffer.byteLength(json) > maxAnswer
}

const OPENING_BRACE = 123

/** A record that was read in order to change it is too large for an answer. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
}

export function recordTooLarge({ path: { resource } }: Address, id: Id | undefined, maxAnswer: number): CrudError {
  const owns = resource.owns.find(({ carried }) => carried)
  const advice =
    owns === undefined ? 'ask the operator to raise limits.maxAnswer' : `ask for its ${owns.name} by their own path`
  return new CrudError(tooLarge(`${resource.key} ${id ?? ''}`.trimEnd(), maxAnswer, advice))
}
