import type { Model } from '@fastify-crud/core'
import type { Link, Resource } from '@fastify-crud/core/internal'
import { type RawBuilder, sql } from 'kysely'
import type { ForeignKey } from '../../packages/core/src/model/model.ts'
import type { TestKysely } from '../support/tables.ts'

/** What a database holds that its model does not allow, asked for in SQL; empty if there is nothing. */
export async function checkInvariants(db: TestKysely, model: Model): Promise<string[]> {
  const broken: string[] = []
  const none = async (what: string, query: RawBuilder<unknown>): Promise<void> => {
    const { rows } = await query.execute(db)
    if (rows.length > 0) broken.push(`${what}: ${JSON.stringify(rows.slice(0, 3))}`)
  }
  for (const resource of model.resources.values()) {
    const { key, tenant, uniques, ownedBy, references, links } = resource
    const table = liveRows(resource)
    for (const foreignKey of [...ownedBy, ...references]) {
      await none(`${key}.${foreignKey.name} dangles`, danglingKeys(resource, foreignKey))
    }
    for (const { needs, name, column } of references) {
      if (needs)
        await none(`${key}.${name} is missing`, sql`select * from ${table} as a where ${sql.ref(column)} is null`)
    }
    for (const { members, names } of uniques) {
      await none(
        `${key} ${names} is not unique`,
        twice(
          table,
          [...(tenant === undefined ? [] : [tenant]), ...members].map(({ column }) => column),
        ),
      )
    }
    if (ownedBy.length > 0) await none(`${key} has no owner or several`, wrongOwners(resource))
    for (const link of links) {
      await none(`${key}.${link.name} dangles`, danglingLinks(link))
      await none(`${key}.${link.name} stands twice`, twice(sql.table(link.table), [link.fromColumn, link.toColumn]))
      if (link.needs) await none(`${key}.${link.name} is empty`, emptyLinks(link))
      if (link.exclusive)
        await none(`${key}.${link.name} serves several`, twice(sql.table(link.table), [link.toColumn]))
    }
  }
  return broken
}

/** The rows that are not deleted. */
function liveRows({ table, softDelete }: Resource): RawBuilder<unknown> {
  if (softDelete === undefined) return sql.table(table)
  return sql`(select * from ${sql.table(table)} where ${sql.ref(softDelete.column)} is null)`
}

/** A deleted row may name another deleted one. */
function danglingKeys(source: Resource, { column, target }: ForeignKey): RawBuilder<unknown> {
  const names = (rows: RawBuilder<unknown>, targets: RawBuilder<unknown>) =>
    sql`select ${sql.ref(`a.${column}`)} from ${rows} as a left join ${targets} as b on b.id = ${sql.ref(`a.${column}`)}
    where ${sql.ref(`a.${column}`)} is not null and b.id is null`
  return sql`${names(sql.table(source.table), sql.table(target.table))} union all ${names(liveRows(source), liveRows(target))}`
}

function danglingLinks({ table, fromColumn, toColumn, source, target }: Link): RawBuilder<unknown> {
  return sql`select * from ${sql.table(table)} as l
    where not exists (select 1 from ${liveRows(source)} as a where a.id = ${sql.ref(`l.${fromColumn}`)})
    or not exists (select 1 from ${liveRows(target)} as b where b.id = ${sql.ref(`l.${toColumn}`)})`
}

function emptyLinks({ table, fromColumn, source }: Link): RawBuilder<unknown> {
  return sql`select a.id from ${liveRows(source)} as a
    where not exists (select 1 from ${sql.table(table)} as l where ${sql.ref(`l.${fromColumn}`)} = a.id)`
}

function twice(table: RawBuilder<unknown>, columns: readonly string[]): RawBuilder<unknown> {
  const refs = columns.map((column) => sql.ref(column))
  const present = sql.join(
    refs.map((ref) => sql`${ref} is not null`),
    sql` and `,
  )
  return sql`select ${sql.join(refs)} from ${table} as a where ${present} group by ${sql.join(refs)} having count(*) > 1`
}

/** One owner, or none where a record can be a root. */
function wrongOwners({ table, ownedBy, isRoot }: Resource): RawBuilder<unknown> {
  const counts = ownedBy.map(({ column }) => sql`case when ${sql.ref(column)} is null then 0 else 1 end`)
  const owners = sql.join(counts, sql` + `)
  return sql`select * from ${sql.table(table)} where ${owners} > 1 or (${owners} = 0 and ${sql.lit(isRoot)} = ${sql.lit(false)})`
}
