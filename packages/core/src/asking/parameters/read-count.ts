import type { ParameterProblem } from '../../errors.ts'
import { COUNT_PROBLEM, type Count, isCount } from '../count.ts'
import { queryProblem } from './query-problem.ts'

/** Reads how to count. Adds a problem for what is no way to. */
export function readCount(given: unknown, byDefault: Count, problems: ParameterProblem[]): Count {
  if (given === undefined) return byDefault
  if (isCount(given)) return given
  problems.push(queryProblem('count', `count: ${COUNT_PROBLEM}`, 'count'))
  return 'none'
}
