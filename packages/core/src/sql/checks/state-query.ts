import { sql } from 'kysely'
import type { PolicyCondition, RowAction } from '../../asking/policies/rights.ts'
import { partsOfId } from '../../model/ids/composite-id.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Field, ForeignKey, Resource } from '../../model/model.ts'
import type { RecordData } from '../../planning/rows.ts'
import type { QueryContext } from '../context.ts'
import { ROW_INDEX } from '../dialect/dialect.ts'
import { jsonArrayQuery } from '../reads/json-text.ts'
import { fulfilsPolicy, ruleSql } from '../rows/visible-rows.ts'
import { rowsOf } from '../steps/step-shape.ts'
import { rowId } from '../text/member-id-sql.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, join, type Sql, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { ownColumns, storedRows } from '../text/stored-rows.ts'

/** A record as it was at some time. */
export interface RecordState {
  readonly row: RecordData
  /** The foreign keys of its owners, in the order of `ownedBy`. */
  readonly owners: readonly (Id | null)[]
}

/** Asks a policy about states: the JSON in the only column lists the indexes of those that it allows. */
export interface StateQuery {
  readonly query: Prepared
  readonly values: readonly unknown[]
}

/** Whether the resource's own policy allows an action with records as they were at some time. */
export type AskStates = (resource: Resource, action: RowAction, states: readonly RecordState[]) => StateQuery

export function stateQueries(context: QueryContext, statements: StatementCache): AskStates {
  const queryOf = statements.each((context, resource: Resource, action: RowAction) =>
    prepare(context.db, stateQuery(context, resource, action)),
  )
  return (resource, action, states) => {
    const { id, ownedBy, idMembers } = resource
    const members = stateMembers(resource)
    const rows = states.map(({ row, owners }) => [
      ...(idMembers.length === 0 ? partsOfId(id, row.id) : []),
      ...ownedBy.map((_, index) => owners[index] ?? null),
      ...members.map(({ property }) => row[property] ?? null),
    ])
    return {
      query: queryOf(resource, action),
      values: [context.dialect.encodeRows(rows, stateRows(context, resource))],
    }
  }
}

/** The query whose rows are states (slot 0). A policy that asks for more than a state has fails. */
export function stateQuery(context: QueryContext, resource: Resource, action: RowAction): Sql {
  const table = stateRows(context, resource)
  const fixed = ownColumns(context, resource)
  const known = new Set(table.columns.map(({ name }) => name))
  const others = fixed.filter((one) => !known.has(one.column))
  const names = [...known, ...others.map((one) => one.column)]
  const columns = names.map((name) => sql`${column('p', name)} as ${sql.id(name)}`)
  const isAllowed = fulfilsPolicy(context, resource, action, 'p', sql`select ${join(columns)}`) ?? sql`true`
  const given = context.dialect.rows(slot(0), table, 'numbered')
  const whole = [sql`${sql.id('g')}.*`, ...others.map((one) => sql`${one.value} as ${sql.id(one.column)}`)]
  const rows = sql`from (select ${join(whole)} from ${given} as ${sql.id('g')}) as ${sql.id('p')} where ${isAllowed}`
  const index = column('p', ROW_INDEX)
  return sql`select (${jsonArrayQuery(sql`cast(${index} as text)`, rows, index)}) as json`
}

/** A condition of a `View` policy, as a query that has the database check that it asks for no more than a state has. */
export function checkOfState(context: QueryContext, resource: Resource, condition: PolicyCondition): Sql {
  const { columns: all } = stateRows(context, resource)
  const names = [
    ...new Set(
      [...all, ...ownColumns(context, resource).map(({ column: name }) => ({ name }))].map(({ name }) => name),
    ),
  ]
  const [inState, inTable] = ['p', 't'].map((alias) => join(names.map((name) => column(alias, name)))) as [Sql, Sql]
  const holds = ruleSql(context, { resource, alias: 'p', row: sql`select ${inState}` }, [condition], {
    otherPolicy({ resource: target }, { sql: id }, alias) {
      return sql`(${id}) in (select ${rowId(target, alias)} ${storedRows(context, target, alias).from()})`
    },
  }) as Sql
  const state = sql`(select ${inTable} ${storedRows(context, resource, 't').from()})`
  return sql`exists (select 1 from ${state} as ${sql.id('p')} where ${holds})`
}

function stateRows(context: QueryContext, resource: Resource) {
  const columns: readonly (Field | ForeignKey)[] = [...resource.ownedBy, ...stateMembers(resource)]
  return rowsOf(context, resource, resource.idMembers.length === 0, columns)
}

/** What clients may only write is in no state. */
function stateMembers({ members }: Resource) {
  return members.filter((member) =>
    member.kind === 'field' ? !member.writeOnly || member.keepsOrder : !member.isFixed,
  )
}
