import type { Resource } from '@fastify-crud/core/internal'

type Field = Resource['fields'][number]

/** The n-th value that a field can have, another one for each n. */
export function nthValue({ schema, name }: Field, n: number, type: string | undefined): unknown {
  return valueOfSchema(schema, name, n, type)
}

/** Texts of types that do not take every text. */
const TYPED: Readonly<Record<string, (n: number) => string>> = {
  // As a text, it always has a mask.
  inet: (n) => `10.0.0.${n + 1}/32`,
  // Its scale is that of the currency.
  money: (n) => `${n}.50`,
  hstore: (n) => `"a"=>"${n}"`,
  int4range: (n) => `[${n},${n + 5})`,
  nummultirange: (n) => `{[${n},${n + 5})}`,
}

const FORMATS: Readonly<Record<string, (n: number) => string>> = {
  'date-time': (n) => `2026-01-0${n + 1}T12:00:00Z`,
  date: (n) => `2026-01-0${n + 1}`,
  'iso-time': (n) => `0${n}:30:00`,
  time: (n) => `0${n}:30:00Z`,
  duration: (n) => `P${n + 1}D`,
  'date-time-range': (n) => `["2026-01-0${n + 1}T12:00:00Z",)`,
  'date-range': (n) => `[2026-01-0${n + 1},)`,
  uuid: (n) => `7f1de3f0-3c0b-4f5e-9d0a-2f9d6c1b8a1${n}`,
}

function valueOfSchema(schema: Field['schema'], name: string, n: number, type: string | undefined): unknown {
  const branches = schema.anyOf as readonly Field['schema'][] | undefined
  const constants = branches?.flatMap((branch) => ('const' in branch ? [branch.const] : []))
  if (constants !== undefined && constants.length > 0) return constants[n % constants.length]
  if (branches !== undefined) return valueOfSchema(branches[0] as Field['schema'], name, n, type)
  if ('const' in schema) return schema.const
  switch (schema.type) {
    case 'integer':
      return n + 1
    case 'number':
      return n + 0.5
    case 'boolean':
      return n % 2 === 0
    case 'array':
      return [valueOfSchema(schema.items as Field['schema'], name, n, undefined), null]
    case 'string':
      return textOf(schema, name, n, type)
    default:
      return { [name]: [n, null] }
  }
}

function textOf(
  { format, maxLength, pattern, contentEncoding }: Field['schema'],
  name: string,
  n: number,
  type = '',
): string {
  if (contentEncoding === 'base64') return Buffer.from([n, 255]).toString('base64')
  const typed = TYPED[type]
  if (typed !== undefined) return typed(n)
  if (format === 'decimal') return decimalOf(String(pattern ?? ''), n)
  const ofFormat = FORMATS[String(format)]
  if (ofFormat !== undefined) return ofFormat(n)
  const text = `${n}${name}`
  return typeof maxLength === 'number' ? text.slice(0, maxLength) : text
}

/** As the column prints it, with all digits of its scale. */
function decimalOf(pattern: string, n: number): string {
  const scale = Number(/\\\.\\d\{1,(\d+)\}/.exec(pattern)?.[1] ?? 0)
  return scale === 0 ? String(n) : `${n}.${'5'.padEnd(scale, '0')}`
}
