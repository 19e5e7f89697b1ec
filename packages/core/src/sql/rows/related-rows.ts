import { sql } from 'kysely'
import { mayHide } from '../../asking/policies/rights.ts'
import type { Relation } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { rowId } from '../text/member-id-sql.ts'
import type { Source } from '../text/sql-text.ts'
import { column, type Sql } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { inside } from './path-condition.ts'
import { visibleBelow, visibleRows } from './visible-rows.ts'

/** The records at the other end of a relation, as one that reads may see them. `alias` is that of the near end. */
export interface RelatedRows {
  /** The name of the far end's rows. */
  readonly alias: string
  /** Whether a row of the near end is related to a record that fulfils the conditions: the planner may begin at either
   * end. */
  isRelated(...conditions: readonly Sql[]): Sql
  /** `from … where …`, with the records that are related to the row of the near end and fulfil the conditions. */
  from(...conditions: readonly Sql[]): Sql
  /** How many records are related to the row of the near end. */
  readonly count: Sql
}

/** `far`: the alias of the far end. */
export function relatedRows(
  context: QueryContext,
  relation: Relation,
  alias: string,
  far: string = inside(alias),
): RelatedRows {
  const { source, target } = relation
  const [nearId, farId] = [rowId(source, alias), rowId(target, far)]
  switch (relation.kind) {
    case 'owns':
      return byColumns(visibleBelow(context, target, far), far, nearId, column(far, relation.inverse.column))
    case 'ownedBy':
      return byColumns(visibleBelow(context, target, far), far, column(alias, relation.column), farId)
    case 'reference':
      return byColumns(visibleRows(context, target, far), far, column(alias, relation.column), farId)
    case 'link':
      return byLinks(context, relation, alias, relation.fromColumn, relation.toColumn, relation)
    case 'neededBy': {
      const { inverse } = relation
      if (inverse.kind === 'link') {
        return byLinks(context, relation, alias, inverse.toColumn, inverse.fromColumn, inverse)
      }
      return byColumns(visibleRows(context, target, far), far, nearId, column(far, inverse.column))
    }
  }
}

/** A value of the record at the end of a path, each relation of which leads to one record at most; null if there is no
 * such record. */
export function alongPath(
  context: QueryContext,
  [first, ...others]: readonly Relation[],
  alias: string,
  valueAt: (alias: string) => Sql,
): Sql {
  if (first === undefined) return valueAt(alias)
  const { from, alias: far } = relatedRows(context, first, alias)
  return sql`(select ${alongPath(context, others, far, valueAt)} ${from()} limit 1)`
}

/** Joins the record that a row names, if any. Undefined where nothing tells the database that there is one at most. */
export function leftJoinOf(context: QueryContext, relation: Relation, alias: string, far: string): Sql | undefined {
  if (relation.kind !== 'reference' && relation.kind !== 'ownedBy') return undefined
  const { target } = relation
  const visible = relation.kind === 'reference' ? visibleRows : visibleBelow
  const isNamed = sql`${rowId(target, far)} = ${column(alias, relation.column)}`
  return sql`left join ${visible(context, target, far).joinedOn(isNamed)}`
}

/** Related by a foreign key at one of the ends. */
function byColumns(rows: Source, alias: string, near: Sql, far: Sql): RelatedRows {
  const from = (...conditions: readonly Sql[]) => rows.from(sql`${far} = ${near}`, ...conditions)
  return {
    alias,
    isRelated: (...conditions) => sql`${near} in (select ${far} ${rows.from(...conditions)})`,
    from,
    count: sql`(select count(*) ${from()})`,
  }
}

/** Related by the rows of a link table. */
function byLinks(
  context: QueryContext,
  { source, target }: Relation,
  alias: string,
  nearColumn: string,
  farColumn: string,
  table: Extract<Relation, { kind: 'link' }>,
): RelatedRows {
  const far = inside(alias)
  const pair = `${far}l`
  const links = storedRows(context, table, pair)
  const rows = visibleRows(context, target, far)
  const [near, toFar] = [column(pair, nearColumn), column(pair, farColumn)]
  const [nearId, farId] = [rowId(source, alias), rowId(target, far)]
  const isLinked = sql`${near} = ${nearId}`
  const isShown = mayHide(context.rights, target) ? [sql`exists (select 1 ${rows.from(sql`${farId} = ${toFar}`)})`] : []
  return {
    alias: far,
    isRelated(...conditions) {
      const isAny = conditions.length === 0 && isShown.length === 0
      const among = isAny ? [] : [sql`${toFar} in (select ${farId} ${rows.from(...conditions)})`]
      return sql`${nearId} in (select ${near} ${links.from(...among)})`
    },
    from: (...conditions) => rows.from(sql`${farId} in (select ${toFar} ${links.from(isLinked)})`, ...conditions),
    count: sql`(select count(*) ${links.from(isLinked, ...isShown)})`,
  }
}
