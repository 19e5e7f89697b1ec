import { sql } from 'kysely'
import { type Link, type Model, type Reference, type Resource, resourceOf } from '../model/model.ts'
import type { RowId } from '../plan/changes.ts'
import type { InsertedRow, RelationName, Step, UpdatedRow } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import { ABSENT, type Dialect, type RowsColumn, type RowsTable } from './dialect.ts'
import type { Once } from './prepare.ts'
import { column, columnNameOf, fieldOf, join, type Sql, slot } from './sql-text.ts'

/**
 * One step of a plan as SQL. Few rows bring their values as parameters, more travel as JSON in one: the SQL depends on the
 * kind of step and its columns, and on how many rows there are only as long as they are few.
 */
export interface StepPart {
  /** Equal SQL has equal names. */
  readonly name: string
  readonly values: readonly unknown[]
  /** The statement; its slots are numbered from `first` on, `newIds` tells how it finds the ids of new rows. */
  sql(first: number, newIds: NewIds): Sql
}

/** How rows of a statement name rows that the same plan inserts. */
export interface NewIds {
  /** What stands for a row among the values. */
  encode(row: RowId): number
  /** The id of a row that a parameter stands for. */
  bound(parameter: Sql): Sql
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

/** `givesIds`: new rows bring their ids, rather than have the database give them. */
export function stepPart(
  context: QueryContext,
  model: Model,
  step: Step,
  newIds: NewIds,
  givesIds: boolean,
  once: Once,
): StepPart {
  const { dialect, names } = context
  switch (step.step) {
    case 'unlink': {
      const link = linkOf(model, step.relation)
      const { rows } = once(`pairs ${nameOf(step.relation)}`, () => pairsOf(context, link))
      return {
        name: `unlink ${nameOf(step.relation)}`,
        values: [dialect.encodeRows(step.pairs, rows)],
        sql: (first) => deletePairs(context, link, rows, slot(first)),
      }
    }
    case 'unlinkAll': {
      const link = linkOf(model, step.relation)
      const side = step.side === 'from' ? link.from : link.to
      const among = amongIds(dialect, step.ids)
      return {
        name: `unlinkAll ${nameOf(step.relation)} ${step.side} ${among.name}`,
        values: among.values,
        sql: (first) => sql`delete from ${names.table(link.table).sql} where ${sql.id(side)} ${among.sql(first)}`,
      }
    }
    case 'clear': {
      const { source, column: key } = referenceOf(model, step.relation)
      const among = amongIds(dialect, step.ids)
      return {
        name: `clear ${nameOf(step.relation)} ${among.name}`,
        values: among.values,
        sql: (first) =>
          sql`update ${names.table(source.table).sql} set ${sql.id(key)} = null where ${sql.id(key)} ${among.sql(first)}`,
      }
    }
    case 'delete': {
      const { table, idColumn } = resourceOf(model, step.resource)
      const among = amongIds(dialect, step.ids)
      return {
        name: `delete ${step.resource} ${among.name}`,
        values: among.values,
        sql: (first) => sql`delete from ${names.table(table).sql} where ${sql.id(idColumn)} ${among.sql(first)}`,
      }
    }
    case 'park':
    case 'update':
      return updatePart(context, resourceOf(model, step.resource), step.rows, once)
    case 'insert':
      return insertPart(context, resourceOf(model, step.resource), step.rows, newIds, givesIds, once)
    case 'link': {
      const link = linkOf(model, step.relation)
      const { rows } = once(`pairs ${nameOf(step.relation)}`, () => pairsOf(context, link))
      const pairs = step.pairs.map((pair) => [newIds.encode(pair.from), pair.to])
      return {
        name: `link ${nameOf(step.relation)}`,
        values: [dialect.encodeRows(pairs, rows)],
        sql: (first, ids) => insertPairs(context, link, rows, slot(first), ids),
      }
    }
  }
}

/**
 * So many rows that are updated, and ids, are parameters of their own: PostgreSQL plans a statement anew each time if its
 * cost depends on how much is in one parameter.
 */
const MOST_BOUND = 8

/** 1, 2, 4 or 8 of them: the last one stands there several times, which changes nothing and makes for few statements. */
function filledUp<Item>(items: readonly Item[]): readonly Item[] {
  const missing = 2 ** Math.ceil(Math.log2(items.length)) - items.length
  return [...items, ...Array.from({ length: missing }, () => items.at(-1) as Item)]
}

/** Whether a column is one of some ids. */
function amongIds(dialect: Dialect, ids: readonly number[]): Omit<StepPart, 'sql'> & { sql(first: number): Sql } {
  if (ids.length > MOST_BOUND) {
    return { name: 'many', values: [dialect.encodeIds(ids)], sql: (first) => sql`in (${dialect.ids(slot(first))})` }
  }
  const values = filledUp(ids)
  return {
    name: String(values.length),
    values,
    sql: (first) => sql`in (${join(values.map((_, index) => dialect.id(slot(first + index))))})`,
  }
}

function updatePart(context: QueryContext, resource: Resource, updated: readonly UpdatedRow[], once: Once): StepPart {
  const { dialect } = context
  const changed = changedProperties(updated)
  const isMixed = updated.some((row) => Object.keys(row.values).length < changed.length)
  const name = `update ${resource.key} ${JSON.stringify(changed)}`
  const { rows } = once(`rows of ${name}`, () => shapeOf(context, resource, ['id', ...changed]))
  if (!isMixed && updated.length <= MOST_BOUND) {
    const filled = filledUp(updated)
    const values = filled.flatMap((row) =>
      rows.columns.map((one, index) =>
        index === 0 ? row.id : dialect.bind(row.values[changed[index - 1] as string], one),
      ),
    )
    return {
      name: `${name} ${filled.length}`,
      values,
      sql: (first) => updateBound(context, resource, rows, filled.length, first),
    }
  }
  const values = updated.map((row) => [
    row.id,
    ...changed.map((property) => (Object.hasOwn(row.values, property) ? row.values[property] : ABSENT)),
  ])
  return {
    name: isMixed ? `${name} or some of them` : name,
    values: [dialect.encodeRows(values, rows)],
    sql: (first) => updateRows(context, resource, rows, isMixed, slot(first)),
  }
}

function changedProperties(updated: readonly UpdatedRow[]): readonly string[] {
  const [only, ...more] = updated
  if (only !== undefined && more.length === 0) return Object.keys(only.values).sort()
  return [...new Set(updated.flatMap((row) => Object.keys(row.values)))].sort()
}

function insertPart(
  context: QueryContext,
  resource: Resource,
  inserted: readonly InsertedRow[],
  newIds: NewIds,
  givesIds: boolean,
  once: Once,
): StepPart {
  const { dialect } = context
  const name = givesIds ? `insert ${resource.key} with ids` : `insert ${resource.key}`
  const shape = once(`rows of ${name}`, () => {
    const properties = insertedProperties(resource)
    // Without any other column it is the id that is null, as there must be one.
    return shapeOf(context, resource, givesIds || properties.length === 1 ? properties : properties.slice(1))
  })
  const { rows, properties } = shape
  const isBound = inserted.length <= dialect.mostBoundInserts
  const ids = (givesIds ? 1 : 0) + resource.ownedBy.length
  const toValue = (row: InsertedRow, property: string, index: number): unknown => {
    const value = property === 'id' ? (givesIds ? row.id : null) : row.values[property]
    if (index < ids) return value === null ? null : newIds.encode(value as RowId)
    return isBound ? dialect.bind(value, rows.columns[index] as RowsColumn) : value
  }
  if (isBound) {
    return {
      name: `${name} ${inserted.length}`,
      values: inserted.flatMap((row) => properties.map((property, index) => toValue(row, property, index))),
      sql: (first, found) => insertBound(context, resource, rows, ids, inserted.length, first, givesIds, found),
    }
  }
  const values = inserted.map((row) => properties.map((property, index) => toValue(row, property, index)))
  return {
    name,
    values: [dialect.encodeRows(values, rows)],
    sql: (first, found) => insertRows(context, resource, rows, ids, slot(first), givesIds, found),
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
  return sql`update ${names.table(resource.table).sql} as ${sql.id('t')} set ${join(assignments)} from ${dialect.rows(parameter, rows, true)} as ${sql.id('x')} where ${column('t', id.name)} = ${column('x', id.name)}`
}

/** The values stand in the statement as parameters: of the first row, then of the next. */
function updateBound(
  { dialect, names }: QueryContext,
  resource: Resource,
  { columns }: RowsTable,
  count: number,
  first: number,
): Sql {
  const table = names.table(resource.table).sql
  const [id, ...changed] = columns as [RowsColumn, ...RowsColumn[]]
  if (count === 1) {
    const assignments = changed.map((one, index) => sql`${sql.id(one.name)} = ${slot(first + 1 + index)}`)
    return sql`update ${table} set ${join(assignments)} where ${sql.id(id.name)} = ${slot(first)}`
  }
  const starts = Array.from({ length: count }, (_, row) => first + row * columns.length)
  const assignments = changed.map((one, index) => {
    const name = sql.id(one.name)
    // The column tells the type of the parameters.
    const cases = starts.map(
      (start) => sql`when ${sql.id(id.name)} = ${dialect.id(slot(start))} then ${slot(start + 1 + index)}`,
    )
    return sql`${name} = case ${join(cases, sql` `)} else ${name} end`
  })
  const ids = starts.map((start) => dialect.id(slot(start)))
  return sql`update ${table} set ${join(assignments)} where ${sql.id(id.name)} in (${join(ids)})`
}

function boundRows(columns: number, count: number, first: number, value: (number: number, index: number) => Sql): Sql {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = Array.from({ length: columns }, (_, index) => value(first + row * columns + index, index))
    return sql`(${join(values)})`
  })
  return sql`values ${join(rows)}`
}

