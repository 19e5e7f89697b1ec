import type { Making } from './fitting-value.ts'
import { HOSTILE_FILTERS, HOSTILE_NAMES, HOSTILE_OPERATORS, HOSTILE_VALUES } from './hostile-values.ts'
import { mutateBody } from './mutate-body.ts'
import type { QueryPairs } from './random-query.ts'

const OTHER_PAIRS: QueryPairs = [
  ['filter', '{}'],
  ['filter[id][gt]', '0'],
  ['sort', '-id'],
  ['fields', 'id'],
  ['limit', '2'],
  ['count', '1'],
]

/** The pairs with something in them that is changed: a name, an operator, a value, a pair more or less. They may still be right. */
export function mutateQuery(making: Making, pairs: QueryPairs): QueryPairs {
  const { random, marks } = making
  const at = random.int(pairs.length)
  const [key, value] = pairs[at] ?? ['filter', '{}']
  const instead = (...others: QueryPairs): QueryPairs => [...pairs.slice(0, at), ...others, ...pairs.slice(at + 1)]
  switch (random.int(9)) {
    case 0:
      return instead([key, textOf(random.pick(HOSTILE_VALUES))])
    case 1:
      return instead([key, value], [key, random.chance(0.5) ? value : (marks.known() ?? '')])
    case 2:
      return instead([renamed(making, key), value])
    case 3:
      return instead([key, renamed(making, value)])
    case 4:
      return instead([`${key.replace(/(?<=\])\[\w+\]$/, '')}[${random.pick(HOSTILE_OPERATORS)}]`, value])
    case 5:
      return [...pairs, random.pick(OTHER_PAIRS) ?? ['x', '1']]
    case 6:
      return [...pairs, ['filter', random.pick(HOSTILE_FILTERS) ?? '']]
    case 7:
      return instead([key, mutateJson(making, value)])
    default:
      return [...pairs, [`filter[${random.pick(making.vocabularies.all)}]`, marks.known() ?? '']]
  }
}

/** With another name in the place of one: of another resource, of a hidden field, or of nothing. */
function renamed({ random, vocabularies }: Making, text: string): string {
  const other = (random.chance(0.8) ? random.pick(vocabularies.all) : random.pick(HOSTILE_NAMES)) ?? ''
  const names = [...text.matchAll(/[a-z]\w*/gi)].filter(([name]) => vocabularies.all.includes(name))
  const found = random.pick(names)
  if (found === undefined) return other
  return `${text.slice(0, found.index)}${other}${text.slice(found.index + found[0].length)}`
}

function mutateJson({ random }: Making, text: string): string {
  if (!text.startsWith('{')) return text.slice(0, random.int(text.length))
  try {
    return JSON.stringify(mutateBody(random, JSON.parse(text)))
  } catch {
    return text.slice(1)
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(JSON.stringify(value))
}
