import { fittingValue, type Making } from './fitting-value.ts'
import type { FuzzedOperation, QueryParameter } from './operations.ts'
import { randomBrackets, randomFilter } from './random-filter.ts'
import { randomCounted, randomPath, randomRelation } from './random-path.ts'

/** The keys and values of a query before they are encoded. */
export type QueryPairs = readonly (readonly [key: string, value: string])[]

/** A query of some parameters of the operation, which nearly always fits the document. */
export function randomQuery(making: Making, { query, answer, template }: FuzzedOperation): QueryPairs {
  const { random } = making
  if (template.endsWith('/$group')) return groupQuery(making, answer)
  if (template.includes('/$history')) return template.endsWith('/$history') ? historyQuery(making) : []
  // Nothing else goes with a moment. Mostly it is one of which the history has told.
  if (query.some(({ name }) => name === 'at') && random.chance(0.4)) return [['at', String(making.ids.at('at'))]]
  const isList = query.some(({ name }) => name === 'after')
  // Most cursors come from these. All records of a list are often fewer than those of a page.
  if (isList && random.chance(0.2)) return smallPage(making, answer)
  const chosen = query.filter(({ name, style }) => {
    return style !== 'brackets' && random.chance(name === 'after' || name === 'offset' ? 0.05 : 0.25)
  })
  const pairs = chosen.flatMap((parameter) => pairsOf(making, answer, parameter))
  // Both spellings of a filter at once are refused.
  const isFiltered = chosen.some(({ name }) => name === 'filter')
  if (!isFiltered && isList) pairs.push(...someBrackets(making, answer))
  const nested = query.flatMap(({ name }) => /^nested\[(\w+)\]\[limit\]$/.exec(name)?.[1] ?? [])
  const one = random.chance(0.2) ? random.pick(nested) : undefined
  if (one !== undefined) pairs.push(...randomNested(making, answer, one))
  return withoutRepeated(pairs)
}

function someBrackets(making: Making, resource: string): [string, string][] {
  const count = making.random.pick([0, 0, 1, 2]) ?? 0
  const pairs = Array.from({ length: count }, () => randomBrackets(making, ...randomPath(making, resource))).flat()
  const isRange = (key: string) => key.endsWith('[in]') || key.endsWith('[nin]')
  // One value for each key, but for lists.
  return pairs.filter(([key], index) => isRange(key) || pairs.findIndex(([other]) => other === key) === index)
}

const GROUP_VALUES = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max']

function groupQuery(making: Making, resource: string): QueryPairs {
  const { random } = making
  const path = () => randomPath(making, resource, 'one')[0]
  const some = (most: number, make: () => string) => [...new Set(Array.from({ length: random.int(most + 1) }, make))]
  const by = some(2, () => (random.chance(0.1) ? `month(${path()})` : path()))
  const values = ['count()', ...some(2, () => `${random.pick(GROUP_VALUES)}(${path()})`)]
  const sort = random.some([...by, ...values], 2).map((name) => (random.chance(0.5) ? `-${name}` : name))
  const having = JSON.stringify({
    [random.pick(values) ?? 'count()']: { [random.pick(['gte', 'lt', 'ne']) ?? 'gte']: random.int(3) },
  })
  return [
    ...(by.length > 0 ? [['by', by.join()] as const] : []),
    ['values', values.join()],
    ...(sort.length > 0 ? [['sort', sort.join()] as const] : []),
    ...(random.chance(0.2) ? [['having', having] as const] : []),
    ...(random.chance(0.2) ? [['limit', String(1 + random.int(5))] as const] : []),
    ...(random.chance(0.3)
      ? [['filter', JSON.stringify(randomFilter(making, resource))] as const]
      : someBrackets(making, resource)),
  ]
}

