import { Difference, runCase } from './run-case.ts'
import { type Case, fewerRequests, plainerSettings, smallerBodies } from './smaller-cases.ts'
import { smallerModels } from './smaller-models.ts'
import { smallerPolicies } from './smaller-policies.ts'

/**
 * Leaves out of a case what it does not take to see the difference: requests, parts of the model, parts of the bodies.
 * It starts over as long as something went, and ends after `seconds` at the latest.
 *
 * @throws Error if the difference does not show a second time.
 */
export async function reduceCase(found: Case, seconds: number): Promise<{ reduced: Case; difference: Difference }> {
  const end = Date.now() + seconds * 1000
  let reduced = found
  let difference = await differenceOf(found)
  if (difference === undefined) throw new Error('the difference does not show a second time')
  for (let before: Case | undefined; before !== reduced; ) {
    before = reduced
    for (const candidatesOf of [plainerSettings, fewerRequests, smallerPolicies, smallerModels, smallerBodies]) {
      for (let next = 0, all = candidatesOf(reduced); next < all.length && Date.now() < end; ) {
        const candidate = all[next]
        const seen = candidate && (await differenceOf(candidate))
        if (candidate !== undefined && seen !== undefined && aboutOf(seen) === aboutOf(difference)) {
          reduced = candidate
          difference = seen
          // The list is shorter now, and what was tried before need not be tried again at once.
          all = candidatesOf(reduced)
        } else {
          next += 1
        }
      }
    }
  }
  return { reduced, difference }
}

async function differenceOf({ descriptors, setting, access, requests }: Case): Promise<Difference | undefined> {
  try {
    await runCase(descriptors, setting, access, (_worlds, index) => requests[index], new Map())
  } catch (error) {
    // Anything else says that the candidate makes no sense.
    if (error instanceof Difference) return error
  }
  return undefined
}

/** What a difference is about: its first words. */
function aboutOf({ message }: Difference): string {
  return message.replaceAll(/\d+/g, '#').slice(0, 30)
}
