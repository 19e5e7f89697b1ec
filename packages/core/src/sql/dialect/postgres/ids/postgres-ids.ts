import { sql } from 'kysely'
import type { IdStorage } from '../../../../model/ids/id-kind.ts'
import type { IdSql } from '../../id-sql.ts'
import { bigintIdSqlOn, type CountingFacts, integerIdSqlOn } from './integer-id-sql.ts'
import { textIdSql, uuidIdSql, uuidTextSql } from './text-id-sql.ts'
import { valueIdSql } from './value-id-sql.ts'

/** How ids stand in the SQL of PostgreSQL, and of engines that may lack what counts them. */
export const postgresIdsOn = (facts: CountingFacts): Readonly<Record<IdStorage, IdSql>> =>
  Object.freeze({
    integer: integerIdSqlOn(facts),
    bigint: bigintIdSqlOn(facts),
    text: textIdSql,
    value: valueIdSql,
    uuid: uuidIdSql,
    'uuid, lower': uuidTextSql(
      (id) => id,
      (id) => id,
    ),
    'uuid, upper': uuidTextSql(
      (id) => sql`upper(${id})`,
      (id) => sql`lower(${id})`,
    ),
    'uuid, hex': uuidTextSql(
      (id) => sql`replace(${id}, '-', '')`,
      (id) => sql`(${id})::uuid::text`,
    ),
  })

export const postgresIds = postgresIdsOn({ advisoryLocks: true, identityColumns: true })
