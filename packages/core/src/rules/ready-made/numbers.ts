import { isFunction, type Kinds, optional, wrongEntries } from '../../model/check/entries.ts'
import { didYouMean } from '../../model/check/names.ts'
import { isObject } from '../../model/is-object.ts'
import type { Resource } from '../../model/model.ts'
import type { NumberedMember, NumbersStart, SetInput } from '../rule-set.ts'
import type { ReadyMadeRule } from './ready-made-rule.ts'

/** A value that tells groups of rows apart: that of a field or foreign key, or what a function returns. */
export type NumbersGroup = string | ((input: SetInput) => string | number | boolean | null)

export interface NumbersOptions {
  /** Each group of rows that differ in one of these has numbers of its own. Default: all rows are one group. In a model
   * with tenants, each tenant has its own groups. */
  readonly per?: readonly NumbersGroup[]
  /** The first number of a group, or a function that finds it, for a table that has rows already. Default: 1. */
  readonly start?: number | ((input: NumbersStart) => number | bigint | Promise<number | bigint>)
  /** What the field has of a number. Default: the number. */
  // biome-ignore lint/suspicious/noExplicitAny: a rule may be for several resources
  readonly format?: (number: number, row: Readonly<Record<string, any>>) => unknown
}

/** The fields and foreign keys that options name. */
type NamesIn<O> = O extends { readonly per: readonly (infer Group)[] } ? Extract<Group, string> : never

/** What the field has of a number. */
type ValueIn<O> = O extends { readonly format: (...given: never[]) => infer Value } ? Value : number

const OPTIONS: Kinds<keyof NumbersOptions> = {
  per: optional(Array.isArray, "'per' must be a list, such as ['series']"),
  start: optional(
    (start) => isFunction(start) || Number.isSafeInteger(start),
    "'start' must be an integer, or a function that returns one",
  ),
  format: optional(isFunction, "'format' must be a function"),
}

/**
 * A rule that gives each new row the next number of its group, without gaps and doubles. The field is read-only in
 * bodies.
 *
 * A row of the table `crud_numbers` counts for each group. A write locks it until it ends, so the writes of one group
 * wait for each other.
 *
 * @example
 * const rules = { invoice: numbers('number', { per: [({ now }) => now.getUTCFullYear(), 'series'] }) }
 */
export function numbers<const F extends string>(name: F): ReadyMadeRule<{ [N in F]: unknown }, { [N in F]: number }>
export function numbers<const F extends string, const O extends NumbersOptions>(
  name: F,
  options: O,
): ReadyMadeRule<{ [N in F | NamesIn<O>]: unknown }, { [N in F]: ValueIn<O> }>
export function numbers(name: string, given: NumbersOptions = {}): ReadyMadeRule<never, object> {
  return Object.freeze({
    partsFor(resource, problems) {
      const ofRule: string[] = []
      checkField(resource, name, given, ofRule)
      if (isObject(given)) checkNumbersOptions(resource, given, ofRule)
      else ofRule.push("must have an object of options, such as { per: ['series'] }")
      problems.push(...ofRule.map((problem) => `numbers: ${problem}`))
      return ofRule.length > 0 ? {} : { numbered: [numberedMember(name, given)] }
    },
  } satisfies ReadyMadeRule)
}

function numberedMember(property: string, { per = [], start = 1, format }: NumbersOptions): NumberedMember {
  return {
    property,
    seriesOf: (input) => per.map((part) => (typeof part === 'function' ? part(input) : input.row[part])),
    start,
    format: (number, { row }) => (format === undefined ? number : format(number, row)),
  }
}

function checkField({ key, fields }: Resource, name: string, { format }: NumbersOptions, problems: string[]): void {
  const field = fields.find((one) => one.name === name)
  if (field === undefined) {
    problems.push(`${key} has no field '${name}'${didYouMean(name, fields)}`)
  } else if (format === undefined && field.check(1).length > 0) {
    problems.push(`'${name}' does not accept numbers: say by 'format' what it has of a number`)
  }
}

function checkNumbersOptions(resource: Resource, given: NumbersOptions, problems: string[]): void {
  const there = Object.keys(OPTIONS).join(', ')
  const unknown = (name: string, hint: string) => `there is no option '${name}'${hint}; there are ${there}`
  problems.push(...wrongEntries(given, OPTIONS, unknown).map(({ message }) => message))
  if (Array.isArray(given.per)) for (const part of given.per) checkGroup(resource, part, problems)
}

function checkGroup({ key, members, references, ownedBy }: Resource, part: unknown, problems: string[]): void {
  if (typeof part === 'function') return
  const known = members.map(({ property }) => property)
  if (typeof part !== 'string') problems.push("'per' must have names of fields, and functions")
  else if (ownedBy.some(({ foreignKey }) => foreignKey === part)) {
    problems.push(`'${part}' is the foreign key of the owner of the ${key}, and the id of a new owner is not known yet`)
  } else if (!known.includes(part)) {
    const reference = references.find(({ name }) => name === part)
    const hint = reference ? `: name its foreign key, '${reference.foreignKey}'` : didYouMean(part, known)
    problems.push(
      reference ? `'${part}' is a relation of ${key}${hint}` : `${key} has no field or foreign key '${part}'${hint}`,
    )
  }
}
