import type { ParameterProblem } from '../../errors.ts'
import { occursTwice, queryProblem } from './query-problem.ts'

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
