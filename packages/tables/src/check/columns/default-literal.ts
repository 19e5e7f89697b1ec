import type { DatabaseName } from '@fastify-crud/core/internal'
import { type ColumnLayout, isIdColumn } from '../../layout/table-layout.ts'
import { quotedText } from '../../quoted-names.ts'

/** The default of a column's field as SQL; undefined if it has none, or if the column spells it in a way of its own. */
export function defaultLiteral(column: ColumnLayout, database: DatabaseName): string | undefined {
  if (isIdColumn(column) || column.default === undefined || column.stored !== undefined) return undefined
  const { kind, default: value } = column
  if (kind === 'bytes') {
    const hex = Buffer.from(String(value), 'base64').toString('hex')
    return database === 'sqlite' ? `x'${hex}'` : `decode('${hex}', 'hex')`
  }
  if (kind !== 'json' && typeof value !== 'string') return String(value)
  return quotedText(kind === 'json' ? JSON.stringify(value) : String(value))
}
