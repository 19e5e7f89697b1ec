import { sql } from 'kysely'
import type { Link, Model, Reference, Resource } from '../model/model.ts'
import { resourceOf } from '../model/model.ts'
import type { RelationName, Step } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import { ABSENT, type RowsColumn, type RowsTable } from './dialect.ts'
import { type Once, type Prepared, prepare } from './prepare.ts'
import { column, columnNameOf, fieldOf, join, type Sql, slot } from './sql-text.ts'

/** One step of a plan as a statement, compiled at its first use, with the step's values as its parameters. */
export interface StepStatement {
  readonly statement: Prepared
  readonly values: Readonly<Record<string, unknown>>
}

/** Steps whose new rows have their ids. */
export type NumberedStep = Exclude<Step, { step: 'insert' | 'link' }> | NumberedInsert | NumberedLink
export interface NumberedInsert {
  readonly step: 'insert'
  readonly resource: string
  readonly rows: readonly {
    readonly id: number
    readonly values: Readonly<Record<string, unknown>>
    readonly pointer: string
  }[]
}
export interface NumberedLink {
  readonly step: 'link'
  readonly relation: RelationName
  readonly pairs: readonly { readonly from: number; readonly to: number; readonly pointer: string }[]
}

/**
 * The statement of a step. However many rows a step has, it is one statement: rows and ids travel as JSON in one
 * parameter.
 */
export function stepStatement(context: QueryContext, model: Model, step: NumberedStep, keep: Once): StepStatement {
  const once = (name: string, build: () => Sql) => keep(name, () => prepare(context.db, build()))
  const { dialect, names } = context
  switch (step.step) {
    case 'unlink': {
      const link = linkOf(model, step.relation)
      const rows = pairsOf(context, link)
      const statement = once(`unlink ${nameOf(step.relation)}`, () => deletePairs(context, link, rows))
      return { statement, values: { rows: dialect.encodeRows(step.pairs, rows) } }
    }
    case 'unlinkAll': {
      const link = linkOf(model, step.relation)
      const statement = once(`unlinkAll ${nameOf(step.relation)} ${step.side}`, () => {
        const side = sql.id(step.side === 'from' ? link.from : link.to)
        return sql`delete from ${names.table(link.table).sql} where ${side} in (${dialect.ids(slot('ids'))})`
      })
      return { statement, values: { ids: JSON.stringify(step.ids) } }
    }
    case 'clear': {
      const reference = referenceOf(model, step.relation)
      const statement = once(`clear ${nameOf(step.relation)}`, () => {
        const key = sql.id(reference.column)
        return sql`update ${names.table(reference.source.table).sql} set ${key} = null where ${key} in (${dialect.ids(slot('ids'))})`
      })
      return { statement, values: { ids: JSON.stringify(step.ids) } }
    }
    case 'delete': {
      const resource = resourceOf(model, step.resource)
      const statement = once(
        `delete ${step.resource}`,
        () =>
          sql`delete from ${names.table(resource.table).sql} where ${sql.id(resource.idColumn)} in (${dialect.ids(slot('ids'))})`,
      )
      return { statement, values: { ids: JSON.stringify(step.ids) } }
    }
    case 'park':
    case 'update': {
      const resource = resourceOf(model, step.resource)
      const changed = new Set(step.rows.flatMap((row) => Object.keys(row.values)))
      const isMixed = step.rows.some((row) => Object.keys(row.values).length < changed.size)
      const properties = ['id', ...changed]
      const rows = rowsOf(context, resource, properties)
      const statement = once(`update ${step.resource} ${isMixed ? 'some of' : ''} ${[...changed].join()}`, () =>
        updateRows(context, resource, rows, isMixed),
      )
      const values = step.rows.map((row) =>
        properties.map((name) =>
          name === 'id' ? row.id : Object.hasOwn(row.values, name) ? row.values[name] : ABSENT,
        ),
      )
      return { statement, values: { rows: dialect.encodeRows(values, rows) } }
    }
    case 'insert': {
      const resource = resourceOf(model, step.resource)
      const properties = ['id', ...Object.keys(step.rows[0]?.values ?? {})]
      const rows = rowsOf(context, resource, properties)
      const statement = once(`insert ${step.resource} ${properties.join()}`, () => insertRows(context, resource, rows))
      const values = step.rows.map((row) => properties.map((name) => (name === 'id' ? row.id : row.values[name])))
      return { statement, values: { rows: dialect.encodeRows(values, rows) } }
    }
    case 'link': {
      const link = linkOf(model, step.relation)
      const rows = pairsOf(context, link)
      const statement = once(`link ${nameOf(step.relation)}`, () => insertPairs(context, link, rows))
      return {
        statement,
        values: {
          rows: dialect.encodeRows(
            step.pairs.map((pair) => [pair.from, pair.to]),
            rows,
          ),
        },
      }
    }
  }
}

function updateRows({ dialect, names }: QueryContext, resource: Resource, rows: RowsTable, isMixed: boolean): Sql {
  const [id, ...changed] = rows.columns as [RowsColumn, ...RowsColumn[]]
  const assignments = changed.map((one) => {
    const value = column('x', one.name)
    if (!isMixed) return sql`${sql.id(one.name)} = ${value}`
    return sql`${sql.id(one.name)} = case when ${dialect.hasColumn('x', one, rows)} then ${value} else ${column('t', one.name)} end`
  })
  return sql`update ${names.table(resource.table).sql} as ${sql.id('t')} set ${join(assignments)} from ${dialect.rows(slot('rows'), rows)} as ${sql.id('x')} where ${column('t', id.name)} = ${column('x', id.name)}`
}

function insertRows({ dialect, names }: QueryContext, resource: Resource, rows: RowsTable): Sql {
  const columns = rows.columns.map((one) => sql`${sql.id(one.name)}`)
  const values = rows.columns.map((one) => column('x', one.name))
  return sql`insert into ${names.table(resource.table).sql} (${join(columns)}) ${dialect.insertIds} select ${join(values)} from ${dialect.rows(slot('rows'), rows)} as ${sql.id('x')}`
}

function insertPairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable): Sql {
  const table = names.table(link.table).sql
  const [from, to] = [column('x', link.from), column('x', link.to)]
  const present = sql`select 1 from ${table} as ${sql.id('t')} where ${column('t', link.from)} = ${from} and ${column('t', link.to)} = ${to}`
  return sql`insert into ${table} (${sql.id(link.from)}, ${sql.id(link.to)}) select ${from}, ${to} from ${dialect.rows(slot('rows'), rows)} as ${sql.id('x')} where not exists (${present})`
}

function deletePairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable): Sql {
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  return sql`delete from ${names.table(link.table).sql} where (${from}, ${to}) in (select ${column('x', link.from)}, ${column('x', link.to)} from ${dialect.rows(slot('rows'), rows)} as ${sql.id('x')})`
}

function rowsOf({ names }: QueryContext, resource: Resource, properties: readonly string[]): RowsTable {
  const columns = properties.map((property): RowsColumn => {
    const name = columnNameOf(resource, property)
    return { name, inDatabase: names.column(name), storage: fieldOf(resource, property)?.storage ?? 'id' }
  })
  return { table: names.table(resource.table), columns }
}

function pairsOf({ names }: QueryContext, link: Link): RowsTable {
  const columns = [link.from, link.to].map(
    (name): RowsColumn => ({ name, inDatabase: names.column(name), storage: 'id' }),
  )
  return { table: names.table(link.table), columns }
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
