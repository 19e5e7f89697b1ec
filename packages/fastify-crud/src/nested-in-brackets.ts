import type { Problem } from '@fastify-crud/core'
import { shortened } from '@fastify-crud/core/internal'
import { jsonFilterIn } from './json-filter-in.ts'

/** `nested[path][option]`. */
export interface NestedBracket {
  readonly path: string
  readonly option: string
}

const BRACKETS = /^nested\[([^[\]]*)\]\[([^[\]]*)\]$/

/** What a parameter's name says; undefined if it says nothing of a nested array. */
export function nestedBracketOf(name: string): NestedBracket | undefined {
  const [, path, option] = BRACKETS.exec(name) ?? []
  return path === undefined || option === undefined ? undefined : { path, option }
}

/** What parameters say of nested arrays, in its JSON form. What the options mean, only the model tells. */
export function nestedInBrackets(
  brackets: readonly (NestedBracket & { readonly name: string; readonly value: string })[],
  problems: Problem[],
): object {
  // Without a prototype, as `__proto__` is a name like any other here.
  const nested: Record<string, Record<string, unknown>> = Object.create(null)
  for (const { name, path, option, value } of brackets) {
    nested[path] ??= Object.create(null) as Record<string, unknown>
    nested[path][option] =
      option === 'filter' ? jsonFilterIn(shortened(name), value, problems) : optionIn(option, value)
  }
  return nested
}

const DIGITS = /^[0-9]{1,15}$/

function optionIn(option: string, value: string): unknown {
  if (option === 'sort') return value.split(',')
  return option === 'limit' && DIGITS.test(value) ? Number(value) : value
}
