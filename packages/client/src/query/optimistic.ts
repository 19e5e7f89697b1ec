import type { AskedQuery } from './reach.ts'

/** What is known of a record: enough to change it where it is shown. */
type Shown = Readonly<Record<string, unknown>>

/** What a write will do to the record with an id: the body of a PATCH, or undefined for a deletion. */
export interface ExpectedChange {
  readonly id: unknown
  readonly body: Shown | undefined
}

/** The data of a query as they will be after a write; the same data if it does not show the record. */
export function afterwards(data: unknown, { method }: AskedQuery, change: ExpectedChange): unknown {
  if (typeof data !== 'object' || data === null || method === 'group') return data
  if (method === 'find') return (data as Shown).id === change.id ? changed(data as Shown, change) : data
  if (method === 'list') return changedPage(data as Page, change)
  const { pages } = data as { readonly pages: readonly Page[] }
  const after = pages.map((page) => changedPage(page, change))
  return after.some((page, index) => page !== pages[index]) ? { ...data, pages: after } : data
}

interface Page {
  readonly rows: readonly Shown[]
  readonly count?: number
}

function changedPage(page: Page, change: ExpectedChange): Page {
  if (!page.rows.some(({ id }) => id === change.id)) return page
  const rows = page.rows.flatMap((row): readonly Shown[] =>
    row.id === change.id ? [changed(row, change) ?? []].flat() : [row],
  )
  const isCounted = change.body === undefined && page.count !== undefined
  return { ...page, rows, ...(isCounted && { count: (page.count as number) - 1 }) }
}

/** Only values of the record itself: what happens to related records, the service says. */
function changed(record: Shown, { body }: ExpectedChange): Shown | undefined {
  if (body === undefined) return undefined
  const values = Object.entries(body).flatMap(([name, value]) => {
    const { [name]: before } = record
    if (before === undefined || name === 'id' || Array.isArray(before)) return []
    if (typeof value !== 'object' || value === null) return [[name, value]]
    const { $add } = value as { readonly $add?: unknown }
    return typeof $add === 'number' && typeof before === 'number' ? [[name, before + $add]] : []
  })
  return { ...record, ...Object.fromEntries(values) }
}
