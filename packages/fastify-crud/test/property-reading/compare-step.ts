import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, own } from '../property/json.ts'
import { ownsAt, resourceAt } from '../property/reference-path.ts'
import type { State } from '../property/reference-store.ts'
import { pathOf, type Setting, type Side, type SideAnswer } from '../property/side.ts'
import { comparesDecimals } from './compares-decimals.ts'
import type { Feature } from './features.ts'
import type { Sight } from './filter-rows.ts'
import { queryText } from './query-text.ts'
import { ReadingDifference } from './reading-difference.ts'
import type { ReadingModel } from './reading-model.ts'
import type { ReadingStep } from './reading-step.ts'
import { type Collection, type ExpectedPage, pageOf, recordAt, recordsOf } from './reference-list.ts'
import { MOST_ROWS, rowsAskedFor } from './rows-asked-for.ts'

/** What answers are compared with. */
interface Comparing {
  readonly model: ReadingModel
  /** What the caller sees of the records. */
  readonly seen: State
  readonly setting: Setting
  readonly features: ReadonlySet<Feature>
}

interface At {
  readonly side: Side
  readonly sight: Sight
  /** Pages tell where the next one begins. */
  readonly hasCursors: boolean
  /** Decimals can be compared. */
  readonly hasDecimals: boolean
}

/**
 * Asks both databases, and compares what they answer with what the caller sees of the records. Returns in a few words what
 * was answered.
 *
 * @throws ReadingDifference
 */
export async function compareStep(comparing: Comparing, sides: readonly Side[], step: ReadingStep): Promise<string> {
  const told: string[] = []
  if (step.is === 'odd') told.push(await compareOdd(comparing, sides, step))
  else for (const side of sides) told.push(await compareOn(placeOn(side, comparing), step))
  const [first = ''] = told
  return `${step.is}${step.caller === undefined ? '' : ' by a caller'}: ${first}`
}

function placeOn(side: Side, { model, seen, setting, features }: Comparing): At {
  const isOpened = side.name === 'postgres' || setting.kept
  const sight: Sight = { model, state: seen, folding: isOpened ? 'simple' : 'ascii' }
  return { side, sight, hasCursors: features.has('cursor'), hasDecimals: isOpened }
}

async function compareOn(at: At, step: Exclude<ReadingStep, { is: 'odd' }>): Promise<string> {
  if (step.is === 'broken') return compareRefused(at, step, step.text, step.names)
  const isRefused = !at.hasDecimals && comparesDecimals(at.sight, collectionOf(at.sight, step), step.query)
  if (isRefused) return compareRefused(at, step, queryText(step.query), 'decimal')
  const isTooMuch = step.is !== 'record' && rowsAskedFor(at.sight, collectionOf(at.sight, step), step.query) > MOST_ROWS
  if (isTooMuch) return compareRefused(at, step, queryText(step.query), undefined, 'CRUD_ERR_TOO_LARGE')
  switch (step.is) {
    case 'page':
      return comparePage(at, step)
    case 'record':
      return compareRecord(at, step)
    case 'walk':
      return compareWalk(at, step)
  }
}

function pathAt({ side, sight: { model } }: At, { address }: ReadingStep): string {
  return pathOf(model.records, address, side.ids)
}

/** The records that a step asks about. */
export function collectionOf({ model: { records } }: Sight, { address }: ReadingStep): Collection {
  const resource = resourceAt(records, address).key
  const last = address.owners.at(-1)
  if (last === undefined) return { resource, owner: undefined }
  const owner = resourceAt(records, { owners: address.owners.slice(0, -1), segment: last.segment })
  return { resource, owner: { relation: ownsAt(owner, address.segment).inverse, id: Number(last.id) } }
}

async function comparePage(at: At, step: ReadingStep & { is: 'page' }): Promise<string> {
  const { side, sight } = at
  const expected = pageOf(sight, collectionOf(sight, step), step.query)
  const answer = await side.request('GET', pathAt(at, step) + queryText(step.query), undefined, step.caller)
  const body = pageIn(side, answer)
  comparePages(at, expected, body)
  return expected.rows.length === 0 ? 'nothing' : expected.hasNext ? 'some' : 'the last ones'
}

async function compareRecord(at: At, step: ReadingStep & { is: 'record' }): Promise<string> {
  const { side, sight } = at
  const expected = recordAt(sight, collectionOf(sight, step).resource, Number(step.address.id), step.query)
  const answer = await side.request('GET', pathAt(at, step) + queryText(step.query), undefined, step.caller)
  if (answer.status !== 200) throw new ReadingDifference(side, 'expected 200')
  if (!isDeepStrictEqual(answer.body, expected)) {
    throw new ReadingDifference(side, `expected the record ${JSON.stringify(expected)}`)
  }
  return 'found'
}

