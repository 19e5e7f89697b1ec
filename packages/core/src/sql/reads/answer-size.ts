import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import type { Sql } from '../text/sql-text.ts'

/** The highest limit that can be set, in bytes: a string of V8 holds twice as many characters. */
export const HIGHEST_MAX_ANSWER = 256 * 1024 * 1024

/** Stands for an answer that is too large. No JSON object begins like this. */
export const TOO_LARGE = sql`'too large'`

/**
 * A query that gives JSON in its column `json`, or {@link TOO_LARGE} if the JSON is larger than an answer may be. `summarySize`
 * is the part of the size that is known before the JSON is built; `from` is the rest of the query, from its FROM on.
 */
export function answerQuery(
  { dialect, maxAnswer }: QueryContext,
  json: Sql,
  summarySize: Sql | undefined,
  from: Sql = sql``,
): Sql {
  const most = sql.lit(maxAnswer)
  const answer =
    summarySize === undefined ? json : sql`case when ${summarySize} > ${most} then ${TOO_LARGE} else ${json} end`
  if (!dialect.sendsAnswers) return sql`select ${answer} as json ${from}`
  const text = sql`${sql.id('crud_answer')}.json`
  // With the offset PostgreSQL builds the JSON once. Without it, it would build it twice: to measure it, and to send it.
  return sql`select case when octet_length(${text}) > ${most} then ${TOO_LARGE} else ${text} end as json from (select ${answer} as json ${from} offset 0) as ${sql.id('crud_answer')}`
}
