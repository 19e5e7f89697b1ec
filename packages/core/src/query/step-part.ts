import { sql } from 'kysely'
import { type Link, type Model, type Reference, resourceOf } from '../model/model.ts'
import type { RelationName, Step } from '../plan/plan.ts'
import type { QueryContext } from './context.ts'
import type { RowsTable } from './dialect.ts'
import { insertPart } from './insert-part.ts'
import type { NewIds } from './new-ids.ts'
import type { Once } from './prepare.ts'
import { pairsOf } from './rows-shape.ts'
import { someIds } from './some-ids.ts'
import { column, type Sql, slot } from './sql-text.ts'
import { updatePart } from './update-part.ts'

/**
 * One step of a plan as SQL. While they are few, rows and ids are parameters of their own; more travel in one, so that the
 * SQL depends on the kind of step and its columns only.
 */
export interface StepPart {
  /** Equal SQL has equal names. */
  readonly name: string
  readonly values: readonly unknown[]
  /** The statement; its slots are numbered from `first` on, `newIds` tells how it finds the ids of new rows. */
  sql(first: number, newIds: NewIds): Sql
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
      const among = someIds(dialect, step.ids)
      return {
        name: `unlinkAll ${nameOf(step.relation)} ${step.side} ${among.name}`,
        values: among.values,
        sql: (first) => sql`delete from ${names.table(link.table).sql} where ${sql.id(side)} ${among.sql(first)}`,
      }
    }
    case 'clear': {
      const { source, column: key } = referenceOf(model, step.relation)
      const among = someIds(dialect, step.ids)
      return {
        name: `clear ${nameOf(step.relation)} ${among.name}`,
        values: among.values,
        sql: (first) =>
          sql`update ${names.table(source.table).sql} set ${sql.id(key)} = null where ${sql.id(key)} ${among.sql(first)}`,
      }
    }
    case 'delete': {
      const { table, idColumn } = resourceOf(model, step.resource)
      const among = someIds(dialect, step.ids)
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

function insertPairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable, parameter: Sql, ids: NewIds): Sql {
  const table = names.table(link.table).sql
  const [from, to] = [ids.id(link.from, 0), column('x', link.to)]
  const present = sql`select 1 from ${table} as ${sql.id('t')} where ${column('t', link.from)} = ${from} and ${column('t', link.to)} = ${to}`
  return sql`insert into ${table} (${sql.id(link.from)}, ${sql.id(link.to)}) select ${from}, ${to} from ${dialect.rows(parameter, rows, 'joined')} as ${sql.id('x')}${ids.join([link.from])} where not exists (${present})`
}

function deletePairs({ dialect, names }: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const [from, to] = [sql.id(link.from), sql.id(link.to)]
  return sql`delete from ${names.table(link.table).sql} where (${from}, ${to}) in (select ${column('x', link.from)}, ${column('x', link.to)} from ${dialect.rows(parameter, rows, 'joined')} as ${sql.id('x')})`
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
