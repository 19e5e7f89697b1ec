import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isObject, type Json } from './json.ts'

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return false
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

FormatRegistry.Set('date', isDate)
FormatRegistry.Set('date-time', (text) => isDate(text.slice(0, 10)) && text[10] === 'T' && TIME.test(text.slice(11)))
FormatRegistry.Set('decimal', (text) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text))

/** Whether a value that is not null may stand in a field of this schema: it fits, and both databases can keep it. */
export function fits(schema: TSchema, value: Json): boolean {
  return Value.Check(schema, value) && canBeKept(value) && !(schema.type === 'integer' && !Number.isSafeInteger(value))
}

/** Text without U+0000 and lone surrogates, at any depth. */
export function canBeKept(value: Json): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000')
  if (Array.isArray(value)) return value.every(canBeKept)
  if (isObject(value)) return Object.entries(value).every(([key, item]) => canBeKept(key) && canBeKept(item))
  return true
}
