import { sql } from 'kysely'
import type { IdStorage } from '../../../../model/ids/id-kind.ts'
import type { Sql } from '../../../text/sql-text.ts'
import type { IdSql } from '../../id-sql.ts'
import { bigintIdSql, integerIdSql } from './integer-id-sql.ts'
import { HYPHENATED_AFFINITIES, textIdSql, uuidTextSql } from './text-id-sql.ts'

const asItIs = (id: Sql): Sql => id

const hyphenated = (hex: Sql): Sql =>
  sql`(substr(${hex}, 1, 8) || '-' || substr(${hex}, 9, 4) || '-' || substr(${hex}, 13, 4) || '-' || substr(${hex}, 17, 4) || '-' || substr(${hex}, 21))`

/** A random UUID (RFC 9562, version 4) in lower case. SQLite takes no subquery as the default of a column. */
function randomUuid(hyphen: Sql): Sql {
  const hex = (bytes: number) => sql.raw(`lower(hex(randomblob(${bytes})))`)
  const variant = sql`substr('89ab', 1 + (random() & 3), 1)`
  return sql`(${hex(4)} || ${hyphen} || ${hex(2)} || ${hyphen} || '4' || substr(${hex(2)}, 2) || ${hyphen} || ${variant} || substr(${hex(2)}, 2) || ${hyphen} || ${hex(6)})`
}

const lower = uuidTextSql(asItIs, asItIs, randomUuid(sql`'-'`), HYPHENATED_AFFINITIES)

/** How ids stand in the SQL of SQLite, which has no type of its own for UUIDs. */
export const sqliteIds: Readonly<Record<IdStorage, IdSql>> = Object.freeze({
  integer: integerIdSql,
  bigint: bigintIdSql,
  text: textIdSql,
  value: textIdSql,
  uuid: lower,
  'uuid, lower': lower,
  'uuid, upper': uuidTextSql(
    (id) => sql`upper(${id})`,
    (id) => sql`lower(${id})`,
    sql`(upper(${randomUuid(sql`'-'`)}))`,
    HYPHENATED_AFFINITIES,
  ),
  'uuid, hex': uuidTextSql(
    (id) => sql`replace(${id}, '-', '')`,
    (id) => hyphenated(sql`lower(${id})`),
    randomUuid(sql`''`),
  ),
})
