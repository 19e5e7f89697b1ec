import type { FieldKind } from './field-kinds.ts'

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** The text of a value, as tables and links have it. Null is undefined. */
export function textOf(value: unknown, kind: FieldKind): string | undefined {
  if (value === null || value === undefined) return undefined
  if (kind === 'boolean') return value ? 'yes' : 'no'
  if (kind === 'date' && typeof value === 'string') return formatted(dates, `${value}T00:00:00Z`) ?? value
  if (kind === 'date-time' && typeof value === 'string') return formatted(moments, value) ?? value
  if (kind === 'bytes' && typeof value === 'string') return `${Math.floor((value.length * 3) / 4)} bytes`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function formatted(format: Intl.DateTimeFormat, value: string): string | undefined {
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? undefined : format.format(moment)
}
