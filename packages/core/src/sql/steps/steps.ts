import { sql } from 'kysely'
import type { Link, Reference, Resource } from '../../model/model.ts'
import { otherEnd } from '../../model/resource-tree.ts'
import { idValue, type NewIds, unknownRow } from '../../planning/order/new-ids.ts'
import type { OrderedStep } from '../../planning/order/ordered.ts'
import type { QueryContext } from '../context.ts'
import type { RowsTable, RowsUse } from '../dialect/dialect.ts'
import { idSqlOf, rowId } from '../text/member-id-sql.ts'
import { column, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { heldRows, insertedValues, insertInto, storedRows } from '../text/stored-rows.ts'
import { insertsOf } from './inserts.ts'
import { isOneOf, pairsOf, type StepPart, StepShape, someIds, stampColumn } from './step-shape.ts'
import { updatesOf } from './updates.ts'

/** The steps of plans as SQL. */
export interface Steps {
  part(step: OrderedStep, newIds: NewIds): StepPart
}

export function stepsOf(context: QueryContext, statements: StatementCache): Steps {
  const { dialect } = context
  const insert = insertsOf(context, statements)
  const update = updatesOf(context, statements)
  const pairs = statements.each((context, link: Link, step: 'link' | 'unlink', isOfNew: boolean) =>
    shapeOfPairs(context, link, step, isOfNew),
  )
  const numberPairs = statements.each((context, link: Link) => {
    const rows = pairsOf(context, link, [link.order as string])
    return { shape: new StepShape(context, (first) => updateNumbers(context, link, rows, slot(first))), rows }
  })
  const unlinkAll = statements.each((context, link: Link, side: 'from' | 'to', count: number) => {
    const of = side === 'from' ? link.source : link.target
    const id = sql`${sql.id(side === 'from' ? link.fromColumn : link.toColumn)}`
    return new StepShape(context, (first) => storedRows(context, link).delete(isOneOf(context, of, id, count, first)))
  })
  /** Deleted rows, too, that are only kept. `exceptCount`: undefined for no exceptions. */
  const clear = statements.each(
    (context, { source, target, column }: Reference, count: number, exceptCount: number | undefined) => {
      const key = sql`${sql.id(column)}`
      return new StepShape(context, (first) => {
        const behind = first + Math.max(count, 1)
        const isMeant =
          exceptCount === undefined ? [] : [sql`not (${isOneOf(context, source, rowId(source), exceptCount, behind)})`]
        return heldRows(context, source).update(
          sql`${key} = null`,
          isOneOf(context, target, key, count, first),
          ...isMeant,
        )
      })
    },
  )
  const release = statements.each((context, { source, column }: Reference, count: number) => {
    const id = rowId(source)
    return new StepShape(context, (first) =>
      heldRows(context, source).update(sql`${sql.id(column)} = null`, isOneOf(context, source, id, count, first)),
    )
  })
  // Of resources whose deleted records are kept, only these are removed.
  const remove = statements.each((context, resource: Resource, count: number) => {
    const id = rowId(resource)
    return new StepShape(context, (first) =>
      heldRows(context, resource).delete(isOneOf(context, resource, id, count, first)),
    )
  })
  const stamp = statements.each((context, resource: Resource, count: number) => {
    const stamped = stampColumn(context, resource)
    const shape = new StepShape(context, (first) =>
      storedRows(context, resource).update(
        sql`${sql.id(stamped.name)} = ${dialect.value(slot(first), stamped)}`,
        isOneOf(context, resource, rowId(resource), count, first + 1),
      ),
    )
    return { shape, column: stamped }
  })

  const restore = statements.each((context, resource: Resource, count: number) => {
    const { name } = stampColumn(context, resource)
    return new StepShape(context, (first) =>
      heldRows(context, resource).update(
        sql`${sql.id(name)} = null`,
        isOneOf(context, resource, rowId(resource), count, first),
      ),
    )
  })

  function part(step: OrderedStep, newIds: NewIds): StepPart {
    switch (step.step) {
      case 'unlink':
      case 'link': {
        const { relation: link } = step
        const sources = step.pairs.map(({ from }) => from)
        const { shape, rows } = pairs(link, step.step, unknownRow(sources, newIds) !== undefined)
        const numbers = step.step === 'link' ? numbersOf(link) : []
        const given = step.pairs.map(({ from, to, numbers: given }) => {
          return [idValue(from, newIds), to, ...numbers.map((name) => given?.[name] ?? null)]
        })
        return { shape, values: [dialect.encodeRows(given, rows)] }
      }
      case 'unlinkAll': {
        const { relation, side } = step
        const { count, values } = someIds(
          idSqlOf(context, side === 'from' ? relation.source : relation.target),
          step.ids,
        )
        return { shape: unlinkAll(relation, side, count), values }
      }
      case 'clear': {
        const { relation, except } = step
        const { count, values } = someIds(idSqlOf(context, relation.target), step.ids)
        const excepted = except && someIds(idSqlOf(context, relation.source), except)
        return { shape: clear(relation, count, excepted?.count), values: [...values, ...(excepted?.values ?? [])] }
      }
      case 'release': {
        const { count, values } = someIds(idSqlOf(context, step.relation.source), step.ids)
        return { shape: release(step.relation, count), values }
      }
      case 'delete': {
        const { count, values } = someIds(idSqlOf(context, step.resource), step.ids)
        return { shape: remove(step.resource, count), values }
      }
      case 'stamp': {
        const { count, values } = someIds(idSqlOf(context, step.resource), step.ids)
        const { shape, column } = stamp(step.resource, count)
        return { shape, values: [dialect.encodeValue(step.at, column), ...values] }
      }
      case 'restore': {
        const { count, values } = someIds(idSqlOf(context, step.resource), step.ids)
        return { shape: restore(step.resource, count), values }
      }
      case 'park':
      case 'update':
      case 'swap':
        return update(step.resource, step.rows)
      case 'number': {
        if ('resource' in step) return update(step.resource, step.rows)
        const { shape, rows } = numberPairs(step.relation)
        const given = step.rows.map(({ owner, id, number }) => [owner, id, number])
        return { shape, values: [dialect.encodeRows(given, rows)] }
      }
      case 'insert':
        return insert(step.resource, step.rows, newIds)
    }
  }

  return { part }
}

/** `isOfNew`: the links of a new row whose id is not known yet. */
function shapeOfPairs(context: QueryContext, link: Link, step: 'link' | 'unlink', isOfNew: boolean) {
  const rows = pairsOf(context, link, step === 'link' ? numbersOf(link) : [])
  if (step === 'unlink')
    return { shape: new StepShape(context, (first) => deletePairs(context, link, rows, slot(first))), rows }
  const shape = new StepShape(
    context,
    (first, idOf) => insertPairs(context, link, rows, slot(first), isOfNew ? idOf(link.source) : undefined),
    isOfNew ? undefined : (first) => pairsThere(context, link, rows, slot(first)),
  )
  return { shape, rows }
}

function insertPairs(context: QueryContext, link: Link, rows: RowsTable, parameter: Sql, newId: Sql | undefined): Sql {
  const [source, to] = [column('x', link.fromColumn), column('x', link.toColumn)]
  const numbers = numbersOf(link)
  const from = newId === undefined ? source : sql`coalesce(${source}, ${newId})`
  const given = givenPairs(context, rows, parameter)
  const into = insertInto(context, link, [link.fromColumn, link.toColumn, ...numbers])
  return sql`${into} select ${insertedValues(context, link, [from, to, ...numbers.map((name) => column('x', name))])} from ${given} where not ${isThere(context, link, from)}`
}

/** The columns of the numbers that a link has in the arrays of its ends. */
function numbersOf(link: Link): readonly string[] {
  return [link.order, otherEnd(link)?.order].filter((name) => name !== undefined)
}

function updateNumbers(context: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const { fromColumn, toColumn, order } = link
  const isGiven = [fromColumn, toColumn].map((name) => sql`${column('t', name)} = ${column('x', name)}`)
  const assignment = sql`${sql.id(order as string)} = ${column('x', order as string)}`
  return storedRows(context, link, 't').update(
    sql`${assignment} from ${givenPairs(context, rows, parameter, 'set')}`,
    ...isGiven,
  )
}

/** How many of the pairs are linked. */
function pairsThere(context: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const given = givenPairs(context, rows, parameter)
  return sql`select count(*) from ${given} where ${isThere(context, link, column('x', link.fromColumn))}`
}

function givenPairs(context: QueryContext, rows: RowsTable, parameter: Sql, use: RowsUse = 'joined'): Sql {
  return sql`${context.dialect.rows(parameter, rows, use)} as ${sql.id('x')}`
}

/** Whether a given pair is linked. */
function isThere(context: QueryContext, link: Link, from: Sql): Sql {
  const same = [
    sql`${column('t', link.fromColumn)} = ${from}`,
    sql`${column('t', link.toColumn)} = ${column('x', link.toColumn)}`,
  ]
  return sql`exists (select 1 ${storedRows(context, link, 't').from(...same)})`
}

function deletePairs(context: QueryContext, link: Link, rows: RowsTable, parameter: Sql): Sql {
  const [from, to] = [sql.id(link.fromColumn), sql.id(link.toColumn)]
  const given = givenPairs(context, rows, parameter)
  const isGiven = sql`(${from}, ${to}) in (select ${column('x', link.fromColumn)}, ${column('x', link.toColumn)} from ${given})`
  return storedRows(context, link).delete(isGiven)
}
