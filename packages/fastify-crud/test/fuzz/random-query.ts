import type { Making } from './fitting-value.ts'
import { fittingValue } from './fitting-value.ts'
import type { FuzzedOperation, QueryParameter } from './operations.ts'
import { randomBrackets, randomFilter } from './random-filter.ts'
import { randomCounted, randomPath, randomRelation } from './random-path.ts'

/** The keys and values of a query before they are encoded. */
export type QueryPairs = readonly (readonly [key: string, value: string])[]

/** A query of some parameters of the operation, which nearly always fits the document. */
export function randomQuery(making: Making, { query, answer }: FuzzedOperation): QueryPairs {
  const { random } = making
  const isList = query.some(({ name }) => name === 'after')
  // Most cursors come from these. All records of a list are often fewer than those of a page.
  if (isList && random.chance(0.2)) return smallPage(making, answer)
  // Both spellings of a filter at once are refused. There are many parameters in brackets.
  const [bracketed, others] = [query.filter(isInBrackets), query.filter((parameter) => !isInBrackets(parameter))]
  const chosen = others.filter(({ name }) => random.chance(name === 'after' || name === 'offset' ? 0.05 : 0.25))
  const isFiltered = chosen.some(({ name }) => name === 'filter')
  const inBrackets = random.some(
    bracketed.filter(({ name }) => !(isFiltered && name.startsWith('filter'))),
    random.pick([0, 0, 1, 2]) ?? 0,
  )
  const pairs = [...chosen, ...inBrackets].flatMap((parameter) => pairsOf(making, answer, parameter))
  if (!isFiltered && isList && random.chance(0.2)) pairs.push(...randomBrackets(making, ...randomPath(making, answer)))
  return withoutRepeated(pairs)
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

function isInBrackets({ style }: QueryParameter): boolean {
  return style === 'deepObject'
}

function pairsOf(making: Making, resource: string, { name, schema, style }: QueryParameter): [string, string][] {
  switch (style) {
    case 'json':
      return [[name, JSON.stringify(randomFilter(making, resource))]]
    case 'commas':
      return [[name, randomNames(making, resource, name)] as [string, string]].filter(([, names]) => names !== '')
    case 'deepObject': {
      const [, about = '', inner = ''] = /^(\w+)\[(.*)\]$/.exec(name) ?? []
      return about === 'filter' ? randomBrackets(making, inner, schema) : randomNested(making, resource, inner)
    }
    case 'plain':
      return [[name, String(fittingValue(making, schema, [name]))]]
  }
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
