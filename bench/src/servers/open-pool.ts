import pg from 'pg'

/** A pool as every side has it: the driver's defaults. */
export function openPool(connectionString: string, config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, ...config })
  // A connection that the server drops while nobody uses it must not end the process.
  pool.on('error', () => {})
  return pool
}