interface Page {
  readonly [name: string]: Json
  readonly rows: Json[]
}

function pageIn(side: Side, { status, body = null }: SideAnswer): Page {
  if (status !== 200) throw new ReadingDifference(side, `expected 200`)
  const rows = isObject(body) ? own(body, 'rows') : undefined
  if (!isObject(body) || !Array.isArray(rows)) throw new ReadingDifference(side, 'expected rows')
  return { ...body, rows }
}

function comparePages({ side, hasCursors }: At, { rows, count, hasNext }: ExpectedPage, page: Page): void {
  const { rows: found, next = null, ...others } = page
  compareRows(side, rows, found)
  if (!isDeepStrictEqual(others, count)) {
    throw new ReadingDifference(side, `expected ${JSON.stringify(count)} beside the rows and next`)
  }
  if (hasCursors && hasNext !== (typeof next === 'string'))
    throw new ReadingDifference(side, `expected next: ${hasNext}`)
}

function compareRows(side: Side, expected: readonly Json[], found: readonly Json[]): void {
  if (isDeepStrictEqual(expected, found)) return
  const [wanted, got] = [idsOf(expected), idsOf(found)]
  const isSame = isDeepStrictEqual(wanted, got)
  const difference = expected.find((one, index) => !isDeepStrictEqual(one, found[index]))
  const told = isSame ? `the record ${JSON.stringify(difference)}` : `the ids ${wanted.join(', ')}`
  throw new ReadingDifference(side, `expected ${told}`)
}

function idsOf(rows: readonly Json[]): Json[] {
  return rows.map((row) => (isObject(row) ? (row.id ?? null) : null))
}

/** Every record comes once, in order, on whichever page; each page but the last is full. */
async function compareWalk(at: At, step: ReadingStep & { is: 'walk' }): Promise<string> {
  const { side, sight } = at
  const { query } = step
  const { limit = 20 } = query
  const expected = recordsOf(sight, collectionOf(sight, step), query)
  const path = pathAt(at, step)
  const text = queryText(query)
  let cursor: string | undefined
  for (let start = 0; ; start += limit) {
    const after = cursor === undefined ? '' : `${text === '' ? '?' : '&'}after=${encodeURIComponent(cursor)}`
    const page = pageIn(side, await side.request('GET', path + text + after, undefined, step.caller))
    const isCounted = query.count !== undefined || cursor === undefined
    const first = pageOf(sight, collectionOf(sight, step), { ...query, count: query.count ?? 'exact' })
    const rows = expected.slice(start, start + limit)
    const hasNext = expected.length > start + limit
    comparePages(at, { rows, count: isCounted ? first.count : {}, hasNext }, page)
    if (!hasNext) return start === 0 ? 'one page' : 'several pages'
    cursor = String(page.next)
  }
}

async function compareRefused(
  at: At,
  step: ReadingStep,
  text: string,
  names: string | undefined,
  code = 'CRUD_ERR_INVALID',
): Promise<string> {
  const { side } = at
  const { status, body = null } = await side.request('GET', pathAt(at, step) + text, undefined, step.caller)
  if (status !== 400) throw new ReadingDifference(side, 'expected 400')
  if (!isObject(body) || body.code !== code) throw new ReadingDifference(side, `expected ${code}`)
  if (names !== undefined && !JSON.stringify(body).includes(names)) {
    throw new ReadingDifference(side, `expected that the refusal names ${names}`)
  }
  return 'refused'
}

/** What the page does not speak of is the same on both databases, and no error of the server. */
async function compareOdd(
  { model: { records }, setting: { kept } }: Comparing,
  sides: readonly Side[],
  { address, caller, text }: ReadingStep & { is: 'odd' },
): Promise<string> {
  const answers = await Promise.all(
    sides.map(async (side) => {
      const answer = await side.request('GET', pathOf(records, address, side.ids) + text, undefined, caller)
      if (answer.status !== 200 && answer.status !== 400) throw new ReadingDifference(side, 'expected 200 or 400')
      return answer
    }),
  )
  const [one, other] = answers
  const [side] = sides
  const isSame = one?.status === other?.status && isDeepStrictEqual(one?.body, other?.body)
  // Only what `openSqlite` opens has all of the functions.
  if (side !== undefined && kept && !isSame) {
    throw new ReadingDifference(
      side,
      `expected as on ${sides[1]?.name}: ${other?.status} ${JSON.stringify(other?.body)}`,
    )
  }
  return String(one?.status)
}