function insertBound(
  { dialect, names }: QueryContext,
  resource: Resource,
  { columns }: RowsTable,
  ids: number,
  count: number,
  first: number,
  givesIds: boolean,
  newIds: NewIds,
): Sql {
  const named = columns.map((one) => sql`${sql.id(one.name)}`)
  const rows = boundRows(columns.length, count, first, (number, index) =>
    index < ids ? newIds.bound(slot(number)) : slot(number),
  )
  return sql`insert into ${names.table(resource.table).sql} (${join(named)})${givesIds ? dialect.insertIds : sql``} ${rows}`
}

function insertRows(
  { dialect, names }: QueryContext,
  resource: Resource,
  rows: RowsTable,
  ids: number,
  parameter: Sql,
  givesIds: boolean,
  newIds: NewIds,
): Sql {
  const named = rows.columns.slice(0, ids).map((one) => one.name)
  const columns = rows.columns.map((one) => sql`${sql.id(one.name)}`)
  const values = rows.columns.map((one, index) => (index < ids ? newIds.id(one.name, index) : column('x', one.name)))
  return sql`insert into ${names.table(resource.table).sql} (${join(columns)})${givesIds ? dialect.insertIds : sql``} select ${join(values)} from ${dialect.rows(parameter, rows, false)} as ${sql.id('x')}${newIds.join(named)}`
}

function insertPairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable, parameter: Sql, ids: NewIds): Sql {
  const table = names.table(link.table).sql
  const [from, to] = [ids.id(link.from, 0), column('x', link.to)]
  const present = sql`select 1 from ${table} as ${sql.id('t')} where ${column('t', link.from)} = ${from} and ${column('t', link.to)} = ${to}`
  return sql`insert into ${table} (${sql.id(link.from)}, ${sql.id(link.to)}) select ${from}, ${to} from ${dialect.rows(parameter, rows, true)} as ${sql.id('x')}${ids.join([link.from])} where not exists (${present})`
}

function deletePairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  return sql`delete from ${names.table(link.table).sql} where (${from}, ${to}) in (select ${column('x', link.from)}, ${column('x', link.to)} from ${dialect.rows(parameter, rows, true)} as ${sql.id('x')})`
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
