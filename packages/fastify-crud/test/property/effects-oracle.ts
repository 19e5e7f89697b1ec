import type { Model } from 'fastify-crud'
import { sql } from 'kysely'
import type { TestKysely } from '../../../../test/support/tables.ts'
import { isThere } from '../../../../test/support/test-soft-delete.ts'
import type { Json } from './json.ts'

// What a write does, found by comparing all tables before and after it: what effects have to say.

type Resource = NonNullable<ReturnType<Model['resources']['get']>>

/** A row with the values that it has, by the names of properties. */
type Row = Readonly<Record<string, unknown>>

/** All rows by resource and id, and all links. */
export interface Stored {
  readonly rows: ReadonlyMap<string, Row>
  readonly links: ReadonlySet<string>
  /** The deleted records whose rows are kept. */
  readonly deleted: ReadonlySet<string>
}

/** Reads the tables of a model. */
export async function readTables(db: TestKysely, { resources }: Model): Promise<Stored> {
  const rows = new Map<string, Row>()
  const links = new Set<string>()
  const deleted = new Set<string>()
  for (const resource of resources.values()) {
    const members = [...resource.members, ...resource.ownedBy]
    const columns = [...resource.idColumns, ...members.map(({ column }) => column)]
    const keyOf = (values: readonly unknown[]) => `${resource.key} ${idOf(values.slice(0, resource.idColumns.length))}`
    for (const values of await valuesIn(db, resource.table, columns, (row) => !isThere(row))) deleted.add(keyOf(values))
    for (const values of await valuesIn(db, resource.table, columns)) {
      const named = members.map((member, index) => [nameOf(member), values[index + resource.idColumns.length]])
      rows.set(keyOf(values), Object.fromEntries(named))
    }
    for (const link of resource.links) {
      for (const [from, to] of await valuesIn(db, link.table, [link.fromColumn, link.toColumn]))
        links.add(linkKey(link, from, to))
    }
  }
  return { rows, links, deleted }
}

function nameOf(member: Resource['members'][number] | Resource['ownedBy'][number]): string {
  return member.kind === 'ownedBy' ? member.foreignKey : member.property
}

/** Both ends of a link may declare it. */
function linkKey({ table, fromColumn, toColumn }: Resource['links'][number], from: unknown, to: unknown): string {
  const ends = [`${fromColumn} ${spelled(from)}`, `${toColumn} ${spelled(to)}`].sort()
  return `${table}: ${ends.join(', ')}`
}

async function valuesIn(
  db: TestKysely,
  table: string,
  columns: readonly string[],
  isMeant: typeof isThere = isThere,
): Promise<unknown[][]> {
  const all = db
    .selectFrom(table)
    .selectAll()
    .select(columns.map((column, index) => sql.ref(column).as(`n${index}`)))
  const found = await all.execute()
  return found.filter(isMeant).map((row) => columns.map((_, index) => (row as Row)[`n${index}`]))
}

export function idOf(parts: readonly unknown[]): string {
  if (parts.length === 1) return spelled(parts[0])
  return parts.map((part) => spelled(part).replaceAll('~', '~0').replaceAll(',', '~1')).join(',')
}

/** UUIDs have as many spellings as columns. */
export function spelled(value: unknown): string {
  const part = (text: string) => {
    const hex = text.replaceAll('-', '').toLowerCase()
    return hex.length === 32 ? hex : text
  }
  return String(value).split(',').map(part).join(',')
}

/** What effects say, in the same words as what the tables do. A new record is one of its resource. */
export interface Told {
  readonly rows: readonly string[]
  readonly links: readonly string[]
}

