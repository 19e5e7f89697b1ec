import { keyColumns, NUMBER, searchNames, wordsColumn } from '@fastify-crud/core/internal'
import type { FoundSearches, FoundTable } from '../catalogs/found-tables.ts'
import type { TableLayout } from '../layout/table-layout.ts'
import { quoted } from '../quoted-names.ts'

/** SQLite: the index by which the rows of a table are searched, in tables of its own. */
export interface SearchTable {
  readonly table: TableLayout
  /** The statements that create its parts, by their names in lower case. */
  readonly parts: ReadonlyMap<string, string>
  /** The statements that fill it from the rows that are there. */
  readonly fill: readonly string[]
}

function searchTable(table: TableLayout): SearchTable {
  const { name, searched, searchKey } = table
  const { words, rows, triggers } = searchNames(name)
  const keys = keyColumns(searchKey)
  const texts = searched.map(wordsColumn)
  const [wordsTable, rowsTable, number] = [quoted(words), quoted(rows), quoted(NUMBER)]
  const ofRow = (row: string, columns: readonly string[]) => columns.map((one) => `${row}.${quoted(one)}`).join(', ')
  // The plus takes the type away from the column, which SQLite would give to the key: then no index would serve.
  const isRow = (row: string, numbered = '') =>
    keys
      .map((key, position) => `${numbered}${quoted(key)} = +${row}.${quoted(searchKey[position] as string)}`)
      .join(' AND ')
  // FTS5 has no copy of the texts, so it has to be told those that go.
  const add = (row: string) =>
    `INSERT INTO ${wordsTable} (rowid, ${quoted(...texts)}) SELECT ${number}, ${ofRow(row, searched)} FROM ${rowsTable} WHERE ${isRow(row)};`
  const remove = `INSERT INTO ${wordsTable} (${wordsTable}, rowid, ${quoted(...texts)}) SELECT 'delete', ${number}, ${ofRow('old', searched)} FROM ${rowsTable} WHERE ${isRow('old')};`
  const addRow = `INSERT INTO ${rowsTable} (${quoted(...keys)}) VALUES (${ofRow('new', searchKey)}) ON CONFLICT DO NOTHING;`
  const trigger = (trigger: string, event: string, steps: readonly string[]) =>
    `CREATE TRIGGER ${quoted(trigger)} AFTER ${event} BEGIN ${steps.join(' ')} END`
  const changed = [...new Set([...searchKey, ...searched])]
  const isOther = changed.map((one) => `old.${quoted(one)} IS NOT new.${quoted(one)}`).join(' OR ')
  const moved = keys.map((key, position) => `${quoted(key)} = new.${quoted(searchKey[position] as string)}`).join(', ')
  const parts = new Map([
    [
      rows,
      `CREATE TABLE ${rowsTable} (${number} INTEGER PRIMARY KEY, ${quoted(...keys)}, UNIQUE (${quoted(...keys)}))`,
    ],
    [words, `CREATE VIRTUAL TABLE ${wordsTable} USING fts5(${quoted(...texts)}, content='', tokenize='trigram')`],
    [triggers.insert, trigger(triggers.insert, `INSERT ON ${quoted(name)}`, [addRow, add('new')])],
    [
      triggers.delete,
      trigger(triggers.delete, `DELETE ON ${quoted(name)}`, [
        remove,
        `DELETE FROM ${rowsTable} WHERE ${isRow('old')};`,
      ]),
    ],
    [
      triggers.update,
      trigger(triggers.update, `UPDATE OF ${quoted(...changed)} ON ${quoted(name)} WHEN ${isOther}`, [
        remove,
        `UPDATE ${rowsTable} SET ${moved} WHERE ${isRow('old')};`,
        add('new'),
      ]),
    ],
  ])
  const all = quoted(name)
  return {
    table,
    parts: new Map([...parts].map(([part, statement]) => [part.toLowerCase(), statement])),
    fill: [
      `INSERT INTO ${rowsTable} (${quoted(...keys)}) SELECT ${quoted(...searchKey)} FROM ${all}`,
      `INSERT INTO ${wordsTable} (rowid, ${quoted(...texts)}) SELECT ${rowsTable}.${number}, ${ofRow(all, searched)} FROM ${rowsTable} JOIN ${all} ON ${isRow(all, `${rowsTable}.`)}`,
    ],
  }
}

/** The statements that create and fill it, in the place of one that is not as it should be. */
export function makeSearchTable(search: SearchTable, found: FoundSearches): readonly string[] {
  const isThere = [...search.parts.keys()].some((part) => found.parts.has(part))
  return [...(isThere ? dropSearchTable(search.table) : []), ...search.parts.values(), ...search.fill]
}

export function dropSearchTable({ name }: TableLayout): readonly string[] {
  const { words, rows, triggers } = searchNames(name)
  return [
    ...Object.values(triggers).map((trigger) => `DROP TRIGGER IF EXISTS ${quoted(trigger)}`),
    ...[words, rows].map((table) => `DROP TABLE IF EXISTS ${quoted(table)}`),
  ]
}

/** Whether all parts of the index are there, as they are created. */
function hasSearchTable({ parts }: SearchTable, found: FoundSearches): boolean {
  return [...parts].every(([part, statement]) => bare(found.parts.get(part) ?? '') === bare(statement))
}

function bare(statement: string): string {
  return statement.replaceAll(/\s+/g, ' ').toLowerCase()
}

/** SQLite: the index for searches of a table, if it is missing or is not as it should be, over columns that are there.
 * `there`: the table, if it is not new. */
export function missingSearch(
  found: FoundSearches,
  table: TableLayout,
  there: FoundTable | undefined,
): SearchTable | undefined {
  const hasColumns = [...table.searched, ...table.searchKey].every((one) => there?.columns.has(one) !== false)
  if (!found.isPossible || table.searched.length === 0 || there?.isTable === false || !hasColumns) return undefined
  const search = searchTable(table)
  return hasSearchTable(search, found) ? undefined : search
}
