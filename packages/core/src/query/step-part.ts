import { sql } from 'kysely'
import type { Link, Reference, Resource } from '../model/model.ts'
import type { OrderedStep } from '../plan/ordered.ts'
import type { QueryContext } from './context.ts'
import type { RowsTable } from './dialect.ts'
import { insertPart } from './insert-part.ts'
import { encodeId, type KnownIds, type NewIds } from './new-ids.ts'
import type { Once } from './prepare.ts'
import { pairsOf } from './rows-shape.ts'
import { isOneOf, someIds } from './some-ids.ts'
import { column, type Sql, slot } from './sql-text.ts'
import { type StepPart, type StepShape, stepShape } from './step-shape.ts'
import { updatePart } from './update-part.ts'

/** One step of a plan as SQL. `givesIds`: new rows bring their ids, rather than have the database give them. */
export function stepPart(
  context: QueryContext,
  step: OrderedStep,
  known: KnownIds,
  givesIds: boolean,
  once: Once,
): StepPart {
  const { dialect, names } = context
  switch (step.step) {
    case 'unlink':
    case 'link': {
      const { relation: link } = step
      const rows = once.of(link, 'pairs', () => pairsOf(context, link))
      const isLink = step.step === 'link'
      const shape = once.of(link, step.step, () =>
        stepShape(context, `${step.step} ${nameOf(link)}`, (first, ids) =>
          isLink ? insertPairs(context, link, rows, slot(first), ids) : deletePairs(context, link, rows, slot(first)),
        ),
      )
      const pairs = step.pairs.map(({ from, to }) => [encodeId(from, known), to])
      return { shape, values: [dialect.encodeRows(pairs, rows)] }
    }
    case 'unlinkAll': {
      const { relation: link, side, ids } = step
      return byIds(context, link, side === 'from' ? 'unlinkAll from' : 'unlinkAll to', ids, once, (isAmong) => {
        const id = sql.id(side === 'from' ? link.from : link.to)
        return sql`delete from ${names.table(link.table).sql} where ${id} ${isAmong}`
      })
    }
    case 'clear': {
      const { source, column: key } = step.relation
      return byIds(context, step.relation, 'clear', step.ids, once, (isAmong) => {
        return sql`update ${names.table(source.table).sql} set ${sql.id(key)} = null where ${sql.id(key)} ${isAmong}`
      })
    }
    case 'delete':
      return byIds(context, step.resource, 'delete', step.ids, once, (isAmong) =>
        deleteRows(context, step.resource, isAmong),
      )
    case 'park':
    case 'update':
      return updatePart(context, step.resource, step.rows, once)
    case 'insert':
      return insertPart(context, step.resource, step.rows, known, givesIds, once)
  }
}

/** Deletes one row, whose id is the only value. */
export function deleteOne(context: QueryContext, resource: Resource, once: Once): StepShape {
  return once.of(resource, 'delete one', () =>
    stepShape(context, `delete one ${resource.key}`, (first) => deleteRows(context, resource, sql`= ${slot(first)}`)),
  )
}

function deleteRows({ names }: QueryContext, { table, idColumn }: Resource, isAmong: Sql): Sql {
  return sql`delete from ${names.table(table).sql} where ${sql.id(idColumn)} ${isAmong}`
}

/** A step about rows by their ids; `statement` is given the condition that a column is one of them, to stand behind it. */
function byIds(
  context: QueryContext,
  part: Resource | Reference | Link,
  doing: string,
  ids: readonly number[],
  once: Once,
  statement: (isAmong: Sql) => Sql,
): StepPart {
  const { dialect } = context
  const { count, values } = someIds(dialect, ids)
  const shapes = once.of(part, doing, (): StepShape[] => [])
  shapes[count] ??= stepShape(context, `${doing} ${nameOf(part)} ${count}`, (first) =>
    statement(isOneOf(dialect, count, first)),
  )
  return { shape: shapes[count], values }
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

function nameOf(part: Resource | Reference | Link): string {
  return 'kind' in part ? `${part.source.key}.${part.name}` : part.key
}
