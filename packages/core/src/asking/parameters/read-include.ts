import { type ParameterProblem, shortened, withArticle } from '../../errors.ts'
import type { Resource } from '../../model/model.ts'
import { memberNamed, relationNamed, unknownName } from '../operand.ts'
import { MOST_ADDED_LEVELS, MOST_PROBLEMS, type Scope, tooDeep } from '../scope.ts'
import { type ContentsDraft, isCarried, partBehind, topPart } from '../select/contents.ts'
import { pathProblem } from './query-problem.ts'
import { readNames } from './read-names.ts'

/** Reads relations such as `books.tags`, and with `-` those to leave out. Adds a problem for each thing that is wrong. */
export function readInclude(
  resource: Resource,
  include: unknown,
  contents: ContentsDraft,
  scope: Scope,
  problems: ParameterProblem[],
): void {
  const names = readNames('include', include, problems)
  // What is left out comes last: it must not be asked for elsewhere.
  for (const isLeftOut of [false, true]) {
    for (const name of names.filter((one) => one.startsWith('-') === isLeftOut)) {
      if (problems.length >= MOST_PROBLEMS) return
      const path = isLeftOut ? name.slice(1) : name
      const problem = path === '' ? 'names no relation' : readRelation(resource, path, isLeftOut, contents, scope)
      if (problem !== undefined)
        problems.push(pathProblem('include', `include: '${shortened(name)}': ${problem}`, path))
    }
  }
}

/** Returns a message if something is wrong. */
function readRelation(
  resource: Resource,
  path: string,
  isLeftOut: boolean,
  contents: ContentsDraft,
  scope: Scope,
): string | undefined {
  const names = path.split('.')
  let part = topPart(resource, contents)
  for (const [index, name] of names.entries()) {
    const { resource: at, contents: draft, extent } = part
    const relation = relationNamed(at, name, scope)
    if (relation === undefined)
      return memberNamed(at, name, scope)
        ? `'${name}' is a field; fields are named in 'fields'`
        : unknownName(at, name, scope)
    if (index === MOST_ADDED_LEVELS) return tooDeep(name)
    if (isLeftOut && index === names.length - 1) {
      if (!isCarried(relation, extent)) return `${withArticle(at.key)} does not contain it by default here`
      if (draft.related.has(relation)) return 'the query asks for it elsewhere'
      draft.leftOut.add(relation)
      return undefined
    }
    if (draft.leftOut.has(relation)) return 'the query leaves it out elsewhere'
    part = partBehind(part, relation)
  }
  return undefined
}
