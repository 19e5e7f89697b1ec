import { searchNames } from '@fastify-crud/core/internal'
import { dropSearchTable, makeSearchTable } from '../../create/search-table.ts'
import { type Change, run } from '../change.ts'
import type { Setting } from '../setting.ts'

/** SQLite: indexes for searches that are missing, and those that no descriptor has any more. */
export function searchChanges({ database, planned: { missing, comparison, created } }: Setting): readonly Change[] {
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
