import type { AnyKysely, Model } from '@fastify-crud/core'
import { toDatabaseNames } from '../../catalogs/database-names.ts'
import type { FoundTables } from '../../catalogs/found-tables.ts'
import { isSameSet } from '../../catalogs/found-tables.ts'
import { columnMisfit } from '../../check/columns/column-misfit.ts'
import { type ComparedTable, compare, renamedColumns, withRenamedColumns } from '../../check/comparison.ts'
import {
  type KeyStatements,
  type PlainKeys,
  plainKeys,
  plainKeysReason,
  wholeKeys,
} from '../../check/keys/whole-keys.ts'
import { type ColumnLayout, qualifiedName, type TableLayout } from '../../layout/table-layout.ts'
import { tableLayout } from '../../layout/tables-of-model.ts'
import { type Change, type FileKind, ordinary, run, type Unfilled } from '../change.ts'
import { namesBefore } from '../planned.ts'
import type { EarlySetting } from '../setting.ts'
import { fillTenants } from './fill-tenants.ts'
import { type KeyChanges, type KeysOfTenants, rebuiltTables } from './sqlite-keys.ts'
import { plainIndexes, withTenants } from './with-tenants.ts'

/** The way of tables to a model with tenants. */
interface ToTenants {
  readonly changes: readonly Change[]
  /** Why there is no way. Then nothing else can be done. */
  readonly byHand: readonly string[]
  readonly unfilled: readonly Unfilled[]
  /** The tables as they will be. */
  readonly after: (found: FoundTables) => FoundTables
  /** The file in which tables come first that all tenants share, with that of the tenants; undefined where there is
   * nothing to do. */
  readonly file: FileKind | undefined
}

const NOTHING: ToTenants = { changes: [], byHand: [], unfilled: [], after: (found) => found, file: undefined }

/** Gives the rows of tables a tenant, and their keys one to begin with, where the model has tenants and the database
 * does not. */
export async function toTenants(
  db: AnyKysely,
  model: Model,
  tables: readonly TableLayout[],
  found: FoundTables,
  setting: EarlySetting,
): Promise<ToTenants> {
  const { database, texts } = setting
  const { tenant } = model
  if (tenant === undefined) return NOTHING
  const layout = toDatabaseNames(db, tableLayout(model, 'whole'))
  const renamed = renamedColumns(compare(database, layout, found))
  const comparison = compare(database, layout, withRenamedColumns(found, renamed))
  const nameNow = namesBefore(renamed)
  const lacking = layout.filter((table) => lacksTenant(table, found))
  const plain = tenant.keys === 'plain' ? [] : plainKeys(comparison)
  if (lacking.length === 0 && plain.length === 0) return NOTHING
  const others = toDatabaseNames(db, tableLayout(model, 'plain'))
  const indexes = tenant.keys === 'plain' ? [] : plainIndexes(comparison, others, nameNow)
  const byHand = [...misfits(layout, comparison), ...keysOfOthers(plain, comparison)]
  const file = database === 'sqlite' && plain.length > 0 ? 'rebuild' : 'ordinary'
  const key = model.resources.get(tenant.resource)?.table
  const tenants = layout.find((table) => table.key === key) as TableLayout
  const filled = await fillTenants({
    ...setting,
    lacking,
    tenants,
    columnIn: columnIn(tables),
    comparison,
    file,
    nameNow,
  })
  const keys = keyChanges({ plain, indexes, comparison, nameNow, texts })
  const reasons = [...byHand, ...keys.byHand]
  if (reasons.length > 0) return { ...NOTHING, byHand: reasons }
  return {
    changes: [...filled.changes, ...keys.changes],
    byHand: [],
    unfilled: filled.unfilled,
    after: (tablesFound) =>
      withTenants(tablesFound, { database, layout: comparison.layout, filled: lacking, plain, indexes }),
    file,
  }
}

function lacksTenant({ key, lead }: TableLayout, found: FoundTables): boolean {
  const table = found.tables.get(key)
  if (lead === undefined || table?.isTable !== true) return false
  return table.columns.get(lead)?.notNull !== true
}

/** The columns of the layout that the model itself has: values are given for them. */
function columnIn(tables: readonly TableLayout[]) {
  return ({ key, lead }: TableLayout): ColumnLayout | undefined =>
    tables.find((one) => one.key === key)?.columns.find(({ name }) => name === lead)
}

function misfits(layout: readonly TableLayout[], { database, found }: ComparedTable): readonly string[] {
  return layout.flatMap((table) => {
    const { key, columns, lead } = table
    const column = columns.find(({ name }) => name === lead)
    const existing = found.tables.get(key)?.columns.get(lead ?? '')
    if (column === undefined || existing === undefined) return []
    const misfit = columnMisfit(database, column, existing, found.tables.get(key)?.isStrict === true)
    return misfit?.severity === 'error'
      ? [`column ${qualifiedName(table)}.${column.name} of the tenant${misfit.what}`]
      : []
  })
}

/** Gives the keys of tables the tenant to begin with. */
function keyChanges(keys: KeysOfTenants): KeyChanges {
  const { plain, indexes, comparison, nameNow } = keys
  const isSqlite = comparison.database === 'sqlite'
  const rebuilt = isSqlite ? rebuiltTables(keys) : { changes: [], byHand: [] }
  const toChange = ({ table, up, down }: KeyStatements): Change => {
    const change = ordinary('tenant', plainKeysReason(table), [run(...up)], [run(...down)])
    return isSqlite ? { ...change, file: 'rebuild' } : change
  }
  const statements = wholeKeys(plain, comparison, nameNow).map(toChange)
  return { ...rebuilt, changes: [...indexes.map(toChange), ...rebuilt.changes, ...statements] }
}

/** Foreign keys that no descriptor has, and that name a key which is to begin with the tenant: only their author knows
 * what they are for. */
function keysOfOthers(plain: readonly PlainKeys[], { found }: ComparedTable): readonly string[] {
  const known = new Set(plain.flatMap(({ foreignKeys }) => foreignKeys))
  return plain.flatMap(({ table, primary, staysPrimary, uniques }) => {
    const gone = [...(primary === undefined || staysPrimary ? [] : [primary]), ...uniques.flatMap((one) => one.found)]
    const keys = found.foreignKeys.filter((key) => {
      return (
        key.target === table.key && !known.has(key) && gone.some(({ columns }) => isSameSet(columns, key.targetColumns))
      )
    })
    return keys.map(({ tableName, columns, targetColumns }) => {
      const what = `${tableName} (${columns.join(', ')}) references ${table.name} (${targetColumns.join(', ')})`
      return `${what}, which is no key any more once keys begin with the tenant: drop this foreign key first`
    })
  })
}
