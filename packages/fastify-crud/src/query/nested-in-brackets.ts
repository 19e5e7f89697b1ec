import type { Problem } from '@fastify-crud/core'
import { shortened } from '@fastify-crud/core/internal'
import { numberOrText } from './query-string.ts'

/** `nested[path][option]`. */
interface NestedBracket {
  readonly path: string
  readonly option: string
}

/** One option of a nested array. */
export interface BracketedNested extends NestedBracket {
  /** The whole name of the parameter. */
  readonly name: string
  readonly value: string
}

const BRACKETS = /^nested\[([^[\]]*)\]\[([^[\]]*)\]$/

/** What a parameter's name says; undefined if it says nothing of a nested array. */
export function nestedBracketOf(name: string): NestedBracket | undefined {
  const [, path, option] = BRACKETS.exec(name) ?? []
  return path === undefined || option === undefined ? undefined : { path, option }
}

/** What parameters say of nested arrays, as an object by their paths. Only the model tells what the options mean. */
export function nestedInBrackets(brackets: readonly BracketedNested[], problems: Problem[]): object {
  // Without a prototype, as `__proto__` is a name like any other here.
  const nested: Record<string, Record<string, unknown>> = Object.create(null)
  for (const { name, path, option, value } of brackets) {
    nested[path] ??= Object.create(null) as Record<string, unknown>
    nested[path][option] = option === 'filter' ? jsonFilterIn(name, value, problems) : optionIn(option, value)
  }
  return nested
}

function optionIn(option: string, value: string): unknown {
  if (option === 'sort') return value.split(',')
  return option === 'limit' ? numberOrText(value) : value
}

/** The filter in the value of a parameter; undefined if it is not JSON, which is a problem. */
export function jsonFilterIn(name: string, value: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(value)
  } catch {
    const parameter = shortened(name)
    const message = `${parameter}: is not JSON; in JSON it looks like {"price":{"gte":10}}`
    problems.push({ parameter, message, keyword: 'format', params: { format: 'json' } })
    return undefined
  }
}
