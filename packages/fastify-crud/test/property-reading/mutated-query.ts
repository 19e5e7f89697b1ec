import { isObject, type Json, type JsonObject } from '../property/json.ts'
import type { Tape } from '../property/tape.ts'
import { pairsOf, textOfPairs } from './query-text.ts'
import type { ReadingResource } from './reading-model.ts'
import type { ReadingQuery } from './reading-query.ts'

const SCRAPS: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  '',
  'x',
  'a\u0000',
  '\ud800',
  '2024-01-01',
  '1.0',
  [],
  [null],
  ['a', 1],
  {},
  { null: true },
  { eq: 'a' },
  { ne: 1 },
  { in: [] },
  { gt: '0', lt: 9 },
  { some: {} },
  { none: { id: 1 } },
  'x'.repeat(2000),
]

const KEYS = [
  'and',
  'or',
  'not',
  'some',
  'every',
  'none',
  'eq',
  'in',
  'nin',
  'lt',
  'contains',
  'has',
  'null',
  'id',
  '',
  '.',
  'toString',
]
const CHARACTERS = [...'%+&=[]{}"\\,.:-()0eE \u0000é😀', '%00', '%ff', '[eq]', 'null', '..']

/**
 * A valid query that somebody has spoilt: with a filter of which parts are others, or a text of which characters are. Some of them are
 * valid still.
 */
export function mutatedQuery(query: ReadingQuery, resource: ReadingResource, tape: Tape): string {
  const { filter, spelling: _, ...others } = query
  if (filter === undefined || tape.once(3)) return mutatedText(textOfPairs(pairsOf(query)), tape)
  const keys = [...KEYS, ...resource.fields.map(({ name }) => name), ...resource.relations.map(({ name }) => name)]
  const mutated = mutatedJson(filter, tape, keys)
  return textOfPairs([['filter', JSON.stringify(mutated)], ...pairsOf(others)])
}

function mutatedText(text: string, tape: Tape): string {
  let mutated = text === '' ? '?' : text
  for (let count = 1 + tape.upTo(3); count > 0; count -= 1) {
    const at = 1 + tape.upTo(mutated.length)
    const length = tape.upTo(3)
    const between = tape.once(4) ? mutated.slice(at, at + 8) : (tape.of(CHARACTERS) ?? '')
    mutated = mutated.slice(0, at) + between + mutated.slice(at + length)
  }
  // What a client cannot send at all is encoded.
  return mutated.toWellFormed().replaceAll(/[^\x21-\x7e]|#/gu, (character) => encodeURIComponent(character))
}

/** One part of a value is another, or has another name. */
function mutatedJson(value: Json, tape: Tape, keys: readonly string[]): Json {
  const isDeeper = tape.upTo(4) > 0
  if (Array.isArray(value) && value.length > 0 && isDeeper) {
    const index = tape.upTo(value.length)
    const item = value[index] ?? null
    return value.with(index, mutatedJson(item, tape, keys))
  }
  const entries = isObject(value) ? Object.entries(value) : []
  if (entries.length > 0 && isDeeper) {
    const index = tape.upTo(entries.length)
    const [name, item] = entries[index] ?? ['id', 1]
    const changed: [string, Json] = tape.once(3)
      ? [otherName(name, tape, keys), item]
      : [name, mutatedJson(item, tape, keys)]
    return Object.fromEntries(entries.with(index, changed)) as JsonObject
  }
  return tape.of(SCRAPS) ?? null
}

function otherName(name: string, tape: Tape, keys: readonly string[]): string {
  const other = tape.of(keys) ?? ''
  return tape.once(3) ? `${name}.${other}` : other
}
