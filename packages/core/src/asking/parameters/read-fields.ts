import { type ParameterProblem, shortened } from '../../errors.ts'
import type { Resource } from '../../model/model.ts'
import { MOST_RELATIONS } from '../../model/most-relations.ts'
import { memberNamed, relationNamed, unknownName } from '../operand.ts'
import { MOST_ADDED_LEVELS, MOST_PROBLEMS, type Scope, tooDeep } from '../scope.ts'
import { type ContentsDraft, isCarried, partBehind, topPart } from '../select/contents.ts'
import { costOfNames, costOfShownCount } from './query-cost.ts'
import { pathProblem } from './query-problem.ts'
import { readNames } from './read-names.ts'
import { FUNCTION, readCounted } from './read-sort.ts'

/** Reads names such as `title`, `publisher.name`, `chapters` and `count(tags)`. Adds a problem for each thing that is wrong. */
export function readFields(
  resource: Resource,
  fields: unknown,
  contents: ContentsDraft,
  scope: Scope,
  problems: ParameterProblem[],
): void {
  contents.values ??= new Set()
  const names = readNames('fields', fields, problems)
  scope.costs.push({ parameter: 'fields', location: `fields (${names.length} names)`, cost: costOfNames(names) })
  for (const name of names) {
    if (problems.length >= MOST_PROBLEMS) break
    const problem = readField(resource, name, contents, scope)
    if (problem !== undefined) problems.push(pathProblem('fields', `fields: '${shortened(name)}': ${problem}`, name))
  }
}

/** Returns a message if something is wrong. */
function readField(resource: Resource, text: string, contents: ContentsDraft, scope: Scope): string | undefined {
  const [, word, argument = ''] = FUNCTION.exec(text) ?? []
  if (word !== undefined) {
    if (word !== 'count') return `'${word}' is not count(…)`
    const counted = readCounted(resource, argument, scope)
    if (typeof counted === 'string') return counted
    scope.costs.push({ parameter: 'fields', location: `fields.${shortened(text)}`, cost: costOfShownCount() })
    contents.counts.set(text, counted)
    return undefined
  }
  const names = text.split('.')
  if (names.length > MOST_RELATIONS + 1) return `leads through more than ${MOST_RELATIONS} relations`
  let part = topPart(resource, contents)
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    const { resource: at, contents: draft, extent } = part
    const member = memberNamed(at, name, scope)
    if (isLast && ((name === 'id' && at.hasId) || member !== undefined)) {
      draft.values ??= new Set()
      if (member !== undefined) draft.values.add(member)
      return undefined
    }
    const relation = relationNamed(at, name, scope)
    if (relation === undefined)
      return member === undefined ? unknownName(at, name, scope) : `'${name}' is not a relation`
    if (index >= MOST_ADDED_LEVELS && !isCarried(relation, extent)) return tooDeep(name)
    draft.values ??= new Set()
    part = partBehind(part, relation)
  }
  return undefined
}
