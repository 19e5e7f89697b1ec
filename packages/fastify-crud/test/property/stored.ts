import { isDeepStrictEqual } from 'node:util'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { isThere } from '../../../../test/support/test-soft-delete.ts'
import type { SideIds } from './id-kinds.ts'
import type { IdMap, SideId } from './id-map.ts'
import { TENANTS, WORKSPACE } from './in-tenants.ts'
import type { RefModel, RefResource } from './reference-model.ts'
import { linksOf, type Row, rowsOf, type State } from './reference-store.ts'
import { deletedOf } from './reference-trash.ts'
import type { Side } from './side.ts'

type Stored = readonly (SideId | null)[]

/**
 * Compares what stands in the tables with what the reference holds: which rows there are, whose they are, and what
 * they name. So there is no orphan, no dangling key and no link too many that no answer shows.
 *
 * @throws Error with the first table that differs.
 */
export async function compareStored(model: RefModel, state: State, { database, ids, tenant }: Side): Promise<void> {
  const { db } = database
  const links = new Map<string, [string, string][]>()
  for (const resource of model.resources.values()) {
    const keys = [...resource.owners, ...resource.references].map(({ column }) => column)
    const columns = idColumnsOf(resource, ids.kindOf(resource.key))
    const stored = await idsIn(db, resource.table, [...columns, ...keys], tenant)
    const withIds = stored.map((row) => [joined(row.slice(0, columns.length)), ...row.slice(columns.length)])
    compare(resource.table, expectedRows(rowsOf(state, resource.key).values(), resource, ids), withIds)
    const deleted = await idsIn(db, resource.table, [...columns, ...keys], tenant, (row) => !isThere(row))
    const kept = deleted.map((row) => [joined(row.slice(0, columns.length)), ...row.slice(columns.length)])
    const expected = expectedRows(deletedOf(state, resource.key), resource, ids)
    compare(`${resource.table}, where they are deleted,`, expected, kept)
    for (const { table, from, to, target } of resource.links) {
      links.set(table, [
        [from, resource.key],
        [to, target],
      ])
    }
  }
  for (const [table, columns] of links) {
    const stored = await idsIn(
      db,
      table,
      columns.map(([column]) => column),
      tenant,
    )
    const expected = linksOf(state, table).map((row) => columns.map(([at, key]) => ids.toSide(key, Number(row[at]))))
    compare(table, expected, stored)
  }
}

/** The columns of a record's id as its owner's path has it. */
function idColumnsOf({ idColumn, owners }: RefResource, { below, fields }: SideIds): readonly string[] {
  if (below === 'ids below the owner') return Object.keys(fields)
  return below === "the owner's ids" ? owners.map(({ column }) => column) : [idColumn]
}

function joined(parts: Stored): SideId | null {
  if (parts.length === 1) return parts[0] ?? null
  return parts.map((part) => String(part).replaceAll('~', '~0').replaceAll(',', '~1')).join(',')
}

/** The ids in some columns of all rows, as answers show them. */
async function idsIn(
  db: TestKysely,
  table: string,
  columns: readonly string[],
  tenant: number | undefined,
  isMeant: typeof isThere = isThere,
): Promise<Stored[]> {
  // Under names that no plugin changes.
  const all = db
    .selectFrom(table)
    .selectAll()
    .select(columns.map((column, index) => `${column} as n${index}` as const))
  const found = await (tenant === undefined ? all : all.where(`${WORKSPACE}Id`, '=', TENANTS[tenant])).execute()
  return found.filter(isMeant).map((row) => {
    const values: Record<string, unknown> = row
    return columns.map((_, index) => (values[`n${index}`] === null ? null : shown(String(values[`n${index}`]))))
  })
}

/** Digits are a number, and a UUID is in lower case with hyphens, however the column spells it. */
function shown(stored: string): SideId {
  if (/^-?\d+$/.test(stored) && stored.length < 20) return Number(stored)
  const hex = stored.replaceAll('-', '').toLowerCase()
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function expectedRows(rows: Iterable<Row>, resource: RefResource, ids: IdMap): Stored[] {
  return [...rows].map((row) => [
    ids.toSide(resource.key, row.id),
    ...resource.owners.map(({ name, target }) => {
      return row.owner?.relation === name ? ids.toSide(target, row.owner.id) : null
    }),
    ...resource.references.map(({ foreignKey, target }) => {
      const id = row.values[foreignKey]
      return typeof id === 'number' ? ids.toSide(target, id) : null
    }),
  ])
}

function compare(table: string, expected: readonly Stored[], stored: readonly Stored[]): void {
  const sorted = (rows: readonly Stored[]): string[] =>
    rows.map((row) => JSON.stringify(row.map((id) => id && String(id)))).sort()
  if (isDeepStrictEqual(sorted(expected), sorted(stored))) return
  throw new Error(`expected in the table ${table} ${sorted(expected)}\n      but there is ${sorted(stored)}`)
}
