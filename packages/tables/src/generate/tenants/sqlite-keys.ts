import type { FoundIndex } from '../../catalogs/found-tables.ts'
import type { Comparison } from '../../check/comparison.ts'
import { type PlainKeys, plainKeysReason } from '../../check/keys/plain-keys.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { whereText } from '../../create/unique-index.ts'
import type { TableLayout, UniqueLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, run } from '../change.ts'
import { addedForeignKey } from '../rebuild/edits.ts'
import { keyEdits } from '../rebuild/key-edits.ts'
import type { TableTexts } from '../rebuild/table-texts.ts'
import type { NameNow } from '../setting.ts'
import type { PlainIndex } from './plain-indexes.ts'

interface Keys {
  readonly plain: readonly PlainKeys[]
  readonly indexes: readonly PlainIndex[]
  readonly comparison: Comparison
  readonly nameNow: NameNow
  readonly texts: TableTexts
}

/** Gives the keys of tables the tenant to begin with, by new tables; or says which tables are made in a way of their own. */
export function sqliteKeys(keys: Keys): { readonly changes: readonly Change[]; readonly byHand: readonly string[] } {
  const rebuilt = keys.plain.map((one) => ({ one, change: rebuiltTable(one, keys) }))
  return {
    changes: [
      ...keys.indexes.map(droppedIndex),
      ...rebuilt.flatMap(({ change }) => change ?? []),
      ...keys.plain.flatMap((one) => uniqueIndexes(one, keys)),
    ],
    byHand: rebuilt.flatMap(({ one, change }) => (change === undefined ? [notRebuilt(one.table)] : [])),
  }
}

function notRebuilt(table: TableLayout): string {
  return `${plainKeysReason(table)}. SQLite needs a new table for it, and what the CREATE TABLE of this one says could be lost`
}

function rebuiltTable(plain: PlainKeys, { comparison, nameNow, texts }: Keys): Change | undefined {
  const { table, primary, staysPrimary, uniques, foreignKeys, newForeignKeys } = plain
  const text = texts.get(table.name.toLowerCase())
  if (text === undefined) return undefined
  const now = (columns: readonly (string | undefined)[]) => columns.map((one) => nameNow(table, String(one)))
  const goneUniques = uniques.flatMap(({ found }) => found.filter(isConstraint).map(({ columns }) => now(columns)))
  const goneForeign = foreignKeys.map(({ columns }) => now(columns))
  const gonePrimary = primary === undefined || staysPrimary ? undefined : now(primary.columns)
  const count = goneUniques.length + goneForeign.length + (gonePrimary === undefined ? 0 : 1)
  const { nameOf } = comparison
  const added = [
    ...(primary === undefined ? [] : [primaryText(table, staysPrimary, comparison, now)]),
    ...uniques.flatMap(({ wanted, isThere }) => {
      const name = uniqueName(nameOf, table, wanted)
      return isThere || wanted.where.length > 0
        ? []
        : [`CONSTRAINT ${quoted(name)} UNIQUE (${quoted(...now(wanted.columns))})`]
    }),
    ...newForeignKeys.map((key) => {
      const to = comparison.layout.get(key.target) as TableLayout
      const targets = key.targetColumns.map((one) => nameNow(to, one))
      return addedForeignKey(nameOf(table, 'fkey', [key.column]), now(key.columns), to.name, targets).to
    }),
  ]
  const edits = keyEdits(text, { primary: gonePrimary, uniques: goneUniques, foreignKeys: goneForeign, count }, added)
  if (edits === undefined) return undefined
  const step = (list: typeof edits.up) => (list.length === 0 ? [] : [{ table: table.name, edits: list }])
  return tenantChange(table, step(edits.up), step(edits.down))
}

function primaryText(
  table: TableLayout,
  staysPrimary: boolean,
  { nameOf }: Comparison,
  now: (columns: readonly string[]) => readonly string[],
): string {
  const columns = quoted(...now(table.primaryKey))
  return staysPrimary
    ? `CONSTRAINT ${quoted(nameOf(table, 'key', table.primaryKey))} UNIQUE (${columns})`
    : `CONSTRAINT ${quoted(nameOf(table, 'pkey', []))} PRIMARY KEY (${columns})`
}

/** Not made by a CREATE INDEX. */
function isConstraint({ name }: FoundIndex): boolean {
  return name.startsWith('sqlite_autoindex_')
}

/** Those that are indexes alone, such as partial ones. A new table is made with all others. */
function uniqueIndexes({ table, uniques }: PlainKeys, { comparison, nameNow }: Keys): readonly Change[] {
  return uniques.flatMap(({ found, wanted, isThere }) => {
    const indexes = found.filter((one) => !isConstraint(one))
    const create = (name: string, columns: UniqueLayout['columns']) => {
      const where = wanted.where.map((one) => ({ ...one, column: nameNow(table, one.column) }))
      const list = quoted(...columns.map((one) => nameNow(table, one)))
      return `CREATE UNIQUE INDEX ${quoted(name)} ON ${quotedTable(table)} (${list})${whereText('sqlite', { ...wanted, where })}`
    }
    const name = uniqueName(comparison.nameOf, table, wanted)
    const isNew = wanted.where.length > 0 && !isThere
    if (indexes.length === 0 && !isNew) return []
    const drop = (one: string) => `DROP INDEX IF EXISTS ${quoted(one)}`
    const back = indexes.map((one) => create(one.name, one.columns.map(String)))
    const up = [...indexes.map((one) => drop(one.name)), ...(isNew ? [create(name, wanted.columns)] : [])]
    return [tenantChange(table, [run(...up)], [run(...(isNew ? [drop(name)] : []), ...back)])]
  })
}

function droppedIndex({ table, name, create }: PlainIndex): Change {
  return tenantChange(table, [run(`DROP INDEX IF EXISTS ${quoted(name)}`)], [run(create)])
}

function tenantChange(table: TableLayout, up: Change['up'], down: Change['down']): Change {
  return { file: 'rebuild', phase: 'tenant', reason: plainKeysReason(table), up, down }
}
