import type { ComparedTable } from '../../check/comparison.ts'
import { isPartOfTable, type NameNow, type PlainKeys, plainKeysReason } from '../../check/keys/whole-keys.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { foreignKeyText } from '../../create/create-table.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted } from '../../quoted-names.ts'
import type { Change, Edit } from '../change.ts'
import { type Cut, cutKeys, type GoneKeys, occursOnce, partsOfTable, type TableTexts } from '../rebuild/cut-keys.ts'
import type { PlainIndex } from './with-tenants.ts'

/** The keys that are to begin with the tenant. */
export interface KeysOfTenants {
  readonly plain: readonly PlainKeys[]
  readonly indexes: readonly PlainIndex[]
  readonly comparison: ComparedTable
  readonly nameNow: NameNow
  readonly texts: TableTexts
}

export interface KeyChanges {
  readonly changes: readonly Change[]
  /** Which keys a person has to change. */
  readonly byHand: readonly string[]
}

/** Gives tables keys that begin with the tenant, by new tables; or says which tables are made in a way of their own. */
export function rebuiltTables(keys: KeysOfTenants): KeyChanges {
  const rebuilt = keys.plain.map((one) => ({ one, change: rebuiltTable(one, keys) }))
  return {
    changes: rebuilt.flatMap(({ change }) => change ?? []),
    byHand: rebuilt.flatMap(({ one, change }) => (change === undefined ? [notRebuilt(one.table)] : [])),
  }
}

function notRebuilt(table: TableLayout): string {
  return `${plainKeysReason(table)}. SQLite needs a new table for it, and what the CREATE TABLE of this one says could be lost`
}

function rebuiltTable(plain: PlainKeys, { comparison, nameNow, texts }: KeysOfTenants): Change | undefined {
  const { table, primary, staysPrimary, uniques, foreignKeys, newForeignKeys } = plain
  const text = texts.get(table.name.toLowerCase())
  if (text === undefined) return undefined
  const now = (columns: readonly (string | undefined)[]) => columns.map((one) => nameNow(table, String(one)))
  const goneUniques = uniques.flatMap(({ found }) => found.filter(isPartOfTable).map(({ columns }) => now(columns)))
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
      return foreignKeyText(nameOf(table, 'fkey', [key.column]), now(key.columns), to, targets)
    }),
  ]
  const edits = keyEdits(text, { primary: gonePrimary, uniques: goneUniques, foreignKeys: goneForeign, count }, added)
  if (edits === undefined) return undefined
  const step = (list: typeof edits.up) => (list.length === 0 ? [] : [{ table: table.name, edits: list }])
  return {
    file: 'rebuild',
    phase: 'tenant',
    reason: plainKeysReason(table),
    up: step(edits.up),
    down: step(edits.down),
  }
}

function primaryText(
  table: TableLayout,
  staysPrimary: boolean,
  { nameOf }: ComparedTable,
  now: (columns: readonly string[]) => readonly string[],
): string {
  const columns = quoted(...now(table.primaryKey))
  return staysPrimary
    ? `CONSTRAINT ${quoted(nameOf(table, 'key', table.primaryKey))} UNIQUE (${columns})`
    : `CONSTRAINT ${quoted(nameOf(table, 'pkey', []))} PRIMARY KEY (${columns})`
}

/** The edits of a `CREATE TABLE`, and those that undo them. */
interface EditsBothWays {
  readonly up: readonly Edit[]
  readonly down: readonly Edit[]
}

/** Takes keys out of a `CREATE TABLE`, and adds others at its end; undefined where it says the keys in a way of its
 * own. */
function keyEdits(createTable: string, gone: GoneKeys, added: readonly string[]): EditsBothWays | undefined {
  const cuts = partsOfTable(createTable).flatMap((part) => cutKeys(part, gone) ?? [])
  const missing = cuts.reduce((count, { keys }) => count - keys, gone.count)
  if (missing !== 0) return undefined
  const edits = cuts.map((cut) => editsOf(createTable, cut))
  if (edits.some((edit) => edit === undefined)) return undefined
  const all = [...(edits as readonly TwoEdits[]), ...added.map(addedAtEnd)]
  const ways = { up: all.map(({ up }) => up), down: all.map(({ down }) => down).reverse() }
  const changed = applied(createTable, ways.up)
  return changed === undefined || applied(changed, ways.down) === undefined ? undefined : ways
}

interface TwoEdits {
  readonly up: Edit
  readonly down: Edit
}

function addedAtEnd(text: string): TwoEdits {
  return { up: { from: '', to: text }, down: { from: text, to: '' } }
}

function editsOf(createTable: string, { text, left }: Cut): TwoEdits | undefined {
  if (left === '') return { up: { from: text, to: '' }, down: { from: '', to: text } }
  // With the comma or bracket before it, as one column may be the end of another one.
  const [place, another] = [...createTable.matchAll(/[(,]\s*/g)].filter(({ 0: before, index }) =>
    createTable.startsWith(text, index + before.length),
  )
  if (place === undefined || another !== undefined) return undefined
  const [from, to] = [place[0] + text, place[0] + left]
  return { up: { from, to }, down: { from: to, to: from } }
}

/** The text behind the edits; undefined where the place of one is not certain. The migration does the same. */
function applied(createTable: string, edits: readonly Edit[]): string | undefined {
  let text = createTable
  for (const { from, to } of edits) {
    if (from === '') {
      const end = text.lastIndexOf(')')
      text = `${text.slice(0, end)}, ${to}${text.slice(end)}`
    } else {
      if (!occursOnce(text, from)) return undefined
      const [before = '', after = ''] = text.split(from)
      text = (to === '' ? before.replace(/,\s*$/, '') : before + to) + after
    }
  }
  return text
}
