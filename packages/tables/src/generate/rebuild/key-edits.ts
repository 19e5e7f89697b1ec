import type { Edit } from '../change.ts'
import { type Cut, cutKeys, type GoneKeys } from './cut-keys.ts'
import { occursOnce, partsOf } from './table-texts.ts'

/** The edits of a `CREATE TABLE`, and those that undo them. */
export interface EditsBothWays {
  readonly up: readonly Edit[]
  readonly down: readonly Edit[]
}

/** Takes keys out of a `CREATE TABLE`, and adds others at its end; undefined where it says the keys in a way of its own. */
export function keyEdits(createTable: string, gone: GoneKeys, added: readonly string[]): EditsBothWays | undefined {
  const cuts = partsOf(createTable).flatMap((part) => cutKeys(part, gone) ?? [])
  const missing = cuts.reduce((count, { keys }) => count - keys, gone.count)
  if (missing !== 0) return undefined
  const edits = cuts.map((cut) => editsOf(createTable, cut))
  if (edits.some((edit) => edit === undefined)) return undefined
  const all = [...(edits as readonly TwoEdits[]), ...added.map(addedAtEnd)]
  const ways = { up: all.map(({ up }) => up), down: all.map(({ down }) => down).reverse() }
  const changed = applied(createTable, ways.up)
  return changed === undefined || applied(changed, ways.down) === undefined ? undefined : ways
}

interface TwoEdits {
  readonly up: Edit
  readonly down: Edit
}

function addedAtEnd(text: string): TwoEdits {
  return { up: { from: '', to: text }, down: { from: text, to: '' } }
}

function editsOf(createTable: string, { text, left }: Cut): TwoEdits | undefined {
  if (left === '') return { up: { from: text, to: '' }, down: { from: '', to: text } }
  // With the comma or bracket before it, as one column may be the end of another one.
  const [place, another] = [...createTable.matchAll(/[(,]\s*/g)].filter(({ 0: before, index }) =>
    createTable.startsWith(text, index + before.length),
  )
  if (place === undefined || another !== undefined) return undefined
  const [from, to] = [place[0] + text, place[0] + left]
  return { up: { from, to }, down: { from: to, to: from } }
}

/** The text behind the edits; undefined where the place of one is not certain. The migration does the same. */
function applied(createTable: string, edits: readonly Edit[]): string | undefined {
  let text = createTable
  for (const { from, to } of edits) {
    if (from === '') {
      const end = text.lastIndexOf(')')
      text = `${text.slice(0, end)}, ${to}${text.slice(end)}`
    } else {
      if (!occursOnce(text, from)) return undefined
      const [before = '', after = ''] = text.split(from)
      text = (to === '' ? before.replace(/,\s*$/, '') : before + to) + after
    }
  }
  return text
}
