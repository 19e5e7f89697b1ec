import { type Fault, type ParameterProblem, shortened } from '../../errors.ts'
import type { Resource, SearchField } from '../../model/model.ts'
import { along, type Condition, EVERYTHING, not } from '../condition.ts'
import { scalarTypeOf } from '../scalar-type.ts'
import type { Scope } from '../scope.ts'
import { costOfWord } from './query-cost.ts'
import { queryProblem } from './query-problem.ts'
import { readValue } from './read-value.ts'

/** The most words of a search. */
const MOST_WORDS = 8

/** An index has no part of a text that is shorter. */
const LETTERS_OF_INDEX = 3

/**
 * Reads a search: each of its words occurs in one of the resource's search fields, of those that the caller may see. Adds a problem if it
 * is none.
 */
export function readSearch(resource: Resource, given: unknown, scope: Scope, problems: ParameterProblem[]): Condition {
  const { search } = resource
  if (search === undefined) {
    // The same words as for any other name that means nothing.
    const params = { additionalProperty: 'search' }
    problems.push(queryProblem('search', "there is no query parameter 'search'", 'additionalProperties', params))
    return EVERYTHING
  }
  const words = readWords(given)
  if ('problem' in words) {
    const { message, ...fault } = words.problem
    problems.push({ parameter: 'search', message: `search: ${message}`, ...fault })
    return EVERYTHING
  }
  const shown = search.fields.filter((field) => isShown(field, scope))
  const isFound = ({ value }: SearchField) => scope.findsParts && search.indexed.some((field) => field === value)
  if (shown.length === 0) return NOTHING
  const own = shown.filter((field) => field.relations.length === 0 && isFound(field))
  /** Words that an index finds in each field: of these together, the rarest one decides how many records are looked at. */
  const found: Condition[] = []
  const others: Condition[] = []
  for (const [index, word] of words.words.entries()) {
    scope.costs.push({ parameter: 'search', location: `search.${shortened(word)}`, cost: costOfWord(shown, index) })
    const isIndexed = own.length > 0 && [...word].length >= LETTERS_OF_INDEX
    const each = shown.map((field) => occursIn(field, word, isIndexed && own.includes(field)))
    if (!isIndexed) others.push({ kind: 'any', conditions: each })
    else if (own.length < shown.length) others.push({ kind: 'union', resource, conditions: each })
    else found.push({ kind: 'any', conditions: each })
  }
  if (found.length > 0) others.unshift({ kind: 'union', resource, conditions: [{ kind: 'all', conditions: found }] })
  return { kind: 'all', conditions: others }
}

function readWords(given: unknown): { readonly words: readonly string[] } | { readonly problem: Fault } {
  const read = readValue(given, 'string')
  if ('problem' in read) return read
  const words = String(read.value)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return { problem: { message: 'has no word', keyword: 'minItems', params: { limit: 1 } } }
  if (words.length <= MOST_WORDS) return { words: [...new Set(words)] }
  const message = `has more than ${MOST_WORDS} words, from '${shortened(words[MOST_WORDS] as string)}' on`
  return { problem: { message, keyword: 'maxItems', params: { limit: MOST_WORDS } } }
}

function isShown({ relations, value }: SearchField, { hidden, fieldRights, named }: Scope): boolean {
  for (const { target } of relations) named?.add(target)
  return fieldRights.sees(value) && !relations.some(({ target }) => hidden.has(target))
}

function occursIn({ relations, value }: SearchField, word: string, isFound: boolean): Condition {
  const operand = { kind: 'member', member: value, type: scalarTypeOf(value) } as const
  return along(relations, { kind: 'compare', operand, comparator: isFound ? 'occurs' : 'icontains', value: word })
}

const NOTHING: Condition = not(EVERYTHING)
