import { type FieldKind, kindOf } from '../model/field-kinds.ts'
import type { Schema } from '../model/model.ts'

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

/** Only these become links: a value may be `javascript:…`. */
export function linkOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^(?:https?|mailto):/i.test(value)) return undefined
  return URL.canParse(value) ? value : undefined
}

interface ValueProps {
  readonly value: unknown
  readonly schema: Schema | undefined
}

export function Value({ value, schema }: ValueProps) {
  const kind = schema === undefined ? 'json' : kindOf(schema)
  const text = textOf(value, kind)
  if (text === undefined) return <span className="none">—</span>
  const link = linkOf(value)
  const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text
  if (link === undefined)
    return <span title={kind === 'date-time' ? String(value) : undefined}>{shown === '' ? '“”' : shown}</span>
  return (
    <a href={link} target="_blank" rel="noopener noreferrer">
      {shown}
    </a>
  )
}
