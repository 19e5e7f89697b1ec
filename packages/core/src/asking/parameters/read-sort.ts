import { type ParameterProblem, shortened } from '../../errors.ts'
import { idKindOf, idMembersOf } from '../../model/ids/short-id.ts'
import { isToMany, type Resource } from '../../model/model.ts'
import { isBytes, leadsToOne, type Operand, readPath } from '../operand.ts'
import { scalarTypeOf } from '../scalar-type.ts'
import { type Scope, whyIncomparable } from '../scope.ts'
import type { SortedBy, SortKey } from '../sort-key.ts'
import { costOfSortedCount, costOfSortedValue } from './query-cost.ts'
import { occursTwice, pathProblem, queryProblem } from './query-problem.ts'

/** The most keys of one sort. */
export const MOST_KEYS = 5

/** `lower(title)`, `count(tags)`: the word, and the text in parentheses. */
export const FUNCTION = /^(\w+)\((.*)\)$/s

/** Reads sort keys such as `-price`, `publisher.name`, `lower(title)` and `count(tags)`. Adds a problem for each thing
 * that is wrong. */
export function readSort(
  resource: Resource,
  keys: unknown,
  scope: Scope,
  problems: ParameterProblem[],
): readonly SortKey[] {
  if (!Array.isArray(keys)) {
    problems.push(queryProblem('sort', 'sort: must be a list of fields', 'type', { type: 'array' }))
    return []
  }
  if (keys.length > MOST_KEYS) {
    problems.push(queryProblem('sort', `sort: has more than ${MOST_KEYS} keys`, 'maxItems', { limit: MOST_KEYS }))
    return []
  }
  const seen = new Set<string>()
  return keys.flatMap((key: unknown) => {
    const text = typeof key === 'string' ? key : String(key)
    const isDescending = text.startsWith('-')
    const name = isDescending ? text.slice(1) : text
    if (seen.has(name)) problems.push(occursTwice('sort', name))
    seen.add(name)
    const by = readSortedBy(resource, name, scope)
    if (typeof by !== 'string') {
      scope.costs.push({ parameter: 'sort', location: `sort.${shortened(name)}`, cost: costOfSort(by) })
      return partsOfKey(by).map((part) => ({ by: part, isDescending }))
    }
    problems.push(pathProblem('sort', `sort: '${shortened(text)}': ${by}`, name))
    return []
  })
}

function costOfSort(by: SortedBy): number {
  if (by.kind === 'count') return costOfSortedCount(by.relations)
  return costOfSortedValue(by.relations, by.operand, by.isLowered)
}

/** An id of several parts is sorted by one after the other. */
function partsOfKey(by: SortedBy): readonly SortedBy[] {
  if (by.kind === 'count' || by.operand.kind !== 'id') return [by]
  const { resource, form } = by.operand
  if (idKindOf(resource, form).parts === undefined) return [by]
  return idMembersOf(resource, form).map((member): SortedBy => {
    if (member.kind !== 'ownedBy') return { ...by, operand: { kind: 'member', member, type: scalarTypeOf(member) } }
    const owner: Operand = { kind: 'id', resource: member.target, form: 'whole', type: 'id' }
    return { ...by, relations: [...by.relations, member], operand: owner }
  })
}

/** Returns a message if something is wrong. */
function readSortedBy(resource: Resource, text: string, scope: Scope): SortedBy | string {
  const [, word, argument] = FUNCTION.exec(text) ?? []
  if (word !== undefined && word !== 'lower' && word !== 'count')
    return `'${word}' is not a function; use lower(…) or count(…)`
  if (word === 'count') return readCounted(resource, argument ?? '', scope)
  const end = readPath(resource, argument ?? text, scope)
  if (typeof end === 'string') return end
  const { relations, operand } = end
  if (!leadsToOne(relations)) return SEVERAL
  if (operand === undefined) return 'names a record; name one of its fields'
  if (operand.type === undefined) return `is ${isBytes(operand) ? 'base64' : 'JSON'}, which has no order`
  if (word === 'lower' && operand.type !== 'string') return 'lower(…) needs a text'
  const incomparable = whyIncomparable(operand.type, scope)
  if (incomparable !== undefined) return incomparable
  return { kind: 'value', relations, operand, isLowered: word === 'lower' }
}

/** The argument of `count(…)`: a path to a relation. Returns a message if something is wrong. */
export function readCounted(
  resource: Resource,
  path: string,
  scope: Scope,
): Extract<SortedBy, { kind: 'count' }> | string {
  const end = readPath(resource, path, scope)
  if (typeof end === 'string') return end
  const { relations, operand } = end
  const counted = relations.at(-1)
  if (operand !== undefined || counted === undefined || !isToMany(counted))
    return 'count(…) needs a relation to several records'
  if (!leadsToOne(relations.slice(0, -1))) return 'leads through a relation to several records'
  return { kind: 'count', relations }
}

const SEVERAL = 'leads to several records; sort by their count(…)'
