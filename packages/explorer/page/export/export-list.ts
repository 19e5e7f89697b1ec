import { toCsv } from '../import/csv.ts'
import type { Row } from '../model/model.ts'
import { saveFile } from '../parts/save-file.ts'
import { requestOf, valueAt } from '../records/list-query.ts'
import { askList } from '../service/use-model.tsx'

export interface ListExport {
  readonly path: string
  readonly query: URLSearchParams
  readonly columns: readonly string[]
  readonly pageSize: number
  readonly name: string
}

/** Reads the whole list as it is shown, page by page, and saves it. `onCount` hears how far it is. */
export async function exportList(
  form: 'csv' | 'json',
  list: ListExport,
  onCount: (count: number) => void,
): Promise<void> {
  const rows: Row[] = []
  let after: string | undefined
  do {
    const page = await askList(list.path, { query: requestOf(list.query, list.columns, list.pageSize, after) })
    rows.push(...page.rows)
    after = page.rows.length === 0 ? undefined : page.next
    onCount(rows.length)
  } while (after !== undefined)
  if (form === 'json') return saveFile(`${list.name}.json`, 'application/json', JSON.stringify(rows, null, 2))
  const columns = list.columns.includes('id') ? list.columns : ['id', ...list.columns]
  saveFile(
    `${list.name}.csv`,
    'text/csv',
    '\uFEFF',
    toCsv([columns, ...rows.map((row) => columns.map((column) => valueAt(row, column)))]),
  )
}
