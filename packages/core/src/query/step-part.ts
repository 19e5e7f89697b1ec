import { sql } from 'kysely'
import { type Link, type Model, type Reference, type Resource, resourceOf } from '../model/model.ts'
import type { RowId } from '../plan/changes.ts'
import type { RelationName, Step } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import { ABSENT, type RowsColumn, type RowsTable } from './dialect.ts'
import type { Once } from './prepare.ts'
import { column, columnNameOf, fieldOf, join, type Sql } from './sql-text.ts'

/**
 * One step of a plan as SQL. However many rows it has, they travel as JSON in one parameter, so that the SQL depends on
 * the kind of step and its columns only.
 */
export interface StepPart {
  /** Equal SQL has equal names. */
  readonly name: string
  /** The parameter. */
  readonly value: string
  /** The statement; `newIds` tells how it finds the ids of new rows. */
  sql(parameter: Sql, newIds: NewIds): Sql
}

/** How rows of a statement name rows that the same plan inserts. */
export interface NewIds {
  /** What goes into the parameter for a row. */
  encode(row: RowId): number
  /** Joined to the rows `x` that are written; for each of the columns that may name a new row. */
  join(columns: readonly string[]): Sql
  /** The id in one of these columns, by its number among them. */
  id(column: string, index: number): Sql
}

/** The rows of a step: their columns, and the properties that these are. */
interface Shape {
  readonly rows: RowsTable
  readonly properties: readonly string[]
}

export function stepPart(context: QueryContext, model: Model, step: Step, newIds: NewIds, once: Once): StepPart {
  const { dialect, names } = context
  switch (step.step) {
    case 'unlink': {
      const link = linkOf(model, step.relation)
      const { rows } = once(`pairs ${nameOf(step.relation)}`, () => pairsOf(context, link))
      return {
        name: `unlink ${nameOf(step.relation)}`,
        value: dialect.encodeRows(step.pairs, rows),
        sql: (parameter) => deletePairs(context, link, rows, parameter),
      }
    }
    case 'unlinkAll': {
      const link = linkOf(model, step.relation)
      const side = step.side === 'from' ? link.from : link.to
      return {
        name: `unlinkAll ${nameOf(step.relation)} ${step.side}`,
        value: JSON.stringify(step.ids),
        sql: (parameter) =>
          sql`delete from ${names.table(link.table).sql} where ${sql.id(side)} in (${dialect.ids(parameter)})`,
      }
    }
    case 'clear': {
      const { source, column: key } = referenceOf(model, step.relation)
      return {
        name: `clear ${nameOf(step.relation)}`,
        value: JSON.stringify(step.ids),
        sql: (parameter) =>
          sql`update ${names.table(source.table).sql} set ${sql.id(key)} = null where ${sql.id(key)} in (${dialect.ids(parameter)})`,
      }
    }
    case 'delete': {
      const { table, idColumn } = resourceOf(model, step.resource)
      return {
        name: `delete ${step.resource}`,
        value: JSON.stringify(step.ids),
        sql: (parameter) =>
          sql`delete from ${names.table(table).sql} where ${sql.id(idColumn)} in (${dialect.ids(parameter)})`,
      }
    }
    case 'park':
    case 'update': {
      const resource = resourceOf(model, step.resource)
      const changed = [...new Set(step.rows.flatMap((row) => Object.keys(row.values)))].sort()
      const isMixed = step.rows.some((row) => Object.keys(row.values).length < changed.length)
      const name = `update ${step.resource} ${JSON.stringify(changed)}`
      const { rows } = once(`rows of ${name}`, () => shapeOf(context, resource, ['id', ...changed]))
      const values = step.rows.map((row) => [
        row.id,
        ...changed.map((property) => (Object.hasOwn(row.values, property) ? row.values[property] : ABSENT)),
      ])
      return {
        name: isMixed ? `${name} or some of them` : name,
        value: dialect.encodeRows(values, rows),
        sql: (parameter) => updateRows(context, resource, rows, isMixed, parameter),
      }
    }
    case 'insert': {
      const resource = resourceOf(model, step.resource)
      const name = `insert ${step.resource}`
      const { rows, properties } = once(`rows of ${name}`, () =>
        shapeOf(context, resource, insertedProperties(resource)),
      )
      const owners = resource.ownedBy.length
      const values = step.rows.map((row) =>
        properties.map((property, index) => {
          if (index === 0) return newIds.encode(row.id)
          const value = row.values[property]
          return index <= owners && value !== null ? newIds.encode(value as RowId) : value
        }),
      )
      return {
        name,
        value: dialect.encodeRows(values, rows),
        sql: (parameter, ids) => insertRows(context, resource, rows, parameter, ids),
      }
    }
    case 'link': {
      const link = linkOf(model, step.relation)
      const { rows } = once(`pairs ${nameOf(step.relation)}`, () => pairsOf(context, link))
      const pairs = step.pairs.map((pair) => [newIds.encode(pair.from), pair.to])
      return {
        name: `link ${nameOf(step.relation)}`,
        value: dialect.encodeRows(pairs, rows),
        sql: (parameter, ids) => insertPairs(context, link, rows, parameter, ids),
      }
    }
  }
}

