import type { Model } from 'fastify-crud'
import { sql } from 'kysely'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { isThere } from '../../../../test/support/test-soft-delete.ts'
import { idOf, spelled } from './effects-oracle.ts'

// What an undo is to do, by what the tables were before and behind the write: a reference that knows no effects and
// no history.

type Resource = NonNullable<ReturnType<Model['resources']['get']>>
type Link = Resource['links'][number]

/** A row of a resource, or a link, by the names of columns. */
interface Row {
  readonly of: Resource | Link
  readonly tenant: string
  readonly values: Readonly<Record<string, unknown>>
  /** The numbers of a link: others may come back. */
  readonly places: readonly unknown[]
}

/** All rows by their keys, and the deleted ones that are kept. */
export interface State {
  readonly rows: ReadonlyMap<string, Row>
  readonly kept: ReadonlyMap<string, Row>
}

/** A write that may be undone. */
export interface Done {
  readonly before: State
  readonly after: State
}

export async function readState(db: TestKysely, { resources }: Model): Promise<State> {
  const rows = new Map<string, Row>()
  const kept = new Map<string, Row>()
  const add = async (
    of: Row['of'],
    columns: readonly string[],
    idColumns: readonly string[],
    orders: readonly string[] = [],
  ) => {
    const { tenant } = of
    const column = tenant === undefined || tenant.isOwnId ? undefined : tenant.column
    const all = [...new Set([...columns, ...idColumns, ...(column === undefined ? [] : [column])])]
    const named = [...all, ...orders].map((one, index) => sql.ref(one).as(`n${index}`))
    for (const found of await db.selectFrom(of.table).selectAll().select(named).execute()) {
      const values = Object.fromEntries(all.map((one, index) => [one, (found as Values)[`n${index}`]]))
      const whose = column === undefined ? '' : spelled(values[column])
      const key = keyOf(of.table, whose, idOf(idColumns.map((one) => values[one])))
      const among = isThere(found) ? rows : kept
      among.set(key, {
        of,
        tenant: whose,
        values,
        places: orders.map((_, index) => (found as Values)[`n${all.length + index}`]),
      })
    }
  }
  const tables = new Map<string, Link>()
  for (const resource of resources.values()) {
    const members = [...resource.members, ...resource.ownedBy]
    await add(
      resource,
      members.map(({ column }) => column),
      resource.idColumns,
    )
    for (const link of resource.links) tables.set(link.table, link)
  }
  const links = [...resources.values()].flatMap((one) => one.links)
  for (const link of tables.values()) {
    const orders = links.flatMap(({ table, order }) => (table === link.table && order !== undefined ? [order] : []))
    await add(link, [], [link.fromColumn, link.toColumn], orders)
  }
  return { rows, kept }
}

type Values = Readonly<Record<string, unknown>>

function keyOf(table: string, tenant: string, id: string): string {
  return `${table} ${tenant}/${id}`
}

/** The tables as they are to be behind the undo, or why it is to be refused. */
type Undone = { readonly refused: string } | (State & { readonly mayBeRefused: boolean })

/** Of links in an order, nothing tells which of them a write has moved: if some are gone, the undo may be refused. */
export function undoneOf(model: Model, { before, after }: Done, now: State, uniquePlaces: boolean): Undone {
  const rows = new Map(now.rows)
  const gone = new Set<string>()
  const [moved, lost] = [new Set<string>(), new Set<string>()]
  for (const key of new Set([...before.rows.keys(), ...after.rows.keys()])) {
    const [was, left, is] = [before, after, now].map((state) => state.rows.get(key))
    const columns = Object.keys((was ?? left)?.values ?? {}).filter((name) => {
      return was === undefined || left === undefined || !isSame(was.values[name], left.values[name])
    })
    if (was && left && !isSame(was.places, left.places)) moved.add(was.of.table)
    if (was && left && is === undefined) lost.add(was.of.table)
    if (columns.length === 0) continue
    if ((is === undefined) !== (left === undefined)) return { refused: `${key} was added or removed since` }
    const changed = columns.find((name) => !isSame(is?.values[name], left?.values[name]))
    if (changed !== undefined) return { refused: `${changed} of ${key} was changed since` }
    if (was === undefined) {
      rows.delete(key)
      gone.add(key)
    } else if (is === undefined) {
      const isKept = isResource(was.of) && was.of.softDelete !== undefined
      if (isKept && !isSame(now.kept.get(key)?.values, was.values))
        return { refused: `${key} was changed or removed since` }
      rows.set(key, was)
    } else {
      const back = columns.map((name) => [name, was.values[name]])
      rows.set(key, { ...is, values: { ...is.values, ...Object.fromEntries(back) } })
    }
  }
  clear(model, rows, gone)
  const refused = misfit(model, rows, uniquePlaces)
  return refused === undefined
    ? { rows, kept: now.kept, mayBeRefused: [...moved].some((one) => lost.has(one)) }
    : { refused }
}

