import { sql } from 'kysely'
import type { Id } from '../../model/ids.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import { idValue, type NewIds, unknownRow } from '../../plan/order/new-ids.ts'
import type { OrderedStep } from '../../plan/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import type { RowsTable } from '../dialect/dialect.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import type { Once } from '../text/once.ts'
import { column, type Sql, slot } from '../text/sql-text.ts'
import { insertInto, storedRows } from '../text/stored-rows.ts'
import { Inserts } from './inserts.ts'
import { isOneOf, pairsOf, type StepPart, StepShape, someIds } from './step-shape.ts'
import { Updates } from './updates.ts'

/** The steps of plans as SQL. */
export interface Steps {
  part(step: OrderedStep, newIds: NewIds): StepPart
}

export function stepsOf(context: QueryContext, once: Once): Steps {
  const { dialect } = context
  const rowSteps = new WeakMap<Resource, RowSteps>()

  function ofRows(resource: Resource): RowSteps {
    let steps = rowSteps.get(resource)
    if (steps === undefined) {
      steps = rowStepsOf(context, resource)
      rowSteps.set(resource, steps)
    }
    return steps
  }

  function part(step: OrderedStep, newIds: NewIds): StepPart {
    switch (step.step) {
      case 'unlink':
      case 'link': {
        const { relation: link } = step
        const rows = once.of(link, 'pairs', () => pairsOf(context, link))
        const sources = step.pairs.map(({ from }) => from)
        const isOfNew = unknownRow(sources, newIds) !== undefined
        const kind = isOfNew ? 'link of new' : step.step
        const shape = once.of(
          link,
          kind,
          () =>
            new StepShape(context, `${kind} ${nameOf(link)}`, (first, idOf) =>
              step.step === 'unlink'
                ? deletePairs(context, link, rows, slot(first))
                : insertPairs(context, link, rows, slot(first), isOfNew ? idOf(link.source) : undefined),
            ),
        )
        const pairs = step.pairs.map(({ from, to }) => [idValue(from, newIds), to])
        return { shape, values: [dialect.encodeRows(pairs, rows)] }
      }
      case 'unlinkAll': {
        const { relation: link, side, ids } = step
        const unlink = once.of(link, side === 'from' ? 'unlinkAll from' : 'unlinkAll to', () =>
          byIds(
            context,
            side === 'from' ? link.source : link.target,
            `unlinkAll ${side} ${nameOf(link)}`,
            (isAmong) => {
              const id = sql.id(side === 'from' ? link.fromColumn : link.toColumn)
              return storedRows(context, link).delete(sql`${id} ${isAmong}`)
            },
          ),
        )
        return unlink(ids)
      }
      case 'clear': {
        const { relation } = step
        const clear = once.of(relation, 'clear', () =>
          byIds(context, relation.target, `clear ${nameOf(relation)}`, (isAmong) => {
            const key = sql.id(relation.column)
            return storedRows(context, relation.source).update(sql`${key} = null`, sql`${key} ${isAmong}`)
          }),
        )
        return clear(step.ids)
      }
      case 'release': {
        const { relation } = step
        const release = once.of(relation, 'release', () =>
          byIds(context, relation.source, `release ${nameOf(relation)}`, (isAmong) => {
            const { source, column } = relation
            return storedRows(context, source).update(
              sql`${sql.id(column)} = null`,
              sql`${sql.id(source.idColumn)} ${isAmong}`,
            )
          }),
        )
        return release(step.ids)
      }
      case 'delete':
        return ofRows(step.resource).delete(step.ids)
      case 'park':
      case 'update':
      case 'swap':
        return ofRows(step.resource).update.several(step.rows)
      case 'insert':
        return ofRows(step.resource).insert.several(step.rows, newIds)
    }
  }

  return { part }
}

interface RowSteps {
  readonly insert: Inserts
  readonly update: Updates
  readonly delete: (ids: readonly Id[]) => StepPart
}

function rowStepsOf(context: QueryContext, resource: Resource): RowSteps {
  return {
    insert: new Inserts(context, resource),
    update: new Updates(context, resource),
    delete: byIds(context, resource, `delete ${resource.key}`, (isAmong) =>
      storedRows(context, resource).delete(sql`${sql.id(resource.idColumn)} ${isAmong}`),
    ),
  }
}

/** A step about ids of a resource; `statement` is given the condition that a column is one of them, to stand behind it. */
function byIds(
  context: QueryContext,
  resource: Resource,
  name: string,
  statement: (isAmong: Sql) => Sql,
): (ids: readonly Id[]) => StepPart {
  const idSql = idSqlOf(context, resource)
  const shapes: StepShape[] = []
  return (ids) => {
    const { count, values } = someIds(idSql, ids)
    shapes[count] ??= new StepShape(context, `${name} ${count}`, (first) => statement(isOneOf(idSql, count, first)))
    return { shape: shapes[count], values }
  }
}

/** `newId`: the id of the new row that takes the place of NULL. */
function insertPairs(context: QueryContext, link: Link, rows: RowsTable, parameter: Sql, newId: Sql | undefined): Sql {
  const [source, to] = [column('x', link.fromColumn), column('x', link.toColumn)]
  const from = newId === undefined ? source : sql`coalesce(${source}, ${newId})`
  const same = [sql`${column('t', link.fromColumn)} = ${from}`, sql`${column('t', link.toColumn)} = ${to}`]
  const isPresent = sql`exists (select 1 ${storedRows(context, link, 't').from(...same)})`
  const given = sql`${context.dialect.rows(parameter, rows, 'joined')} as ${sql.id('x')}`
  return sql`${insertInto(context, link, [link.fromColumn, link.toColumn])} select ${from}, ${to} from ${given} where not ${isPresent}`
}

function deletePairs(context: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const [from, to] = [sql.id(link.fromColumn), sql.id(link.toColumn)]
  const given = sql`${context.dialect.rows(parameter, rows, 'joined')} as ${sql.id('x')}`
  const isGiven = sql`(${from}, ${to}) in (select ${column('x', link.fromColumn)}, ${column('x', link.toColumn)} from ${given})`
  return storedRows(context, link).delete(isGiven)
}

function nameOf({ source, name }: Reference | Link): string {
  return `${source.key}.${name}`
}
