import { type At, ask, collectionOf, textOf } from './ask.ts'
import { comparePages, pageIn } from './compare-pages.ts'
import { compareRefused } from './compare-refused.ts'
import { textOfPairs } from './query-text.ts'
import { ReadingDifference } from './reading-difference.ts'
import type { ReadingStep } from './reading-step.ts'
import { pageOf, recordsOf } from './reference-list.ts'

type Walk = ReadingStep & { is: 'walk' }

/** Every record comes once, in order, on whichever page; each page but the last is full. */
export async function compareWalk(at: At, step: Walk): Promise<string> {
  const { side, sight } = at
  const { query } = step
  const { limit = 20 } = query
  const expected = recordsOf(sight, collectionOf(sight, step), query)
  const text = textOf(at, step, query)
  let cursor: string | undefined
  for (let start = 0; ; start += limit) {
    const page = pageIn(side, await ask(at, step, cursor === undefined ? text : withPair(text, 'after', cursor)))
    const isCounted = query.count !== undefined || cursor === undefined
    const first = pageOf(sight, collectionOf(sight, step), { ...query, count: query.count ?? 'exact' })
    const rows = expected.slice(start, start + limit)
    const hasNext = expected.length > start + limit
    comparePages(at, { rows, count: isCounted ? first.count : {}, hasNext }, page)
    if (!hasNext) return start === 0 ? 'one page' : 'several pages'
    cursor = String(page.next)
    if (start === 0) await compareSpoilt(at, step, cursor)
  }
}

/** A cursor goes with its own query only, and one that is spoilt is no error of the server. */
async function compareSpoilt(at: At, step: Walk, cursor: string): Promise<void> {
  const { query, spoilt } = step
  const text = textOf(at, step, query)
  await compareRefused(at, step, withPair(withPair(text, 'after', cursor), 'offset', '1'), undefined)
  const otherwise = { ...query, sort: query.sort?.at(-1) === '-id' ? ['id'] : ['-id'] }
  await compareRefused(at, step, withPair(textOf(at, step, otherwise), 'after', cursor), undefined)
  const place = spoilt % cursor.length
  const other = cursor.slice(0, place) + String.fromCharCode(65 + (spoilt % 26)) + cursor.slice(place + (spoilt % 3))
  const { status } = await ask(at, step, withPair(text, 'after', other))
  if (status !== 200 && status !== 400) throw new ReadingDifference(at.side, 'expected 200 or 400 for a spoilt cursor')
}

function withPair(text: string, name: string, value: string): string {
  const pair = textOfPairs([[name, value]])
  return text === '' ? pair : text + pair.replace('?', '&')
}