/** What knows a record that goes, and may be without it, forgets it. */
function clear(model: Model, rows: Map<string, Row>, gone: ReadonlySet<string>): void {
  for (const [key, row] of rows) {
    if (!isResource(row.of)) {
      const isLost = endsOf(model, row).some((end) => gone.has(end.key) && !end.isNeeded)
      if (isLost) rows.delete(key)
      continue
    }
    const lost = row.of.references.filter((one) => !one.needs && gone.has(targetKey(one, row)))
    const nulls = Object.fromEntries(lost.map(({ column }) => [column, null]))
    if (lost.length > 0) rows.set(key, { ...row, values: { ...row.values, ...nulls } })
  }
}

/** What the rows break of the model. */
function misfit(model: Model, rows: ReadonlyMap<string, Row>, uniquePlaces: boolean): string | undefined {
  const taken = new Set<string>()
  const take = (...place: readonly unknown[]): boolean => {
    const text = JSON.stringify(place, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    if (taken.has(text)) return false
    taken.add(text)
    return true
  }
  for (const [key, row] of rows) {
    const { of, values, tenant } = row
    if (!isResource(of)) {
      const lost = endsOf(model, row).find((end) => !rows.has(end.key))
      if (lost !== undefined) return `${key} leads to ${lost.key}, which is not there`
      const isFree = !of.exclusive || take(of.table, tenant, spelled(values[of.toColumn]))
      if (!isFree) return `${key} leads to what serves another one`
      continue
    }
    for (const one of [...of.references, ...of.ownedBy]) {
      if (isNull(values[one.column])) continue
      if (!rows.has(targetKey(one, row))) return `${key} names ${targetKey(one, row)}, which is not there`
      const isOne = one.kind === 'ownedBy' && !one.inverse.many
      if (isOne && !take(of.key, one.name, tenant, spelled(values[one.column]))) return `${key} is not the only one`
      const place = one.kind === 'ownedBy' && uniquePlaces ? values[one.inverse.order?.column ?? ''] : undefined
      const isHere = isNull(place) || take('places', one.name, of.key, tenant, spelled(values[one.column]), place)
      if (!isHere) return `${key} has the place of another one`
    }
    for (const [index, { members, where }] of of.uniques.entries()) {
      const all = members.map(({ column }) => values[column])
      const isMeant = where.every(({ member, is }) => holds(values[member.column], is))
      if (!isMeant || all.some(isNull)) continue
      if (!take(of.key, index, tenant, all)) return `${key} has unique values of another one`
    }
    for (const owns of of.owns.filter(({ required }) => required)) {
      const { column } = owns.inverse
      const id = idOf(of.idColumns.map((name) => values[name]))
      const has = [...rows.values()].some((other) => {
        return other.of === owns.target && other.tenant === tenant && spelled(other.values[column]) === id
      })
      if (!has) return `${key} has no ${owns.name}`
    }
  }
  return undefined
}

function targetKey({ target, column }: Resource['references'][number] | Resource['ownedBy'][number], row: Row): string {
  return keyTo(target, row.tenant, row.values[column])
}

function keyTo(target: Resource, tenant: string, id: unknown): string {
  const isShared = target.tenant === undefined || target.tenant.isOwnId
  return isNull(id) ? '' : keyOf(target.table, isShared ? '' : tenant, spelled(id))
}

/** Both ends of a link, and whether one cannot go because of it. */
function endsOf(model: Model, { of, tenant, values }: Row) {
  const { table, source, target, fromColumn, toColumn } = of as Link
  const links = [...model.resources.values()].flatMap((one) => one.links.filter((link) => link.table === table))
  return [
    { key: keyTo(source, tenant, values[fromColumn]), isNeeded: false },
    { key: keyTo(target, tenant, values[toColumn]), isNeeded: links.some(({ needs }) => needs) },
  ]
}

function holds(value: unknown, is: Resource['uniques'][number]['where'][number]['is']): boolean {
  if (is === 'null') return isNull(value)
  if (is === 'not null') return !isNull(value)
  return (
    String(Number.isNaN(Number(value)) ? value : Number(value)) ===
    String(typeof is.value === 'boolean' ? inSql(value, is.value) : is.value)
  )
}

/** SQLite has no booleans. */
function inSql(value: unknown, is: boolean): unknown {
  return typeof value === 'boolean' ? is : Number(is)
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined
}

function isResource(of: Row['of']): of is Resource {
  return 'route' in of
}

function isSame(one: unknown, other: unknown): boolean {
  return inText(one) === inText(other)
}

function inText(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
}

/** The first row that differs; undefined: none does. */
export function differenceOf(expected: State, now: State): string | undefined {
  for (const key of new Set([...expected.rows.keys(), ...now.rows.keys()])) {
    const [wanted, is] = [expected, now].map(({ rows }) => rows.get(key)?.values)
    if (!isSame(wanted, is)) return `expected ${key} to be ${inText(wanted)}\n  but it is ${inText(is)}`
  }
  return undefined
}
