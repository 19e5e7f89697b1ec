/** Whether the tests' tables of tenants have partitions, which only PostgreSQL has. */
export const havePartitions = process.env.TEST_TENANTS === 'partitions'
