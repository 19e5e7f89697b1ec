import { sql } from 'kysely'
import type { ColumnCondition, Constant } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import { constantText } from '../dialect/constant-text.ts'
import { databaseOf } from '../dialect/database.ts'
import type { Sql } from './sql-text.ts'

export function columnCondition(context: QueryContext, column: Sql, is: ColumnCondition): Sql {
  if (typeof is === 'string') return is === 'null' ? sql`${column} is null` : sql`${column} is not null`
  return sql`${column} = ${constantSql(context, is.value)}`
}

export function constantSql({ db }: QueryContext, value: Constant): Sql {
  return sql.raw(constantText(databaseOf(db), value))
}
