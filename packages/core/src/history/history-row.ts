import type { Id } from '../model/ids/id-kind.ts'
import { parseJson } from '../model/values/long-number.ts'
import { WHOSE } from '../sql/rows/whose-rows.ts'
import type { Row } from '../sql/text/prepare.ts'
import type { StoredWrite } from './stored-changes.ts'

/** A write as the history has it. */
export interface HistoryRow {
  /** By which the writes are sorted. */
  readonly position: number
  readonly write: string
  readonly at: string
  /** Who may be told of it. */
  readonly whose: string
  readonly operation: string
  /** The key of the resource that the request was about, and its record; undefined: many, or none. */
  readonly resource: string
  readonly id: Id | undefined
  /** How the caller is named; undefined: it is not. */
  readonly by: unknown
  readonly stored: StoredWrite
}

/** A row of `crud_history`. A driver may return an integer as a text. */
export function toHistoryRow(row: Row): HistoryRow {
  return {
    position: Number(row.position),
    write: String(row.id),
    at: new Date(Number(row.at)).toISOString(),
    whose: String(row[WHOSE]),
    operation: String(row.operation),
    resource: String(row.resource),
    id: row.record === null ? undefined : (JSON.parse(String(row.record)) as Id),
    by: row.by === null ? undefined : JSON.parse(String(row.by)),
    stored: parseJson(String(row.effects)) as StoredWrite,
  }
}
