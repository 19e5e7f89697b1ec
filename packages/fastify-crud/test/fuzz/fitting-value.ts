import type { JsonSchema } from '@fastify-crud/core/internal'
import type { OpenApiDocument } from '@fastify-crud/openapi'
import fc from 'fast-check'
import type { Random } from '../../../../test/storm/random.ts'
import type { KnownIds } from './known-ids.ts'
import type { MarkMaker } from './marks.ts'
import { resolve } from './operations.ts'
import type { Vocabularies } from './vocabulary.ts'

/** What values are made with. */
export interface Making {
  readonly document: OpenApiDocument
  readonly random: Random
  readonly ids: KnownIds
  readonly marks: MarkMaker
  readonly vocabularies: Vocabularies
  /** Whom the request is sent for. */
  readonly org: string
}

// The last one is too long for a cursor.
const WORDS = [
  'a',
  'b',
  'lid',
  'Jar',
  '',
  ' ',
  "it's",
  'ä€𝄞',
  '"',
  '\\',
  '%_',
  '$1',
  '1',
  'null',
  'x'.repeat(300),
  'ü'.repeat(300),
]
const DEEPEST = 6

/** A random value that fits the schema, or nearly always does; `place`: the names of the properties that it stands in. */
export function fittingValue(making: Making, given: JsonSchema, place: readonly string[] = []): unknown {
  const { document, random } = making
  const schema = resolve(document, given)
  const name = place.at(-1) ?? ''
  // What is written for others is mostly refused, and finds little.
  if (name === 'org' && random.chance(0.6)) return making.org
  if ('const' in schema) return schema.const
  const options = schema.anyOf ?? schema.oneOf
  if (Array.isArray(options)) return fittingValue(making, random.pick(options) as JsonSchema, place)
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map((part) => resolve(document, part as JsonSchema))
    const required = [schema, ...parts].flatMap((part) => (part.required ?? []) as string[])
    return fittingValue(making, { ...Object.assign({}, ...parts), required }, place)
  }
  if (Array.isArray(schema.enum)) return random.pick(schema.enum)
  const types = [schema.type ?? ['null', 'boolean', 'number', 'string', 'array', 'object']].flat() as string[]
  const type = place.length >= DEEPEST && types.includes('null') ? 'null' : random.pick(types)
  switch (type) {
    case 'null':
      return null
    case 'boolean':
      return random.chance(0.5)
    case 'integer':
      return idAt(making, place) ?? integer(schema, random)
    case 'number':
      return random.pick([0, 1.5, 1e21, 5e-324, 123456789.125, 7])
    case 'string':
      // A client gives some ids. Those that are there are taken.
      if (name === 'id' && schema.pattern !== undefined && random.chance(0.3)) return `ü ${random.int(1_000)}`
      return idAt(making, place) ?? text(making, schema, place)
    case 'array':
      return list(making, schema, place)
    default:
      return object(making, schema, place)
  }
}

/** An id, where a property of that name has one. */
function idAt({ ids }: Making, place: readonly string[]): number | string | undefined {
  const name = place.at(-1) ?? ''
  if (name === 'id' || name === '$before') return ids.at(`${place.at(-2) ?? ''}/id`)
  return name.endsWith('Id') ? ids.at(name) : undefined
}

function integer({ minimum = -5, maximum = 5 }: JsonSchema, random: Random): number {
  if (random.chance(0.2)) return random.pick([minimum, Math.min(Number(maximum), 2_147_483_648)].map(Number)) ?? 0
  return Number(minimum) + random.int(10)
}

function text({ random, marks, org }: Making, schema: JsonSchema, place: readonly string[]): string {
  const two = () => String(1 + random.int(28)).padStart(2, '0')
  if (schema.format === 'date') return `20${two()}-0${1 + random.int(9)}-${two()}`
  if (schema.format === 'date-time') return `20${two()}-11-${two()}T10:11:12.5Z`
  if (schema.format === 'decimal') return `${random.int(100)}.${two()}`
  if (typeof schema.pattern === 'string') {
    const [sample] = fc.sample(fc.stringMatching(new RegExp(schema.pattern)), { seed: random.int(2 ** 31), numRuns: 1 })
    return sample ?? ''
  }
  const words = WORDS.filter((word) => word.length >= Number(schema.minLength ?? 0))
  const mark = random.chance(0.1) ? undefined : marks.at(place, org)
  return `${mark === undefined ? '' : `${mark} `}${random.pick(words)}`
}

function list(making: Making, { items = {}, minItems = 0 }: JsonSchema, place: readonly string[]): unknown[] {
  const most = place.length >= DEEPEST ? 0 : making.random.pick([0, 1, 1, 2, 3])
  const length = Math.max(Number(minItems), most ?? 0)
  return Array.from({ length }, () => fittingValue(making, items as JsonSchema, place))
}

function object(making: Making, schema: JsonSchema, place: readonly string[]): Record<string, unknown> {
  const { random } = making
  const required = (schema.required ?? []) as readonly string[]
  const share = place.length >= DEEPEST ? 0 : random.pick([0.1, 0.3, 0.8])
  const entries = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => required.includes(name) || random.chance(share ?? 0))
    .map(([name, value]) => [name, fittingValue(making, value, [...place, name])])
  const inner = Object.values((schema.patternProperties ?? {}) as Record<string, JsonSchema>)[0]
  if (inner !== undefined) entries.push([`k${random.int(3)}`, fittingValue(making, inner, [...place, 'k'])])
  return Object.fromEntries(entries)
}
