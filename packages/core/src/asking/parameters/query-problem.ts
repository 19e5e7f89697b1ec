import { type Fault, type ParameterProblem, shortened } from '../../errors.ts'
import { COUNT_PROBLEM, type Count, isCount } from '../scope.ts'
import { Spelling } from './read-value.ts'

/** Something that is wrong with a parameter of a query. The message begins with its name, or with the location in
 * it. */
export function queryProblem(
  parameter: string,
  message: string,
  keyword: string,
  params?: Fault['params'],
): ParameterProblem {
  return { parameter, message, keyword, ...(params && { params }) }
}

/** A path in a parameter that leads to nothing which the parameter could use. */
export function pathProblem(parameter: string, message: string, path: string): ParameterProblem {
  return queryProblem(parameter, message, 'path', { path: shortened(path) })
}

/** A name that occurs more than once in a list. */
export function occursTwice(parameter: string, name: string): ParameterProblem {
  return queryProblem(parameter, `${parameter}: '${shortened(name)}' occurs twice`, 'uniqueItems', {
    name: shortened(name),
  })
}

/** The parameter that a part of a filter in brackets came in; undefined if it is JSON. */
export function spelledIn(value: unknown): string | undefined {
  if (value instanceof Spelling) return value.parameter
  if (typeof value !== 'object' || value === null) return undefined
  for (const inner of Object.values(value)) {
    if (inner instanceof Spelling) return inner.parameter
    if (Array.isArray(inner) && inner[0] instanceof Spelling) return inner[0].parameter
  }
  return undefined
}

/** Reads a list of names. Adds a problem for each that is empty or occurs twice, and leaves it out. */
export function readNames(what: string, given: unknown, problems: ParameterProblem[]): readonly string[] {
  if (!Array.isArray(given) || !given.every((name): name is string => typeof name === 'string')) {
    problems.push(queryProblem(what, `${what}: must be a list of names`, 'type', { type: 'array' }))
    return []
  }
  const seen = new Set<string>()
  return given.filter((name) => {
    const isNew = !seen.has(name)
    seen.add(name)
    if (name === '') problems.push(queryProblem(what, `${what}: has an empty name`, 'minLength', { limit: 1 }))
    else if (!isNew) problems.push(occursTwice(what, name))
    return isNew && name !== ''
  })
}

/** Reads how to count. Adds a problem for what is no way to. */
export function readCount(given: unknown, byDefault: Count, problems: ParameterProblem[]): Count {
  if (given === undefined) return byDefault
  if (isCount(given)) return given
  problems.push(queryProblem('count', `count: ${COUNT_PROBLEM}`, 'count'))
  return 'none'
}
