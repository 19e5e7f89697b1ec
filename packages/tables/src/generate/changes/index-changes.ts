import { searchNames } from '@fastify-crud/core/internal'
import { isNameTaken } from '../../catalogs/found-tables.ts'
import { dropSearchTable, makeSearchTable } from '../../create/search-table.ts'
import { createTrigrams, indexName, type NewIndex, wantedTrigrams } from '../../create/wanted-indexes.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, ordinary, run } from '../change.ts'
import { type AbsentColumns, areAbsent, indexPath, isBusy, type Setting } from '../setting.ts'
import { dropInvalid } from './key-changes.ts'

/** Indexes that are not unique, and the partial unique ones of new tables. */
export async function newIndexes(setting: Setting, absent: AbsentColumns): Promise<readonly Change[]> {
  const { missing, comparison, created } = setting.planned
  const wanted = missing.indexes.filter(({ table, name, columns, unique }) => {
    // A missing key is a difference of its own where the table is there.
    if (unique !== undefined && !created.some((one) => one.table === table)) return false
    const found = comparison.found.tables.get(table.key)
    return !areAbsent(absent, table, columns) && (found === undefined || !isNameTaken(found, name))
  })
  const extensions = missing.indexes.flatMap((one) => (one.wanted && createTrigrams(one.wanted)) ?? [])
  return [
    ...extensions.slice(0, 1).map(newExtension),
    ...extraTrigrams(setting),
    ...searchChanges(setting),
    ...(await Promise.all(wanted.map((index) => newIndex(index, setting)))),
  ]
}

function newExtension(statement: string): Change {
  return ordinary('create', 'indexes for searches need the extension pg_trgm', [run(statement)])
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
        const reason = `${table.name} has an index for searches, ${name}, which the model does not have`
        const texts = keys.map(({ expression }) => `${expression} gin_trgm_ops`).join(', ')
        const create = `CREATE INDEX IF NOT EXISTS ${quoted(name)} ON ${quotedTable(table)} USING gin (${texts})`
        return ordinary('drop', reason, [run(`DROP INDEX IF EXISTS ${indexPath(table, name)}`)], [run(create)])
      })
  })
}

async function newIndex({ table, name, definition, columns, unique }: NewIndex, setting: Setting): Promise<Change> {
  const isNew = setting.planned.created.some((one) => one.table === table)
  const reason = `${table.name} has no index over (${columns.join(', ')})`
  const drop = (how: string) => (isNew ? [] : [run(`DROP INDEX ${how}IF EXISTS ${indexPath(table, name)}`)])
  if (isNew || !(await isBusy(setting, table))) {
    const create = `CREATE ${unique === undefined ? '' : 'UNIQUE '}INDEX IF NOT EXISTS ${definition}`
    return ordinary('index', reason, [run(create)], drop(''))
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
    return ordinary('index', reason, up, isNew ? [] : [run(...dropSearchTable(table))])
  })
  const extra = [...layout.values()].filter(
    ({ name, searched, isWritable }) =>
      isWritable && searched.length === 0 && found.searches.parts.has(searchNames(name).words.toLowerCase()),
  )
  const dropped = extra.map((table): Change => {
    const reason = `${table.name} has an index for searches, which the model does not have`
    return ordinary('drop', reason, [run(...dropSearchTable(table))])
  })
  return [...dropped, ...made]
}
