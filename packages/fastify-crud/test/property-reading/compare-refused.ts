import { isObject } from '../property/json.ts'
import { type At, ask } from './ask.ts'
import { ReadingDifference } from './reading-difference.ts'
import type { ReadingStep } from './reading-step.ts'

/** A query that is not valid is refused, and the refusal says what is wrong. */
export async function compareRefused(
  at: At,
  step: ReadingStep,
  text: string,
  names: string | undefined,
  code = 'CRUD_ERR_INVALID',
): Promise<string> {
  const { side } = at
  const { status, body = null } = await ask(at, step, text)
  if (status !== 400) throw new ReadingDifference(side, 'expected 400')
  if (!isObject(body) || body.code !== code) throw new ReadingDifference(side, `expected ${code}`)
  const told = JSON.stringify(body)
  // What is wrong beside a decimal is not looked at where no decimal can be compared.
  const isOfDecimal = !at.hasDecimals && told.includes('decimal')
  if (names !== undefined && !told.includes(names) && !isOfDecimal) {
    throw new ReadingDifference(side, `expected that the refusal names ${names}`)
  }
  return 'refused'
}
