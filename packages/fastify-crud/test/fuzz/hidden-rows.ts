import type { Resource } from '@fastify-crud/core/internal'
import type { Model } from 'fastify-crud'
import { mayDo } from './callers.ts'
import { type Sight, seesField } from './sight.ts'
import { keyColumnOf, type StoredRow } from './stored-rows.ts'

/** Rows of a table that give way to others for a while. */
export interface RowsAside {
  readonly table: string
  readonly rows: readonly StoredRow[]
  readonly instead: readonly StoredRow[]
}

/** What a caller does not see: its records are away, with their links, and its fields are null. */
export function hiddenRows(model: Model, sight: Sight): RowsAside[] {
  const resources = [...model.resources.values()]
  const links = new Map(resources.flatMap((resource) => resource.links.map((link) => [link.table, link] as const)))
  const isAway = (resource: Resource, id: unknown): boolean => {
    if (!sight.sees(resource, id)) return true
    // Where records are that others own is not for `authorize` to hide.
    return !mayDo(sight.caller, 'View', resource.key) && resource.owns.length === 0
  }
  const ofRecords = resources.map((resource): RowsAside => {
    const hidden = resource.fields.filter((field) => !seesField(sight.caller, field)).map(({ column }) => column)
    const hasValue = (row: StoredRow) => hidden.some((column) => row[column] !== null)
    const rows = sight
      .rowsOf(resource.table)
      .filter((row) => isAway(resource, row[keyColumnOf(resource)]) || hasValue(row))
    const kept = rows.filter((row) => !isAway(resource, row[keyColumnOf(resource)]))
    const nothing = Object.fromEntries(hidden.map((column) => [column, null]))
    return { table: resource.table, rows, instead: kept.map((row) => ({ ...row, ...nothing })) }
  })
  const ofLinks = [...links.values()].map(({ table, source, target, fromColumn, toColumn }): RowsAside => {
    const isCut = (row: StoredRow) => isAway(source, row[fromColumn]) || isAway(target, row[toColumn])
    return { table, rows: sight.rowsOf(table).filter(isCut), instead: [] }
  })
  return [...ofRecords, ...ofLinks].filter(({ rows }) => rows.length > 0)
}
