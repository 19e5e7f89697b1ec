import { defineConfig } from 'vitest/config'
import { inContract, leftOut, OF_SQLITE } from './test/support/contract-set-ups.ts'
import config from './vitest.config.ts'

const { include = [], ...others } = config.test ?? {}

/** Random writes of one client, and of several servers. */
const RANDOM_WRITES = ['packages/fastify-crud/test/property/*.test.ts', 'test/storm/storm.test.ts']

/** Where writers meet who are tried again, whatever locks there are. */
const WITHOUT_LOCKS = [
  ...['answer-links', 'deferred-constraints', 'delete-owner', 'links', 'needed-and-known', 'one-place'],
  ...['opposite-order', 'put-put', 'tree-locks', 'unique'],
].map((name) => `test/concurrency/${name}.test.ts`)

const MOVES = ['packages/fastify-crud/test/moves/*.test.ts']

const CONTRACT = ['packages/fastify-crud/test/contract/**/*.test.ts']

/**
 * All tests, as large and as long as they get, and those that are too long for every day. Then the contract and the moves once more with ids of
 * each other kind, behind PgBouncer, in serializable transactions, on an engine that lacks what one may lack, with `softDelete`, and for the
 * records of a tenant, which are also in tables with partitions on PostgreSQL.
 */
export default defineConfig({
  ...config,
  test: {
    ...others,
    testTimeout: 120_000,
    projects: [
      {
        test: {
          name: 'all',
          include: [...include, 'packages/*/test/**/*.test-long.ts', 'test/**/*.test-long.ts'],
          env: { TEST_LONG: 'true' },
        },
      },
      ...['bigint', 'uuid', 'text', 'mixed', 'mixed the other way', 'client'].map((ids) => ({
        test: {
          name: ids,
          include: [...CONTRACT, ...MOVES],
          exclude: [...inContract(['ids/**/*']), ...leftOut({ TEST_IDS: ids })],
          env: { TEST_IDS: ids },
        },
      })),
      {
        test: {
          name: 'soft delete',
          include: [...CONTRACT, ...MOVES],
          exclude: leftOut({ TEST_SOFT_DELETE: 'true' }),
          env: { TEST_SOFT_DELETE: 'true' },
        },
      },
      { test: { name: 'pooler', include: [...CONTRACT, ...MOVES], env: { TEST_POOLER: 'true' } } },
      {
        test: {
          name: 'serializable',
          include: [...CONTRACT, ...MOVES, ...RANDOM_WRITES, 'test/concurrency/**/*.test.ts'],
          // The second counts the errors that are tried again.
          exclude: [...inContract(OF_SQLITE), 'test/concurrency/pooler.test.ts'],
          env: { TEST_ENGINE: 'serializable' },
        },
      },
      {
        test: {
          name: 'bare engine',
          include: [...CONTRACT, ...MOVES, ...RANDOM_WRITES, ...WITHOUT_LOCKS],
          exclude: [
            ...inContract(OF_SQLITE),
            ...leftOut({ TEST_ENGINE: 'bare' }),
            'packages/fastify-crud/test/moves/row-level-security.test.ts',
          ],
          env: { TEST_ENGINE: 'bare' },
        },
      },
      ...['true', 'partitions'].map((tenants) => ({
        test: {
          name: tenants === 'true' ? 'tenants' : 'tenants in partitions',
          include: [...CONTRACT, ...MOVES],
          exclude: leftOut({ TEST_TENANTS: tenants }),
          env: { TEST_TENANTS: tenants },
        },
      })),
    ],
  },
})