/** The id, the foreign keys of owners, and what the body sets: in this order. */
function insertedProperties(resource: Resource): string[] {
  return [
    'id',
    ...resource.ownedBy.map((owner) => owner.foreignKey),
    ...resource.fields.map((field) => field.name),
    ...resource.references.map((reference) => reference.foreignKey),
  ]
}

function updateRows(
  { dialect, names }: QueryContext,
  resource: Resource,
  rows: RowsTable,
  isMixed: boolean,
  parameter: Sql,
): Sql {
  const [id, ...changed] = rows.columns as [RowsColumn, ...RowsColumn[]]
  const assignments = changed.map((one) => {
    const value = column('x', one.name)
    if (!isMixed) return sql`${sql.id(one.name)} = ${value}`
    return sql`${sql.id(one.name)} = case when ${dialect.hasColumn('x', one, rows)} then ${value} else ${column('t', one.name)} end`
  })
  return sql`update ${names.table(resource.table).sql} as ${sql.id('t')} set ${join(assignments)} from ${dialect.rows(parameter, rows)} as ${sql.id('x')} where ${column('t', id.name)} = ${column('x', id.name)}`
}

function insertRows(
  { dialect, names }: QueryContext,
  resource: Resource,
  rows: RowsTable,
  parameter: Sql,
  ids: NewIds,
): Sql {
  const named = rows.columns.slice(0, 1 + resource.ownedBy.length).map((one) => one.name)
  const columns = rows.columns.map((one) => sql`${sql.id(one.name)}`)
  const values = rows.columns.map((one, index) =>
    index < named.length ? ids.id(one.name, index) : column('x', one.name),
  )
  return sql`insert into ${names.table(resource.table).sql} (${join(columns)}) ${dialect.insertIds} select ${join(values)} from ${dialect.rows(parameter, rows)} as ${sql.id('x')}${ids.join(named)}`
}

function insertPairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable, parameter: Sql, ids: NewIds): Sql {
  const table = names.table(link.table).sql
  const [from, to] = [ids.id(link.from, 0), column('x', link.to)]
  const present = sql`select 1 from ${table} as ${sql.id('t')} where ${column('t', link.from)} = ${from} and ${column('t', link.to)} = ${to}`
  return sql`insert into ${table} (${sql.id(link.from)}, ${sql.id(link.to)}) select ${from}, ${to} from ${dialect.rows(parameter, rows)} as ${sql.id('x')}${ids.join([link.from])} where not exists (${present})`
}

function deletePairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  return sql`delete from ${names.table(link.table).sql} where (${from}, ${to}) in (select ${column('x', link.from)}, ${column('x', link.to)} from ${dialect.rows(parameter, rows)} as ${sql.id('x')})`
}

function shapeOf({ names }: QueryContext, resource: Resource, properties: readonly string[]): Shape {
  const columns = properties.map((property): RowsColumn => {
    const name = columnNameOf(resource, property)
    return { name, inDatabase: names.column(name), storage: fieldOf(resource, property)?.storage ?? 'id' }
  })
  return { rows: { table: names.table(resource.table), columns }, properties }
}

function pairsOf({ names }: QueryContext, link: Link): Shape {
  const properties = [link.from, link.to]
  const columns = properties.map((name): RowsColumn => ({ name, inDatabase: names.column(name), storage: 'id' }))
  return { rows: { table: names.table(link.table), columns }, properties }
}

function linkOf(model: Model, { resource, relation }: RelationName): Link {
  return resourceOf(model, resource).links.find((link) => link.name === relation) as Link
}

function referenceOf(model: Model, { resource, relation }: RelationName): Reference {
  return resourceOf(model, resource).references.find((reference) => reference.name === relation) as Reference
}

function nameOf({ resource, relation }: RelationName): string {
  return `${resource}.${relation}`
}
