import { isNameTaken } from '../../catalogs/found-indexes.ts'
import { qualifiedName, type TableLayout } from '../../create/table-layout.ts'
import { indexDefinition, indexName } from '../../create/wanted-indexes.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { AbsentColumns } from '../absent-columns.ts'
import { type Change, run } from '../change.ts'
import type { Setting } from '../setting.ts'
import { indexPath } from './exists.ts'
import { dropInvalid } from './key-changes.ts'

interface IndexToMake {
  readonly table: TableLayout
  readonly name: string
  /** The part behind `CREATE INDEX`. */
  readonly definition: string
  readonly columns: readonly string[]
}

/** Indexes that are not unique. */
export async function newIndexes(setting: Setting, absent: AbsentColumns): Promise<readonly Change[]> {
  const { database, planned } = setting
  const { missing, comparison } = planned
  const plain = missing.indexes.flatMap(({ table, columns, unique }): IndexToMake[] => {
    if (unique !== undefined) return []
    const name = comparison.nameOf(table, 'idx', columns)
    return [{ table, name, columns, definition: `${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})` }]
  })
  const declared = missing.declaredIndexes.map((index): IndexToMake => {
    const columns = index.keys.map(({ column }) => column.name)
    const name = indexName(index, comparison.nameOf)
    return { table: index.table, name, columns, definition: indexDefinition(database, index, comparison.nameOf) }
  })
  const wanted = [...plain, ...declared].filter(({ table, name, columns }) => {
    if (absent.isAmong(qualifiedName(table), columns)) return false
    const found = comparison.found.tables.get(table.key)
    return found === undefined || !isNameTaken(found, name)
  })
  return Promise.all(wanted.map((index) => newIndex(index, setting)))
}

async function newIndex({ table, name, definition, columns }: IndexToMake, setting: Setting): Promise<Change> {
  const { database, planned, rows } = setting
  const isNew = planned.created.some((one) => one.table === table)
  const reason = `${table.name} has no index over (${columns.join(', ')})`
  const isBusy = database === 'postgres' && !isNew && (await rows.hasRows(table))
  const drop = (how: string) => (isNew ? [] : [run(`DROP INDEX ${how}IF EXISTS ${indexPath(table, name)}`)])
  if (!isBusy) {
    const up = [run(`CREATE INDEX IF NOT EXISTS ${definition}`)]
    return { file: 'ordinary', phase: 'index', reason, up, down: drop('') }
  }
  const up = [dropInvalid(table, name), run(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${definition}`)]
  return { file: 'concurrently', phase: 'index', reason, up, down: drop('CONCURRENTLY ') }
}
