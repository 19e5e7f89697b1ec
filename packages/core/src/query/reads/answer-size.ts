import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import type { Sql } from '../sql-text.ts'

/** The most bytes of an answer that anybody may ask for: a string of V8 holds twice as many characters. */
export const HIGHEST_MAX_ANSWER = 256 * 1024 * 1024

/** Stands for an answer that would be too large: no JSON object begins so. */
const TOO_LARGE = sql`'too large'`

/**
 * A query that gives JSON in its column `json`, or, where that would be larger than an answer may be, words that say so
 * ({@link isTooLarge}). `summarySize`: what is known of the size before the JSON is built; `from`: the rest of the query, from
 * its FROM on.
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
  // With an offset the JSON is built once, rather than once to measure it and once to send it.
  return sql`select case when octet_length(${text}) > ${most} then ${TOO_LARGE} else ${text} end as json from (select ${answer} as json ${from} offset 0) as ${sql.id('crud_answer')}`
}

/** Whether a text from the database is too large for an answer, or stands for one that is. */
export function isTooLarge(json: string, maxAnswer: number): boolean {
  const isObject = json.charCodeAt(0) === OPENING_BRACE
  if (!isObject || json.length > maxAnswer) return true
  // A character has three bytes at most: nearly always there is no need to count.
  return json.length * 3 > maxAnswer && Buffer.byteLength(json) > maxAnswer
}

const OPENING_BRACE = 123