function historyQuery({ random, ids }: Making): QueryPairs {
  const kinds: QueryPairs[] = [
    [],
    [['limit', String(1 + random.int(3))]],
    [['filter[operation]', random.pick(['patch', 'create,undo', 'replace,delete']) ?? '']],
    [[`filter[at][${random.pick(['gte', 'lt'])}]`, String(ids.at('at'))]],
    [['after', String(random.int(200))]],
  ]
  return random.pick(kinds) ?? []
}

function smallPage(making: Making, resource: string): QueryPairs {
  const limit = String(1 + making.random.int(3))
  return [
    ['limit', limit],
    ['sort', randomNames(making, resource, 'sort')],
  ]
}

/** With the names of all `include` in one. */
function withoutRepeated(pairs: QueryPairs): QueryPairs {
  const included = pairs.filter(([key]) => key === 'include').flatMap(([, names]) => names.split(','))
  const others = pairs.filter(([key]) => key !== 'include')
  return included.length === 0 ? others : [['include', [...new Set(included)].join()], ...others]
}

function pairsOf(making: Making, resource: string, { name, schema, style }: QueryParameter): [string, string][] {
  switch (style) {
    case 'json':
      return [[name, JSON.stringify(randomFilter(making, resource))]]
    case 'names':
      return [[name, randomNames(making, resource, name)] as [string, string]].filter(([, names]) => names !== '')
    case 'brackets':
      return []
    case 'value':
      return [[name, name === 'search' ? randomSearch(making) : String(fittingValue(making, schema, [name]))]]
  }
}

/** Words that somebody has written, or parts of these. */
function randomSearch({ random, marks }: Making): string {
  const words = Array.from({ length: 1 + random.int(3) }, () => {
    const word = marks.known() ?? 'open'
    return random.chance(0.5) ? word : word.slice(random.int(3), 3 + random.int(word.length))
  })
  return words.filter((word) => word !== '').join(' ') || 'open'
}

/** What `sort`, `fields` or `include` takes; empty if the resource has nothing of the kind. */
function randomNames(making: Making, resource: string, about: string): string {
  const { random } = making
  const names = Array.from({ length: random.pick([1, 1, 2, 3]) ?? 1 }, () => randomName(making, resource, about))
  return [...new Set(names.filter((name) => name !== undefined))].join()
}

function randomName(making: Making, resource: string, about: string): string | undefined {
  const { random } = making
  const sign = about !== 'fields' && random.chance(about === 'sort' ? 0.4 : 0.15) ? '-' : ''
  const kind = about === 'include' ? 1 : random.int(6)
  if (about === 'sort' && kind === 1) return `${sign}lower(${randomPath(making, resource, 'one')[0]})`
  const inner = kind === 0 ? randomCounted(making, resource) : kind === 1 ? randomRelation(making, resource) : undefined
  if (inner !== undefined) return kind === 0 ? `${sign}count(${inner})` : `${sign}${inner}`
  if (about === 'include') return undefined
  return `${sign}${randomPath(making, resource, about === 'sort' ? 'one' : 'any')[0]}`
}

/** Which records an array has that is in the record, or that the query includes. */
function randomNested(making: Making, resource: string, name: string): [string, string][] {
  const { random, vocabularies } = making
  const to = vocabularies.of(resource).relations.find((relation) => relation.name === name)?.to ?? resource
  const values: [string, string][] = [
    ['limit', String(1 + random.int(5))],
    ['sort', randomNames(making, to, 'sort')],
    ['filter', JSON.stringify(randomFilter(making, to))],
  ]
  const pairs = random.some(values, 3).map(([key, value]): [string, string] => [`nested[${name}][${key}]`, value])
  return random.chance(0.7) ? [['include', name], ...pairs] : pairs
}

/** The texts between `&`, which are as valid as the pairs. */
export function inUrl({ random }: Pick<Making, 'random'>, pairs: QueryPairs): string[] {
  return pairs.map(([key, value]) => {
    const name = random.chance(0.5) ? encodeURIComponent(key.toWellFormed()) : encodeURI(key.toWellFormed())
    return `${name}=${encodeURIComponent(value.toWellFormed())}`
  })
}
