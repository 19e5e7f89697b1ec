import type { PostgresPool } from './postgres-pool.ts'

/** What PgBouncer says: https://www.pgbouncer.org/config.html#ignore_startup_parameters */
const REFUSED_SETTING = /^unsupported startup parameter(?: in options)?: "?(\w+)/

const REMEDY =
  'a pooler refuses the settings that openPostgres sends. Say that there is one: openPostgres(url, { pooler: true })'

/** The same pool. Where a pooler refuses a connection because of its settings, the error says what to do. */
export function explainRefusedSettings(pool: PostgresPool): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      try {
        return await pool.connect()
      } catch (error) {
        if (error instanceof Error && REFUSED_SETTING.test(error.message)) error.message += `: ${REMEDY}`
        throw error
      }
    },
    end: () => pool.end(),
    on: (event: string, listener: unknown) => pool.on(event as never, listener as never),
  }
}
