import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, own } from '../property/json.ts'
import type { Side, SideAnswer } from '../property/side.ts'
import { spelledOn } from '../property/spelled-on.ts'
import { type At, ask, askInBody, bodyOf, collectionOf, textOf } from './ask.ts'
import { ReadingDifference } from './reading-difference.ts'
import type { ReadingStep } from './reading-step.ts'
import { type ExpectedPage, pageOf, recordAt } from './reference-list.ts'

/** A long query in a body has the answer of the GET. */
export async function comparePage(at: At, step: ReadingStep & { is: 'page' }): Promise<string> {
  const { side, sight } = at
  const expected = pageOf(sight, collectionOf(sight, step), step.query)
  const answer = await ask(at, step, textOf(at, step, step.query))
  const body = pageIn(side, answer)
  comparePages(at, expected, body)
  const { status, body: inBody } = await askInBody(at, step, bodyOf(at, step, step.query))
  if (status !== 200 || !isDeepStrictEqual(inBody, answer.body))
    throw new ReadingDifference(side, 'expected what the GET has answered')
  return expected.rows.length === 0 ? 'nothing' : expected.hasNext ? 'some' : 'the last ones'
}

export async function compareRecord(at: At, step: ReadingStep & { is: 'record' }): Promise<string> {
  const { side, sight } = at
  const record = recordAt(sight, collectionOf(sight, step).resource, Number(step.address.id), step.query)
  const expected = spelledOn(side.name, record)
  const answer = await ask(at, step, textOf(at, step, step.query))
  if (answer.status !== 200) throw new ReadingDifference(side, 'expected 200')
  if (!isDeepStrictEqual(answer.body, expected)) {
    throw new ReadingDifference(side, `expected the record ${JSON.stringify(expected)}`)
  }
  return 'found'
}

/** What a list answers. */
export interface Page {
  readonly [name: string]: Json
  readonly rows: Json[]
}

/** @throws ReadingDifference if the answer is no page. */
export function pageIn(side: Side, { status, body = null }: SideAnswer): Page {
  if (status !== 200) throw new ReadingDifference(side, `expected 200`)
  const rows = isObject(body) ? own(body, 'rows') : undefined
  if (!isObject(body) || !Array.isArray(rows)) throw new ReadingDifference(side, 'expected rows')
  return { ...body, rows }
}

/** @throws ReadingDifference if the page is not the expected one. */
export function comparePages({ side, hasCursors }: At, { rows, count, hasNext }: ExpectedPage, page: Page): void {
  const { rows: found, next = null, ...others } = page
  compareRows(
    side,
    rows.map((row) => spelledOn(side.name, row)),
    found,
  )
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
  const told = isSame ? `this record: ${JSON.stringify(difference)}` : `these records: ${wanted.join(', ')}`
  throw new ReadingDifference(side, `expected ${told}`)
}

function idsOf(rows: readonly Json[]): Json[] {
  return rows.map((row) => (isObject(row) ? (row.id ?? null) : null))
}
