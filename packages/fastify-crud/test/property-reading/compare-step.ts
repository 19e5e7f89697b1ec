import type { State } from '../property/reference-store.ts'
import type { Setting, Side } from '../property/side.ts'
import { type At, collectionOf, textOf } from './ask.ts'
import { compareOdd } from './compare-odd.ts'
import { comparePage, compareRecord } from './compare-pages.ts'
import { compareRefused } from './compare-refused.ts'
import { compareWalk } from './compare-walk.ts'
import { comparesDecimals } from './compares-decimals.ts'
import type { Feature } from './features.ts'
import type { Sight } from './filter-rows.ts'
import { isTooDeep, ReadingDifference } from './reading-difference.ts'
import type { ReadingModel } from './reading-model.ts'
import type { ReadingStep } from './reading-step.ts'
import { MOST_ROWS, rowsAskedFor } from './rows-asked-for.ts'

/** What answers are compared with. */
interface Comparing {
  readonly model: ReadingModel
  /** The records that the caller sees. */
  readonly state: State
  readonly setting: Setting
  readonly features: ReadonlySet<Feature>
}

/**
 * Asks both databases, and compares what they answer with what the caller sees of the records. Returns in a few words what
 * was answered.
 *
 * @throws ReadingDifference
 */
export async function compareStep(comparing: Comparing, sides: readonly Side[], step: ReadingStep): Promise<string> {
  const told: string[] = []
  const places = sides.map((side) => placeOn(side, comparing))
  if (step.is === 'odd') told.push(await unlessTooDeep(() => compareOdd(places, step)))
  else for (const at of places) told.push(await unlessTooDeep(() => compareOn(at, step)))
  const [first = ''] = told
  return `${step.is}${step.caller === undefined ? '' : ' by a caller'}: ${first}`
}

/** SQLite cannot follow every query that PostgreSQL follows, and says so. */
async function unlessTooDeep(compare: () => Promise<string>): Promise<string> {
  try {
    return await compare()
  } catch (error) {
    if (error instanceof ReadingDifference && isTooDeep(error)) return 'too deep for SQLite'
    throw error
  }
}

function placeOn(side: Side, { model, state, setting, features }: Comparing): At {
  const isOpened = side.name === 'postgres' || setting.kept
  const sight: Sight = { model, state, folding: isOpened ? 'simple' : 'ascii', keepsDottedI: side.name !== 'postgres' }
  return { side, sight, hasCursors: features.has('cursor'), hasDecimals: isOpened }
}

async function compareOn(at: At, step: Exclude<ReadingStep, { is: 'odd' }>): Promise<string> {
  if (step.is === 'broken') return compareRefused(at, step, step.text, step.names)
  const isRefused = !at.hasDecimals && comparesDecimals(at.sight, collectionOf(at.sight, step), step.query)
  if (isRefused) return compareRefused(at, step, textOf(at, step, step.query), 'decimal')
  const asked = step.is === 'record' ? { ...step.query, limit: 1 } : step.query
  const isTooMuch = rowsAskedFor(at.sight, collectionOf(at.sight, step), asked) > MOST_ROWS
  if (isTooMuch) return compareRefused(at, step, textOf(at, step, step.query), undefined, 'CRUD_ERR_TOO_LARGE')
  switch (step.is) {
    case 'page':
      return comparePage(at, step)
    case 'record':
      return compareRecord(at, step)
    case 'walk':
      return compareWalk(at, step)
  }
}
