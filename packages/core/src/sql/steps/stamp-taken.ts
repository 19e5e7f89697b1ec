import { sql } from 'kysely'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Owns } from '../../model/model.ts'
import { type QueryContext, withDeleted } from '../context.ts'
import { idSqlOf } from '../text/id-sql-of.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { column, join, slot } from '../text/sql-text.ts'
import type { StatementCache } from '../text/statement-cache.ts'
import { storedRows } from '../text/stored-rows.ts'
import { stampColumn } from './step-shape.ts'

/** A relation, and some owners. */
export interface OwnersIn {
  readonly owns: Owns
  readonly ids: readonly Id[]
}

export interface StampQuery {
  /** A row if one of the owners has a record that an earlier write has deleted with this moment. */
  readonly query: Prepared
  readonly values: readonly unknown[]
}

const ALIAS = 't'

export function stampQueries(
  context: QueryContext,
  statements: StatementCache,
): (owners: readonly OwnersIn[], at: string) => StampQuery {
  const queryOf = statements.each((context, relations: readonly Owns[]) => {
    const columns = relations.map(({ target }) => stampColumn(context, target))
    const areTaken = relations.map(({ source, target, inverse }, index) => {
      const stamped = columns[index] as (typeof columns)[number]
      const isOwned = sql`${column(ALIAS, inverse.column)} in (${idSqlOf(context, source).list(slot(index * 2))})`
      const isSame = sql`${column(ALIAS, stamped.name)} = ${context.dialect.value(slot(index * 2 + 1), stamped)}`
      return sql`exists (select 1 ${storedRows(withDeleted(context), target, ALIAS).from(isOwned, isSame)})`
    })
    return { query: prepare(context.db, sql`select 1 as one where ${join(areTaken, sql` or `)}`), columns }
  })
  return (owners, at) => {
    const { query, columns } = queryOf(owners.map(({ owns }) => owns))
    const values = owners.flatMap(({ owns, ids }, index) => [
      idSqlOf(context, owns.source).encodeList(ids),
      context.dialect.encodeValue(at, columns[index] as (typeof columns)[number]),
    ])
    return { query, values }
  }
}
