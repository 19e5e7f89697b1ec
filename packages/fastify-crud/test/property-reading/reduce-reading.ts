import { isObject, type Json, type JsonObject } from '../property/json.ts'
import { fewerRequests, plainerSettings, smallerBodies, smallerValues } from '../property/smaller-cases.ts'
import { smallerModels } from '../property/smaller-models.ts'
import { smallerPolicies } from '../property/smaller-policies.ts'
import { ReadingDifference } from './reading-difference.ts'
import type { ReadingQuery } from './reading-query.ts'
import { type ReadingCase, runReading } from './run-reading.ts'

/**
 * Leaves out of a case what it does not take to see the difference: parts of the query, records, parts of the model and of
 * the bodies. It starts over as long as something went, and ends after `seconds` at the latest.
 *
 * @throws Error if the difference does not show a second time.
 */
export async function reduceReading(
  found: ReadingCase,
  seconds: number,
): Promise<{ reduced: ReadingCase; difference: ReadingDifference }> {
  const end = Date.now() + seconds * 1000
  let reduced: ReadingCase = { ...found, steps: found.steps.slice(-1) }
  let difference = await differenceOf(reduced)
  if (difference === undefined) throw new Error('the difference does not show a second time')
  const ways = [bySystem, smallerQueries, fewerRequests, smallerPolicies, smallerModels, smallerBodies, plainerSettings]
  for (let before: ReadingCase | undefined; before !== reduced; ) {
    before = reduced
    for (const way of ways) {
      const candidatesOf = (one: ReadingCase): ReadingCase[] => way(one).map((smaller) => ({ ...one, ...smaller }))
      for (let next = 0, all = candidatesOf(reduced); next < all.length && Date.now() < end; ) {
        const candidate = all[next]
        const seen = candidate && (await differenceOf(candidate))
        if (candidate !== undefined && seen !== undefined && isSame(candidate, seen, difference)) {
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

async function differenceOf(one: ReadingCase): Promise<ReadingDifference | undefined> {
  try {
    await runReading(one, (_seenBy, index) => one.steps[index])
  } catch (error) {
    // Anything else says that the candidate makes no sense.
    if (error instanceof ReadingDifference) return error
  }
  return undefined
}

/** Whether two differences are about the same, and were answered alike. A query that stays as it is must be answered as before, too. */
function isSame({ steps }: ReadingCase, one: ReadingDifference, other: ReadingDifference): boolean {
  const isKept = steps.some(({ is }) => is === 'broken' || is === 'odd')
  const isAlike = aboutOf(one) === aboutOf(other) && statusOf(one) === statusOf(other)
  return isAlike && (!isKept || one.answer === other.answer)
}

function statusOf({ answer }: ReadingDifference): string | undefined {
  return /\d+/.exec(answer)?.[0]
}

/** What a difference is about: its first words. */
function aboutOf({ message }: ReadingDifference): string {
  return message.replaceAll(/\d+/g, '#').slice(0, 30)
}

/** The case with one part of a query less. */
function smallerQueries(one: ReadingCase): ReadingCase[] {
  return one.steps.flatMap((step, index) => {
    if (step.is === 'broken' || step.is === 'odd') return []
    const query: JsonObject = JSON.parse(JSON.stringify(step.query))
    const smaller = [...raised(query), ...smallerValues(query)].filter(
      (less) => isObject(less) && isComplete(less.filter ?? {}),
    )
    return smaller.map((less) => ({ ...one, steps: one.steps.with(index, { ...step, query: less as ReadingQuery }) }))
  })
}

/** Whether there is nothing empty in a filter but what may be. */
function isComplete(filter: Json): boolean {
  if (!isObject(filter)) return false
  return Object.entries(filter).every(([key, asked]) => {
    if (key === 'and' || key === 'or') return Array.isArray(asked) && asked.length > 0 && asked.every(isComplete)
    if (key === 'not') return isComplete(asked)
    if (!isObject(asked)) return true
    const operations = Object.entries(asked)
    return operations.length > 0 && operations.every(([name, operand]) => !QUANTIFIERS.has(name) || isComplete(operand))
  })
}

const QUANTIFIERS: ReadonlySet<string> = new Set(['some', 'every', 'none'])

/** Queries with a part of the filter in the place of the whole. */
function raised({ filter, ...query }: JsonObject): JsonObject[] {
  const inner = (value: unknown): JsonObject[] => {
    if (Array.isArray(value)) return value
    return typeof value === 'object' && value !== null ? [value as JsonObject] : []
  }
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return []
  const parts = ['and', 'or', 'not'].flatMap((name) => inner(filter[name]))
  return parts.map((part) => ({ ...query, filter: part }))
}

/** The case with a step that the system might as well take, and without policies where it takes all of them. */
function bySystem(one: ReadingCase): ReadingCase[] {
  const isOpen = one.access !== undefined && one.steps.every(({ caller }) => caller === undefined)
  if (isOpen) return [{ ...one, access: undefined }]
  return one.steps.flatMap((step, index) => {
    return step.caller === undefined ? [] : [{ ...one, steps: one.steps.with(index, { ...step, caller: undefined }) }]
  })
}