/** What has become of the tables. */
export function toldByTables(before: Stored, after: Stored, model: Model): Told {
  const rows: string[] = []
  for (const [key, was] of before.rows) {
    const is = after.rows.get(key)
    const names = is === undefined ? [] : shownNames(model, key).filter((name) => !isSame(was[name], is[name]))
    if (is === undefined) rows.push(`Delete ${key}`)
    else if (names.length > 0) rows.push(`Edit ${key}: ${names.sort().join()}`)
  }
  for (const key of after.rows.keys()) if (!before.rows.has(key)) rows.push(`Add ${resourceOf(key)}`)
  // What is deleted already goes for good.
  for (const key of before.deleted) if (!after.deleted.has(key) && !after.rows.has(key)) rows.push(`Delete ${key}`)
  const links = [
    ...[...before.links].filter((link) => !after.links.has(link)).map((link) => `Unlink ${link}`),
    ...[...after.links].filter((link) => !before.links.has(link)).map((link) => `Link ${link}`),
  ]
  return { rows: rows.sort(), links: links.sort() }
}

function resourceOf(key: string): string {
  return key.slice(0, key.indexOf(' '))
}

/** The names that effects may show: write-only values are never in them. */
function shownNames({ resources }: Model, key: string): readonly string[] {
  const { fields = [], references = [], movedBy = [] } = resources.get(resourceOf(key)) ?? {}
  const shown = [...fields.filter(({ writeOnly }) => !writeOnly), ...references].map(({ property }) => property)
  return [...shown, ...movedBy.map(({ foreignKey }) => foreignKey)]
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one, bigintAsText) === JSON.stringify(other, bigintAsText)
}

function bigintAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

interface ToldChange {
  readonly action: string
  readonly resource: string
  readonly id: number | string | null
  readonly relation?: string
  readonly to?: number | string | { readonly new: number }
  readonly because?: string
  readonly after?: Readonly<Record<string, unknown>>
}

/** What effects say has become of them. Links of new records are counted, as their ids are not told. */
export function toldByEffects(body: Json | undefined, { resources }: Model): Told & { readonly newLinks: number } {
  const { changes } = body as unknown as { readonly changes: readonly ToldChange[] }
  const rows: string[] = []
  const links: string[] = []
  let newLinks = 0
  for (const { action, resource: key, id, relation, to, because, after } of changes) {
    const link = resources.get(key)?.links.find(({ name }) => name === relation)
    if (link === undefined) {
      const names = Object.keys(after ?? {}).sort()
      if (action === 'Add') rows.push(`Add ${key}`)
      else if (action === 'Delete') rows.push(`Delete ${key} ${spelled(id)}`)
      else if (because !== 'order' || names.length > 0) rows.push(`Edit ${key} ${spelled(id)}: ${names.join()}`)
    } else if (id === null || typeof to === 'object') newLinks += 1
    else if (action !== 'Edit') links.push(`${action} ${linkKey(link, id, to)}`)
  }
  return { rows: rows.sort(), links: links.sort(), newLinks }
}

/**
 * Throws an Error unless the effects say what the tables do. `isAll`: of a caller who sees all; others see a part of
 * it.
 */
export function compareEffects(preview: Json | undefined, tables: Told, model: Model, isAll: boolean): void {
  const { rows, links, newLinks } = toldByEffects(preview, model)
  if (!isAll) {
    // What leaves the sight of a caller is gone for it, and what enters it is new. Names are compared where all is seen.
    const isDone = (one: string) => {
      const key = one.replace(/^\w+ /, '').replace(/: \w*(?:,\w*)*$/, '')
      return tables.rows.includes(one) || tables.rows.some((row) => row.startsWith(`Edit ${key}`))
    }
    const isTrue = rows.every(isDone) && links.every((link) => tables.links.includes(link))
    if (!isTrue) throw new Error(untrue({ rows, links }, tables))
    return
  }
  const known = tables.links.filter((link) => !links.includes(link))
  const isTrue =
    isSame(rows, tables.rows) && links.every((link) => tables.links.includes(link)) && known.length === newLinks
  if (!isTrue) throw new Error(untrue({ rows, links }, tables))
}

function untrue(told: Told, done: Told): string {
  return `expected effects that say ${JSON.stringify(done)},\n  but they say ${JSON.stringify(told)}`
}
