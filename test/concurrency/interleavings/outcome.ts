import type { Model } from '@fastify-crud/core'
import type { Resource } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import type { Answer, TestApp } from '../../support/app.ts'

/** The highest id of each table. */
export type Ids = ReadonlyMap<string, number>

export async function highestIds(service: TestApp, model: Model): Promise<Ids> {
  const ids = new Map<string, number>()
  for (const { table } of model.resources.values()) {
    const { rows } = await sql<{ id: number | null }>`select max(id)::int as id from ${sql.table(table)}`.execute(
      service.db,
    )
    ids.set(table, rows[0]?.id ?? 0)
  }
  return ids
}

/**
 * What two requests came to: their statuses and codes, and the rows of all records that were added since. Ids are
 * replaced by names, so that what happened twice in the same way looks the same.
 */
export async function outcomeOf(
  service: TestApp,
  model: Model,
  since: Ids,
  answers: readonly Answer[],
): Promise<readonly string[]> {
  const resources = [...model.resources.values()]
  const names = new Map<string, string>()
  const rowsOf = new Map<Resource, Record<string, unknown>[]>()
  for (const resource of resources) {
    const { table } = resource
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${sql.table(table)} where id > ${since.get(table)}`.execute(service.db)
    rowsOf.set(resource, rows)
    for (const { id, name } of rows) names.set(`${table} ${id}`, String(name))
  }
  const nameOf = (table: string, id: unknown) => (id === null ? 'none' : (names.get(`${table} ${id}`) ?? `lost ${id}`))
  const lines: string[] = []
  for (const [resource, rows] of rowsOf) {
    for (const { id: _, ...row } of rows) {
      for (const key of [...resource.ownedBy, ...resource.references])
        row[key.column] = nameOf(key.target.table, row[key.column])
      lines.push(`${resource.key} ${JSON.stringify(row)}`)
    }
    for (const { table, fromColumn: from, toColumn: to, source, target } of resource.links) {
      const { rows: pairs } = await sql<{
        a: number
        b: number
      }>`select ${sql.ref(from)} as a, ${sql.ref(to)} as b from ${sql.table(table)}
        where ${sql.ref(from)} > ${since.get(source.table)}`.execute(service.db)
      for (const { a, b } of pairs) lines.push(`${table} ${nameOf(source.table, a)} ${nameOf(target.table, b)}`)
    }
  }
  return [...answers.map(({ status, body }) => `${status} ${body?.code ?? ''}`), ...lines.sort()]
}
