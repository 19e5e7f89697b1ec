import { searchNames } from '@fastify-crud/core/internal'
import { isNameTaken } from '../../catalogs/found-tables.ts'
import { uniqueName } from '../../create/constraint-names.ts'
import { dropSearchTable, makeSearchTable } from '../../create/search-table.ts'
import { createTrigrams, indexDefinition, indexName, wantedTrigrams, whereText } from '../../create/wanted-indexes.ts'
import { qualifiedName, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, run } from '../change.ts'
import type { AbsentColumns } from '../setting.ts'
import { indexPath, isBusy, type Setting } from '../setting.ts'
import { dropInvalid } from './key-changes.ts'

interface IndexToMake {
  readonly table: TableLayout
  readonly name: string
  /** The part behind `CREATE INDEX`. */
  readonly definition: string
  readonly columns: readonly string[]
  readonly isUnique: boolean
}

/** Indexes that are not unique, and the partial unique ones of new tables. */
export async function newIndexes(setting: Setting, absent: AbsentColumns): Promise<readonly Change[]> {
  const { database, planned } = setting
  const { missing, comparison } = planned
  const plain = missing.indexes.flatMap(({ table, columns, unique }): IndexToMake[] => {
    // A missing key is a finding where the table is there. A new table has its keys, but no partial index.
    const isNew = planned.created.some((one) => one.table === table)
    if (unique !== undefined && !(isNew && unique.where.length > 0)) return []
    const name =
      unique === undefined ? comparison.nameOf(table, 'idx', columns) : uniqueName(comparison.nameOf, table, unique)
    const where = unique === undefined ? '' : whereText(database, unique)
    const definition = `${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})${where}`
    return [{ table, name, columns, definition, isUnique: unique !== undefined }]
  })
  const declared = missing.declaredIndexes.map((index): IndexToMake => {
    const columns = index.keys.map(({ column }) => column.name)
    const name = indexName(index, comparison.nameOf)
    return {
      table: index.table,
      name,
      columns,
      definition: indexDefinition(database, index, comparison.nameOf),
      isUnique: false,
    }
  })
  const wanted = [...plain, ...declared].filter(({ table, name, columns }) => {
    if (absent.isAmong(qualifiedName(table), columns)) return false
    const found = comparison.found.tables.get(table.key)
    return found === undefined || !isNameTaken(found, name)
  })
  const extension = missing.declaredIndexes.map(createTrigrams).find((statement) => statement !== undefined)
  return [
    ...(extension === undefined ? [] : [newExtension(extension)]),
    ...extraTrigrams(setting),
    ...searchChanges(setting),
    ...(await Promise.all(wanted.map((index) => newIndex(index, setting)))),
  ]
}

function newExtension(statement: string): Change {
  const reason = 'indexes for searches need the extension pg_trgm'
  return { file: 'ordinary', phase: 'create', reason, up: [run(statement)], down: [] }
}

/** Indexes for searches that no descriptor has any more: each write to the table pays for them. */
function extraTrigrams({ planned: { comparison } }: Setting): readonly Change[] {
  const { layout, found, nameOf } = comparison
  return [...layout.values()].flatMap((table) => {
    const there = found.tables.get(table.key)
    if (there === undefined || !table.isWritable) return []
    const wanted = wantedTrigrams(table, found.trigrams, there).map((index) => indexName(index, nameOf))
    const others = table.columns.map(({ name }) => name).filter((name) => !table.searched.includes(name))
    const ours = others.map((name) => nameOf(table, 'trgm_idx', [name])).filter((name) => !wanted.includes(name))
    return there.indexes
      .filter(({ name, hasTrigrams }) => hasTrigrams === true && ours.includes(name))
      .map(({ name, keys }): Change => {
        const texts = keys.map(({ expression }) => `${expression} gin_trgm_ops`).join(', ')
        const create = `CREATE INDEX IF NOT EXISTS ${quoted(name)} ON ${quotedTable(table)} USING gin (${texts})`
        return {
          file: 'ordinary',
          phase: 'drop',
          reason: `${table.name} has an index for searches, ${name}, which the model does not have`,
          up: [run(`DROP INDEX IF EXISTS ${indexPath(table, name)}`)],
          down: [run(create)],
        }
      })
  })
}

async function newIndex(
  { table, name, definition, columns, isUnique }: IndexToMake,
  setting: Setting,
): Promise<Change> {
  const isNew = setting.planned.created.some((one) => one.table === table)
  const reason = `${table.name} has no index over (${columns.join(', ')})`
  const drop = (how: string) => (isNew ? [] : [run(`DROP INDEX ${how}IF EXISTS ${indexPath(table, name)}`)])
  if (isNew || !(await isBusy(setting, table))) {
    const up = [run(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${definition}`)]
    return { file: 'ordinary', phase: 'index', reason, up, down: drop('') }
  }
  const up = [dropInvalid(table, name), run(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${definition}`)]
  return { file: 'concurrently', phase: 'index', reason, up, down: drop('CONCURRENTLY ') }
}

/** SQLite: indexes for searches that are missing, and those that no descriptor has any more. */
function searchChanges({ database, planned: { missing, comparison, created } }: Setting): readonly Change[] {
  if (database !== 'sqlite') return []
  const { layout, found } = comparison
  const made = missing.searches.map((search): Change => {
    const { table } = search
    const isNew = created.some((one) => one.table === table)
    const up = [run(...makeSearchTable(search, found.searches))]
    const reason = `${table.name} has no index for searches over (${table.searched.join(', ')})`
    return { file: 'ordinary', phase: 'index', reason, up, down: isNew ? [] : [run(...dropSearchTable(table))] }
  })
  const extra = [...layout.values()].filter(
    ({ name, searched, isWritable }) =>
      isWritable && searched.length === 0 && found.searches.parts.has(searchNames(name).words.toLowerCase()),
  )
  const dropped = extra.map((table): Change => {
    const reason = `${table.name} has an index for searches, which the model does not have`
    return { file: 'ordinary', phase: 'drop', reason, up: [run(...dropSearchTable(table))], down: [] }
  })
  return [...dropped, ...made]
}
