import pg from 'pg'

/** As the option `types` of `pg` takes it. */
export interface PostgresTypes {
  getTypeParser(type: number, format?: 'text' | 'binary'): (value: string) => unknown
}

const { INT8, DATE } = pg.types.builtins

/**
 * How values of PostgreSQL are read: as `pg` reads them, but for `bigint`, which is a number like every id of the service, and
 * `date`, which is text such as `'2026-05-01'`. (`pg` makes text of the first, and of the second a moment in the server's time
 * zone, which is another day elsewhere.) A number beyond 2^53 stays text, so nothing is rounded.
 *
 * `openPostgres` sets it. A pool of your own that is to have these values needs it, too.
 *
 * @example
 * const pool = new Pool({ connectionString, types: postgresTypes })
 */
export const postgresTypes: PostgresTypes = {
  getTypeParser(type, format = 'text') {
    if (format === 'text' && type === INT8) return toInteger
    if (format === 'text' && type === DATE) return String
    return pg.types.getTypeParser(type, format)
  },
}

function toInteger(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}
