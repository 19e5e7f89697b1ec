import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json } from '../property/json.ts'
import { spelledOn } from '../property/spelled-on.ts'
import { type At, ask } from './ask.ts'
import { ReadingDifference } from './reading-difference.ts'
import type { ReadingStep } from './reading-step.ts'

/** What the page does not speak of is the same on both databases, and no error of the server. */
export async function compareOdd(places: readonly At[], step: ReadingStep & { is: 'odd' }): Promise<string> {
  const answers = await Promise.all(
    places.map(async (at) => {
      const answer = await ask(at, step, step.text)
      if (answer.status !== 200 && answer.status !== 400) throw new ReadingDifference(at.side, 'expected 200 or 400')
      return answer
    }),
  )
  const [one, other] = answers
  const [first, second] = places
  const isSame = one?.status === other?.status && isDeepStrictEqual(comparable(one?.body), comparable(other?.body))
  // Where a database lacks functions, it may answer less.
  if (!isSame && first !== undefined && places.every(({ hasDecimals }) => hasDecimals)) {
    const told = `${other?.status} ${JSON.stringify(other?.body)}`
    throw new ReadingDifference(first.side, `expected as on ${second?.side.name}: ${told}`)
  }
  return String(one?.status)
}

/** Values as both databases have them. A cursor has sort values as its database prints them: whether there is one is all that both have in common. */
function comparable(body: Json = null): Json {
  return spelledOn('postgres', isObject(body) && 'next' in body ? { ...body, next: true } : body)
}
