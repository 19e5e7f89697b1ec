import { defineResources, field, knows, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { type TSchema, Type } from '@sinclair/typebox'

/** A source of choices that begins with a seed, so a failure can be repeated. */
export interface Choices {
  /** Below `most`. */
  number(most: number): number
  /** One time in `times`. */
  rarely(times: number): boolean
  among<T>(values: readonly T[]): T
}

export function choicesFrom(seed: number): Choices {
  let state = seed
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const number = (most: number) => Math.floor(next() * most)
  return {
    number,
    rarely: (times) => number(times) === 0,
    among: (values) => values[number(values.length)] as (typeof values)[number],
  }
}

const TYPES: Readonly<Record<string, { readonly schema: TSchema; readonly values: readonly unknown[] }>> = {
  text: { schema: Type.String(), values: ['', 'x', "it's;\n\\"] },
  short: { schema: Type.String({ maxLength: 20 }), values: ['a', 'bb'] },
  integer: { schema: Type.Integer(), values: [0, -1, 7] },
  number: { schema: Type.Number(), values: [0.5, -3] },
  boolean: { schema: Type.Boolean(), values: [true, false] },
  date: { schema: Type.String({ format: 'date' }), values: ['2026-01-31', '1999-12-01'] },
  moment: { schema: Type.String({ format: 'date-time' }), values: ['2026-01-31T12:00:00Z'] },
  json: { schema: Type.Any(), values: [{ a: [1, null] }, [], 'x'] },
  bytes: { schema: Type.String({ contentEncoding: 'base64' }), values: ['AP8=', ''] },
  decimal: { schema: Type.String({ format: 'decimal' }), values: ['1.50', '0'] },
  price: {
    schema: Type.String({ format: 'decimal', pattern: String.raw`^-?\d{1,8}(\.\d{1,2})?$` }),
    values: ['1.50', '-20.00'],
  },
  uuid: { schema: Type.String({ format: 'uuid' }), values: ['0190163d-8694-739b-aea5-966c26f8ad91'] },
  time: { schema: Type.String({ format: 'time' }), values: ['10:00:00Z', '10:00:00.5+02:00'] },
  timeOfDay: { schema: Type.String({ format: 'iso-time' }), values: ['10:00:00', '09:30:00.25'] },
}

/** Values for a body of a resource, by the fields' names. */
export type Values = Readonly<Record<string, readonly unknown[]>>

export interface RandomModel {
  readonly model: Model
  /** A text that shows it. */
  readonly shown: string
  /** By the resource. */
  readonly values: Readonly<Record<string, Values>>
}

/** Types of which an index can hold the values. */
const INDEXED = ['short', 'integer', 'number', 'boolean', 'date', 'moment', 'uuid']

/** Types that PostgreSQL has columns of their own for. A text may have been made earlier, or be wanted. */
const SPELLED = ['date', 'moment', 'decimal', 'price', 'uuid', 'time', 'timeOfDay']

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'se"mi;\n']

/** A small model, with names that others have, too. */
export function randomModel(choices: Choices): RandomModel {
  const values: Record<string, Values> = {}
  const shown: unknown[] = []
  const resource = (key: string, relations: Record<string, unknown>, foreignKeys: readonly string[]) => {
    const fields: Record<string, TSchema> = {}
    const own: Record<string, readonly unknown[]> = {}
    const indexed: string[] = []
    for (const name of NAMES) {
      if (choices.rarely(2)) continue
      // Mostly of the same type, so that many pairs of models can follow each other.
      const usual = Object.keys(TYPES)[NAMES.indexOf(name) * 2] as string
      const type = choices.rarely(5) ? choices.among(Object.keys(TYPES)) : usual
      const { schema, values: possible } = TYPES[type] as (typeof TYPES)[string]
      const isOptional = choices.rarely(2)
      const options = {
        ...(!isOptional && choices.rarely(2) && { default: choices.among(possible) }),
        ...(choices.rarely(4) && INDEXED.includes(type) && { index: true }),
        ...(SPELLED.includes(type) && choices.rarely(3) && { stored: 'text' }),
        ...(choices.rarely(6) && { was: choices.among(NAMES.filter((other) => other !== name)) }),
      }
      const given = isOptional ? Type.Optional(schema) : schema
      fields[name] = field(given, options as object) as unknown as TSchema
      own[name] = possible
      if (INDEXED.includes(type)) indexed.push(name)
      shown.push([key, name, type, isOptional ? 'optional' : 'required', options])
    }
    const unique = indexed.length > 0 && choices.rarely(3) ? [[choices.among(indexed), ...foreignKeys.slice(0, 1)]] : []
    shown.push([key, Object.entries(relations), unique])
    values[key] = own
    return { fields, relations, unique }
  }

  const isOptional = choices.rarely(2)
  const kind = choices.among(['none', 'knows', 'needs'])
  const hasChildren = choices.rarely(2)
  const hasLinks = choices.rarely(2)
  const bookRelations = {
    ...(kind === 'knows' && { author: knows.one('author') }),
    ...(kind === 'needs' && { author: needs.one('author', { optional: isOptional }) }),
    ...(hasChildren && { pages: owns.many('page') }),
    ...(hasLinks && { fans: knows.many('author', { through: 'fan' }) }),
  }
  const descriptors = {
    author: resource('author', {}, []),
    book: resource('book', bookRelations, kind === 'none' ? [] : ['author']),
    ...(hasChildren && { page: resource('page', { book: ownedBy('book') }, ['book']) }),
  }
  return { model: defineResources(descriptors as never) as Model, shown: JSON.stringify(shown), values }
}
