import type { FoundIndex } from '../../catalogs/found-tables.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { whereText } from '../../create/unique-index.ts'
import type { ForeignKeyLayout, TableLayout, UniqueLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { Comparison } from '../comparison.ts'
import type { PlainKeys } from './plain-keys.ts'

/** What changes one key of a table, and what undoes it. */
export interface KeyStatements {
  readonly table: TableLayout
  readonly up: readonly string[]
  readonly down: readonly string[]
}

/** What the database calls a column. */
type NameNow = (table: TableLayout, column: string) => string

/**
 * PostgreSQL: gives the keys of tables the tenant to begin with. No foreign key may be there while the keys that they name change, so all of them go
 * first and come last. To undo it, run all `down` backward.
 */
export function wholeKeys(
  plain: readonly PlainKeys[],
  comparison: Comparison,
  nameNow: NameNow = (_, column) => column,
): readonly KeyStatements[] {
  return [
    ...plain.flatMap(droppedForeignKeys),
    ...plain.flatMap((one) => primaryKey(one, comparison, nameNow)),
    ...plain.flatMap((one) => uniqueKeys(one, comparison, nameNow)),
    ...plain.flatMap(({ table, newForeignKeys }) =>
      newForeignKeys.map((one) => foreignKey(table, one, comparison, nameNow)),
    ),
  ]
}

function droppedForeignKeys({ table, foreignKeys }: PlainKeys): readonly KeyStatements[] {
  return foreignKeys.map(({ name, definition }) => {
    const back = `${alter(table)} ADD ${constraint(String(name), String(definition))}`
    return { table, up: [dropConstraint(table, String(name))], down: [back] }
  })
}

function primaryKey({ table, primary }: PlainKeys, { nameOf }: Comparison, nameNow: NameNow): readonly KeyStatements[] {
  if (primary === undefined) return []
  const replace = (from: string, to: string, columns: FoundIndex['columns']) => {
    const names = quoted(...columns.map((one) => nameNow(table, String(one))))
    return `${dropConstraint(table, from)}, ADD ${constraint(to, `PRIMARY KEY (${names})`)}`
  }
  const name = nameOf(table, 'pkey', [])
  const up = [replace(primary.name, name, table.primaryKey)]
  return [{ table, up, down: [replace(name, primary.name, primary.columns)] }]
}

function uniqueKeys({ table, uniques }: PlainKeys, { nameOf }: Comparison, nameNow: NameNow): readonly KeyStatements[] {
  const now = (column: string | undefined) => nameNow(table, String(column))
  return uniques.map(({ found, wanted, isThere }) => {
    const name = uniqueName(nameOf, table, wanted)
    const where = wanted.where.map((one) => ({ ...one, column: now(one.column) }))
    const key = { ...wanted, where, columns: wanted.columns.map(now) }
    const isNew = isThere ? [] : [name]
    return {
      table,
      up: [...found.flatMap((one) => dropKey(table, one.name)), ...isNew.map((one) => addKey(table, one, key))],
      down: [
        ...isNew.flatMap((one) => dropKey(table, one)),
        ...found.map((one) =>
          addKey(table, one.name, { where, columns: one.columns.map(now), needsDeferral: one.isDeferrable }),
        ),
      ],
    }
  })
}

/** Only an index can be partial. */
function addKey(table: TableLayout, name: string, key: UniqueLayout): string {
  const columns = quoted(...key.columns)
  if (key.where.length > 0) {
    return `CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${columns})${whereText('postgres', key)}`
  }
  const deferrable = key.needsDeferral ? ' DEFERRABLE' : ''
  return `${alter(table)} ADD ${constraint(name, `UNIQUE (${columns})${deferrable}`)}`
}

/** A constraint, or an index alone. */
function dropKey(table: TableLayout, name: string): readonly string[] {
  return [dropConstraint(table, name), `DROP INDEX IF EXISTS ${quotedTable({ ...table, name })}`]
}

function foreignKey(
  table: TableLayout,
  { column, columns, target, targetColumns }: ForeignKeyLayout,
  { layout, nameOf }: Comparison,
  nameNow: NameNow,
): KeyStatements {
  const to = layout.get(target) as TableLayout
  const name = nameOf(table, 'fkey', [column])
  const own = quoted(...columns.map((one) => nameNow(table, one)))
  const reference = `${quotedTable(to)} (${quoted(...targetColumns.map((one) => nameNow(to, one)))})`
  const add = `${alter(table)} ADD ${constraint(name, `FOREIGN KEY (${own}) REFERENCES ${reference}`)}`
  return { table, up: [add], down: [dropConstraint(table, name)] }
}

function alter(table: TableLayout): string {
  return `ALTER TABLE ${quotedTable(table)}`
}

function constraint(name: string, definition: string): string {
  return `CONSTRAINT ${quoted(name)} ${definition}`
}

function dropConstraint(table: TableLayout, name: string): string {
  return `${alter(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`
}
