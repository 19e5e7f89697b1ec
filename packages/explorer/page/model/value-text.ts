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
  return typeof value === 'object' ? jsonOf(value) : String(value)
}

/** For what is nested so deeply that it has no JSON: it is not there for a reader either. */
export const UNSHOWABLE = '…'

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return UNSHOWABLE
  }
}

/** As much of a text as names and messages have. */
export const shortText = (text: string, longest = 300): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text

function formatted(format: Intl.DateTimeFormat, value: string): string | undefined {
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? undefined : format.format(moment)
}
