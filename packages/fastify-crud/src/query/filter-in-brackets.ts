import type { Problem } from '@fastify-crud/core'
import { Spelling, shortened } from '@fastify-crud/core/internal'
import { isRepeated, namesTwiceIn } from './query-string.ts'

/** `filter[path]` or `filter[path][operator]`. */
interface Bracket {
  readonly path: string
  readonly operator: string
  /** Each value of a list has a parameter of its own. */
  readonly isList: boolean
}

/** One condition of a filter that is spelled in brackets. */
export interface BracketedFilter extends Bracket {
  /** The whole name of the parameter. */
  readonly name: string
  readonly value: string
}

const BRACKETS = /^filter\[([^[\]]*)\](?:\[([^[\]]*)\])?$/

/** What a parameter's name says; undefined if it is no filter in brackets. */
export function bracketOf(name: string): Bracket | undefined {
  const [, path, operator = 'eq'] = BRACKETS.exec(name) ?? []
  return path === undefined ? undefined : { path, operator, isList: operator === 'in' || operator === 'nin' }
}

/** A filter in brackets, in the form of a JSON filter. Only the model tells what the texts of its values mean. */
export function filterInBrackets(brackets: readonly BracketedFilter[], problems: Problem[]): object {
  // Without a prototype, as `__proto__` is a name like any other here.
  const filter: Record<string, Record<string, unknown>> = Object.create(null)
  let repeated: ReadonlySet<string> | undefined
  for (const { name, path, operator, isList, value } of brackets) {
    filter[path] ??= Object.create(null) as Record<string, unknown>
    const operators = filter[path]
    const spelling = new Spelling(value, shortened(name))
    if (WORDS.includes(path)) {
      const message = `the query parameter '${shortened(name)}': 'and', 'or' and 'not' are only possible in a JSON filter`
      problems.push({ parameter: shortened(name), message, keyword: 'path', params: { path } })
    } else if (isList) {
      operators[operator] ??= []
      ;(operators[operator] as Spelling[]).push(spelling)
    } else if (operator in operators) {
      repeated ??= namesTwiceIn(brackets.map((one) => one.name))
      // `repeatedNames` tells of two equal names; these are `filter[price]` and `filter[price][eq]`.
      if (!repeated.has(name)) problems.push(isRepeated(name))
    } else {
      operators[operator] = spelling
    }
  }
  return filter
}

const WORDS: readonly string[] = ['and', 'or', 'not']
