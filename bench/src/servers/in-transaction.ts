import type { Pool, PoolClient } from 'pg'

/** Does work on one connection of a pool; what it has begun is rolled back if it rejects. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    return await work(client)
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
