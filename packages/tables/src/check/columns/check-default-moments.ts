import { isLocalDefault } from '@fastify-crud/core/internal'
import type { FoundColumn } from '../../catalogs/found-tables.ts'
import { type ColumnLayout, isIdColumn } from '../../layout/table-layout.ts'
import type { Comparison, Pair } from '../comparison.ts'
import { type FoundProblem, problem } from '../table-problem.ts'
import { columnInModel } from './column-in-model.ts'

const UTC = /^(?:(?:etc\/)?(?:utc|uct|gmt|zulu|universal|greenwich)|gmt[+-]?0)$/i

/** Columns of the type `timestamp` whose default is the time of the server's zone, while all else counts as UTC. */
export function checkDefaultMoments(
  { table, found }: Pair,
  { found: { timeZone } }: Comparison,
): readonly FoundProblem[] {
  if (timeZone === undefined || isUtc(timeZone)) return []
  return table.columns.flatMap((column) => {
    const existing = found.columns.get(column.name)
    if (existing === undefined || !countsAsUtc(column) || !isLocalNow(existing)) return []
    const what = `${columnInModel(table, column)} is of type timestamp, which counts as UTC, but its default ${existing.default} is the time in ${timeZone}`
    const advice = `declare stored: { zone: '${timeZone}' }, or stored: 'utc' if it holds times in UTC`
    return [
      problem({
        kind: 'default',
        severity: 'error',
        table,
        column: column.name,
        wanted: 'the time in UTC',
        found: existing.default,
        what: `${what}: ${advice}`,
      }),
    ]
  })
}

function countsAsUtc(column: ColumnLayout): boolean {
  return !isIdColumn(column) && column.stored === undefined
}

/** Whether a time zone is UTC, whatever it is called. */
export function isUtc(timeZone: string): boolean {
  return UTC.test(timeZone)
}

/** Whether the default of a `timestamp` is the time of the session's zone. */
export function isLocalNow({ type, default: given = '' }: FoundColumn): boolean {
  return type === 'timestamp' && isLocalDefault(given)
}
