import { kindOf } from '../model/field-kinds.ts'
import type { Schema } from '../model/model.ts'
import { shortText, textOf } from '../model/value-text.ts'

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
  const shown = shortText(text)
  if (link === undefined)
    return <span title={kind === 'date-time' ? String(value) : undefined}>{shown === '' ? '“”' : shown}</span>
  return (
    <a href={link} target="_blank" rel="noopener noreferrer">
      {shown}
    </a>
  )
}
