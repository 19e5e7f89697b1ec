import type { TableLayout } from './layout/table-layout.ts'

/** Names as SQL: `"isbn", "title"`. */
export function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ')
}

/** A text as SQL: `'it''s'`. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A table's name as SQL. */
export function quotedTable({ schema, name }: Pick<TableLayout, 'schema' | 'name'>): string {
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`
}
