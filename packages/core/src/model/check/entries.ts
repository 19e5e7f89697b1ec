import { isObject } from '../is-object.ts'
import { didYouMean } from './names.ts'

/** Says what is wrong with the value of an entry; undefined if nothing is. */
export type Kind = (value: unknown) => string | undefined

/** The entries that an object may have, each with its kind. */
export type Kinds<Name extends string = string> = Readonly<Record<Name, Kind>>

/** An entry of a name that does not exist, or with a value of another kind. */
export interface WrongEntry {
  readonly name: string
  readonly message: string
}

/** The words about an entry that an object cannot have: those before its name, or all. `hint` suggests another name. */
export type UnknownEntry = string | ((name: string, hint: string) => string)

/** What is wrong with the entries of an object: first those that it cannot have, then values of another kind. */
export function wrongEntries(given: object, kinds: Kinds, unknown: UnknownEntry): readonly WrongEntry[] {
  const misfits = Object.entries(kinds).flatMap(([name, kind]): readonly WrongEntry[] => {
    const message = kind((given as Readonly<Record<string, unknown>>)[name])
    return message === undefined ? [] : [{ name, message }]
  })
  return [...unknownIn(given, Object.keys(kinds), unknown), ...misfits]
}

/** The messages about entries that an object cannot have, where its values are looked at elsewhere. */
export function unknownEntries(given: object, known: readonly string[], unknown: UnknownEntry): string[] {
  return unknownIn(given, known, unknown).map(({ message }) => message)
}

function unknownIn(given: object, known: readonly string[], unknown: UnknownEntry): readonly WrongEntry[] {
  const names = Object.keys(given).filter((name) => !known.includes(name))
  const say = typeof unknown === 'string' ? (name: string, hint: string) => `${unknown} '${name}'${hint}` : unknown
  return names.map((name) => ({ name, message: say(name, didYouMean(name, known)) }))
}

/** What is checked elsewhere. */
export const anything: Kind = () => undefined

/** An entry that may be left out. */
export function optional(fits: (value: unknown) => boolean, problem: string): Kind {
  return (value) => (value === undefined || fits(value) ? undefined : problem)
}

/** An entry that must be there. */
export function required(fits: (value: unknown) => boolean, problem: string): Kind {
  return (value) => (fits(value) ? undefined : problem)
}

/** An entry that may be left out, or be one of these values. */
export function oneOf(values: readonly unknown[], problem: string): Kind {
  return optional((value) => values.includes(value), problem)
}

export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const isText = (value: unknown): boolean => typeof value === 'string'
export const isFilledText = (value: unknown): boolean => typeof value === 'string' && value !== ''

export const flag: Kind = oneOf([true, false], 'must be true or false')
export const trueOrLeftOut: Kind = oneOf([true], 'must be true, or be left out')
export const object: Kind = optional(isObject, 'must be an object')
