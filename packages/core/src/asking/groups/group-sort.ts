import { type ParameterProblem, shortened } from '../../errors.ts'
import { didYouMean } from '../../model/check/suggest.ts'
import { occursTwice, pathProblem, queryProblem } from '../parameters/query-problem.ts'
import { readNames } from '../parameters/read-names.ts'
import { MOST_KEYS } from '../parameters/read-sort.ts'

/** What groups are sorted by: the key or the value with that index. */
export interface GroupSort {
  readonly by: 'key' | 'value'
  readonly index: number
  readonly isDescending: boolean
}

interface Named {
  readonly name: string
}

/** Reads sort keys such as `-sum(total)` and `status`. Adds a problem for each thing that is wrong. */
export function readGroupSort(
  given: unknown,
  { keys, values }: { readonly keys: readonly Named[]; readonly values: readonly Named[] },
  problems: ParameterProblem[],
): readonly GroupSort[] {
  const names = readNames('sort', given, problems)
  if (names.length > MOST_KEYS) {
    problems.push(queryProblem('sort', `sort: has more than ${MOST_KEYS} keys`, 'maxItems', { limit: MOST_KEYS }))
    return []
  }
  const seen = new Set<string>()
  return names.flatMap((text): readonly GroupSort[] => {
    const isDescending = text.startsWith('-')
    const name = isDescending ? text.slice(1) : text
    if (seen.has(name)) problems.push(occursTwice('sort', name))
    seen.add(name)
    const key = keys.findIndex((one) => one.name === name)
    const value = values.findIndex((one) => one.name === name)
    if (key !== -1) return [{ by: 'key', index: key, isDescending }]
    if (value !== -1) return [{ by: 'value', index: value, isDescending }]
    const known = [...keys, ...values].map((one) => one.name)
    const message = `sort: '${shortened(text)}': is not in 'by' or 'values'${didYouMean(name, known)}`
    problems.push(pathProblem('sort', message, name))
    return []
  })
}

export function groupSortShape(sort: readonly GroupSort[]): string {
  return sort.map(({ by, index, isDescending }) => `${isDescending ? '-' : ''}${by}${index}`).join()
}
