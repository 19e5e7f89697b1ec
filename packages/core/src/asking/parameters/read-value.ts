import type { Fault } from '../../errors.ts'
import type { IdKind } from '../../model/ids/id-kind.ts'
import { fieldCheck } from '../../model/values/field-check.ts'
import type { ScalarType } from '../scalar-type.ts'

/** A value as a query string spells it. What it means depends on the type that it is compared with. */
export class Spelling {
  readonly text: string
  /** The name of the parameter that has it. */
  readonly parameter: string

  constructor(text: string, parameter: string) {
    this.text = text
    this.parameter = parameter
  }
}

/** A value, or what is wrong with it. */
export type ReadValue = { readonly value: unknown } | { readonly problem: Fault }

/** Reads a value that values of the type are compared with. `ids`: the kind of the ids, where the type is `id`.
 * `format`: that of the text. */
export function readValue(given: unknown, type: ScalarType, ids?: IdKind, format?: WholeFormat): ReadValue {
  const read = readPlain(given instanceof Spelling ? spelled(given.text, type, ids) : given, type, ids, format)
  const text = given instanceof Spelling ? given.text : given
  if (!('problem' in read) || typeof text !== 'string' || !text.includes(' ')) return read
  const meant = readPlain(spelled(text.replaceAll(' ', '+'), type, ids), type, ids, format)
  return 'problem' in meant ? read : { problem: { ...read.problem, message: `${read.problem.message}${PLUS}` } }
}

/** A query string decodes a plus sign to a space. */
const PLUS = '; write a plus sign as %2B in a URL'

function readPlain(value: unknown, type: ScalarType, ids?: IdKind, format?: WholeFormat): ReadValue {
  switch (type) {
    case 'id': {
      const id = ids?.fromJson(value)
      if (id !== undefined) return { value: id }
      return { problem: { message: ids?.problem ?? 'must be an id', keyword: 'id', params: { type: ids?.name } } }
    }
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { problem: NOT_BOOLEAN }
    default: {
      const [found] = CHECKS[format ?? type](value)
      if (found === undefined) return { value }
      const { at: _, ...problem } = found
      return { problem }
    }
  }
}

const NOT_BOOLEAN: Fault = { message: 'must be true or false', keyword: 'type', params: { type: 'boolean' } }

const text = (format: string) => fieldCheck({ type: 'string', format }, format === 'date' ? 'date' : 'string')

/** Formats of texts that a column may have a type for, which takes nothing else. */
export const WHOLE_FORMATS = ['uuid', 'time', 'iso-time'] as const

export type WholeFormat = (typeof WHOLE_FORMATS)[number]

const CHECKS = {
  string: fieldCheck({ type: 'string' }, 'string'),
  decimal: text('decimal'),
  'date-time': text('date-time'),
  date: text('date'),
  duration: text('duration'),
  'date-time-range': text('date-time-range'),
  'date-range': text('date-range'),
  uuid: text('uuid'),
  time: text('time'),
  'iso-time': text('iso-time'),
  integer: fieldCheck({ type: 'integer' }, 'integer'),
  number: fieldCheck({ type: 'number' }, 'number'),
} as const

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A text that spells no value of the type stays a text, which fits none of these types. */
function spelled(given: string, type: ScalarType, ids: IdKind | undefined): unknown {
  switch (type) {
    case 'id':
      return ids?.schema.type === 'integer' && JSON_NUMBER.test(given) ? Number(given) : given
    case 'integer':
    case 'number':
      return JSON_NUMBER.test(given) ? Number(given) : given
    case 'boolean':
      return given === 'true' ? true : given === 'false' ? false : given
    default:
      return given
  }
}

/** The first text after all texts that begin with this one, by their code points; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(...points, last + 1 === FIRST_SURROGATE ? AFTER_SURROGATES : last + 1)
}

const LAST_CODE_POINT = 0x10ffff
const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000

/** A value of the wrong type. */
export function mustBe(type: string, message: string): Fault {
  return { message, keyword: 'type', params: { type } }
}
