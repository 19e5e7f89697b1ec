import { type BodyProblem, type Fault, type Problem, withArticle } from '../../errors.ts'
import type { Id, IdKind } from '../../model/ids/id-kind.ts'
import type { Link, Owns, Resource } from '../../model/model.ts'
import { LongNumber } from '../../model/values/long-number.ts'
import { pointerStep } from '../../problem.ts'

/** For programs: what is there is no object. */
export const AN_OBJECT = { keyword: 'type', params: { type: 'object' } } as const

/** For programs: null is there, where a value has to be. JSON Schema has no keyword for it: `type` says what may be
 * there. */
export const NOT_NULL = { keyword: 'notNull' } as const

/** The problem of an object that lacks a property. */
export function lacks(parent: string, name: string): BodyProblem {
  const params = { missingProperty: name }
  return { pointer: pointerTo(parent, name), message: 'is required', keyword: 'required', params }
}

/** A value that should be an id, and is none. */
export function notAnId({ problem, name }: IdKind): Fault {
  return { message: problem, keyword: 'id', params: { type: name } }
}

/** An id that names no record which the client may know of. */
export function noSuchRecord({ key }: Resource, id: Id): Fault {
  return unknownRecord(`there is no ${key} ${id}`, key)
}

/** An id that names no record which may be there. `resource`: the key of the record's resource. */
export function unknownRecord(message: string, resource: string): Fault {
  return { message, keyword: 'reference', params: { resource } }
}

/** A body takes away the one record that its owner must have. */
export function missesOne({ source }: Owns, pointer: string): Problem {
  return { pointer, message: `must not be null: ${withArticle(source.key)} must have one`, ...NOT_NULL }
}

/** A body leaves none of the records that are needed. */
export function missesAny({ source, target }: Link, pointer: string): Problem {
  const message = `must not be empty: ${withArticle(source.key)} needs at least one ${target.key}`
  return { pointer, message, keyword: 'minItems', params: { limit: 1 } }
}

/** How much one body may hold. */
export interface BodyLimits {
  /** Array elements in the whole body. */
  readonly maxItems: number
  /** Objects and arrays inside each other. */
  readonly maxDepth: number
}

/** Says that there is a number somewhere in a body that JSON has, and that JavaScript would round: a bigint of the
 * application, too. */
export const HOLDS_LONG_NUMBERS: unique symbol = Symbol('holds long numbers')

/** The problem of a body that is beyond the limits, or what else a look at all of it shows. Does not recurse, so a deep
 * body cannot overflow the stack. */
export function checkSize(body: unknown, limits: BodyLimits): Problem | typeof HOLDS_LONG_NUMBERS | undefined {
  if (!holdsValues(body)) return isLong(body) ? HOLDS_LONG_NUMBERS : undefined
  let hasLong = false
  let items = 0
  let level: object[] = [body]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limits.maxDepth) {
      const message = `is nested more than ${limits.maxDepth} levels deep`
      return { pointer: '', message, keyword: 'maxDepth', params: { limit: limits.maxDepth } }
    }
    const next: object[] = []
    for (const value of level) {
      if (Array.isArray(value)) {
        items += value.length
        for (const inner of value) {
          if (holdsValues(inner)) next.push(inner)
          else if (isLong(inner)) hasLong = true
        }
      } else {
        for (const name in value) {
          const inner = (value as Readonly<Record<string, unknown>>)[name]
          if (holdsValues(inner)) next.push(inner)
          else if (isLong(inner)) hasLong = true
        }
      }
      if (items > limits.maxItems) {
        const message = `has more than ${limits.maxItems} array elements`
        return { pointer: '', message, keyword: 'maxItems', params: { limit: limits.maxItems } }
      }
    }
    level = next
  }
  return hasLong ? HOLDS_LONG_NUMBERS : undefined
}

/** An object or an array. */
function holdsValues(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof LongNumber)
}

function isLong(value: unknown): boolean {
  return typeof value === 'bigint' || value instanceof LongNumber
}

/** The JSON pointer (RFC 6901) to a property or element of what another one points to. */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${typeof step === 'string' ? pointerStep(step) : step}`
}
