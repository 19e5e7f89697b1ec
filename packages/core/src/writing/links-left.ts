import type { Id } from '../model/ids/id-kind.ts'
import type { Link, Resource } from '../model/model.ts'
import { otherEnd } from '../model/resource-tree.ts'
import { type Changes, isRemoved } from '../planning/diff/changes.ts'
import { isNew, type RecordData, type RowId } from '../planning/rows.ts'
import { type ReadRecord, treeOf } from '../rules/rows/tree.ts'
import type { QueryContext } from '../sql/context.ts'
import { linksShownIn } from '../sql/reads/read-queries.ts'
import { idSqlOf } from '../sql/text/member-id-sql.ts'
import type { Current } from './write-call.ts'

/** The links that a write leaves. */
export interface LinksLeft {
  /** For the statement `answerWithLinks`. */
  readonly values: Readonly<Record<string, string>>
  /** What the write was planned from. */
  readonly basis: string
}

/** Which links of a row the write changes. */
interface ChangedLinks {
  readonly added: RowId[]
  readonly gone: Set<RowId>
}

type ChangedByRow = ReadonlyMap<Link, ReadonlyMap<RowId, ChangedLinks>>

/**
 * The links that a record and all that it owned before are left with. Others may make and remove links from the other
 * end, also while the record is locked. Undefined if the record shows none. Links of new rows are not among them: no
 * other writer knows such a row.
 */
export function linksLeft(
  context: QueryContext,
  resource: Resource,
  { read: records, basis, diff: { changes } }: Pick<Current, 'read' | 'basis' | 'diff'>,
): LinksLeft | undefined {
  const selections = linksShownIn(resource)
  if (selections.length === 0 || basis === undefined) return undefined
  const tree = treeOf(records)
  const changed = changedLinks(changes)
  const values: Record<string, string> = {}
  const all = selections.map(({ resource: of }, index) => {
    const ids: Id[] = []
    const rows: unknown[] = []
    const links = of.links.filter(({ carried, order }) => carried && order === undefined)
    const read = [...(tree.get(of.key)?.values() ?? [])].sort((one, other) =>
      of.id.compare(one.record.id, other.record.id),
    )
    for (const one of read) {
      const row = isRemoved(changes, of, one.record.id) ? undefined : rowLeft(one, links, changes, changed)
      if (row === undefined) continue
      ids.push(one.record.id)
      rows.push(row)
    }
    values[`rows${index}`] = idSqlOf(context, of).encodeList(ids)
    return rows
  })
  values.links = JSON.stringify(all)
  return { values, basis: basis.json }
}

/** The row with its links; undefined if they are not known: of what was not read, and where a new row is linked from
 * its own end. */
function rowLeft(
  { record }: ReadRecord,
  links: readonly Link[],
  changes: Changes,
  changed: ChangedByRow,
): Readonly<Record<string, unknown>> | undefined {
  const row: Record<string, unknown> = { id: record.id }
  for (const link of links) {
    const before = record[link.name] as readonly RecordData[] | undefined
    if (before === undefined) return undefined
    const { added, gone } = changed.get(link)?.get(record.id) ?? NONE
    if (added.some(isNew)) return undefined
    const all = new Set([...before.map(({ id }) => id), ...(added as readonly Id[])])
    const left = [...all].filter((id) => !gone.has(id) && !isRemoved(changes, link.target, id))
    row[link.name] = left.sort(link.target.id.compare).map((id) => ({ id }))
  }
  return row
}

const NONE: ChangedLinks = { added: [], gone: new Set() }

/** By links and rows, from either end. */
function changedLinks({ linked, unlinked }: Changes): ChangedByRow {
  const changed = new Map<Link, Map<RowId, ChangedLinks>>()
  const of = (link: Link, row: RowId): ChangedLinks => {
    const rows = changed.get(link) ?? new Map<RowId, ChangedLinks>()
    const known = rows.get(row) ?? { added: [], gone: new Set<RowId>() }
    changed.set(link, rows.set(row, known))
    return known
  }
  for (const { link, from, to } of linked) {
    of(link, from).added.push(to)
    const other = otherEnd(link)
    if (other !== undefined) of(other, to).added.push(from)
  }
  for (const { link, from, to } of unlinked) {
    of(link, from).gone.add(to)
    const other = otherEnd(link)
    if (other !== undefined) of(other, to).gone.add(from)
  }
  return changed
}
