import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

const { include = [], ...others } = config.test ?? {}

/**
 * Tests of the contract that do not hold for a tenant's records as they are: they choose ids that the database counts, write rows by themselves,
 * make stores without a tenant, or look at all tables.
 */
const WITHOUT_TENANTS = [
  ...[
    'authorize',
    'authorize-refusal',
    'camel-case',
    'category',
    'columns',
    'create',
    'delete',
    'delete-alone',
    'delete-needed',
  ],
  ...[
    'delete-owner',
    'etag',
    'favourite',
    'fields-given',
    'fields-write-only',
    'handlers',
    'if-match',
    'if-match-required',
  ],
  ...['if-none-match', 'impossible-ids', 'knows-itself', 'max-answer', 'methods', 'owns-one-endpoints', 'path-ids'],
  'order/rights',
  ...['prefer-return', 'prefer-rollback', 'query-keys', 'unique-swaps', 'whose-child'],
  ...['every-relation', 'given-by-client', 'parts', 'round-trip'].map((name) => `ids/${name}`),
  ...['one-member', 'order-of-refusals', 'problems', 'spellings', 'undone'].map((name) => `ids/composite/${name}`),
]

/** Tests in which a record is new or is not, whatever its body says: who gives ids has to know. */
const WITHOUT_CLIENT = [
  ...['many-upsert', 'many-update', 'many-by-filter', 'many-repeat', 'idempotency-key'],
  ...['top-level/many', 'order/rights'],
]

/** Tests that look at rows, keys or statements by themselves, or that give a new record the id of a deleted one. */
const WITHOUT_SOFT_DELETE = [
  ...['authorize', 'camel-case', 'delete-alone', 'fields-unique', 'shared-table', 'unique-swaps'],
  ...['given-by-client', 'round-trip'].map((name) => `ids/${name}`),
]

const OF_SQLITE = ['values-unshown']

/** Tests of SQLite, those that ask for the unique keys of a model without tenants, which no partitioned table can have, and those that
 * drop a table of which statements are explained first. */
const WITHOUT_PARTITIONS = ['unique-partial', 'idempotency-key', ...OF_SQLITE]

/** Tests of the option `session`, which needs `set_config`, and those of what a write asks and reads, of which a bare engine needs more. */
const WITHOUT_BARE = [
  'row-level-security',
  'session-settings',
  'unique-swaps',
  'delete-alone',
  'patch-fields',
  'max-answer',
]

/** Random writes of one client, and of several servers. */
const RANDOM_WRITES = ['packages/fastify-crud/test/property/*.test.ts', 'test/storm/storm.test.ts']

/** Where writers meet who are tried again, whatever locks there are. */
const WITHOUT_LOCKS = [
  ...['answer-links', 'deferred-constraints', 'delete-owner', 'links', 'needed-and-known', 'one-place'],
  ...['opposite-order', 'put-put', 'tree-locks', 'unique'],
].map((name) => `test/concurrency/${name}.test.ts`)

const CONTRACT = ['packages/fastify-crud/test/contract/**/*.test.ts']

/**
 * All tests, as large and as long as they get, and those that are too long for every day. Then the contract once more with ids of each other
 * kind, behind PgBouncer, in serializable transactions, on an engine that lacks what one may lack, with `softDelete`, and for the records of a
 * tenant, which are also in tables with partitions on PostgreSQL.
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
          include: CONTRACT,
          exclude: inContract(['ids/**/*', ...(ids === 'client' ? WITHOUT_CLIENT : [])]),
          env: { TEST_IDS: ids },
        },
      })),
      {
        test: {
          name: 'soft delete',
          include: CONTRACT,
          exclude: inContract(WITHOUT_SOFT_DELETE),
          env: { TEST_SOFT_DELETE: 'true' },
        },
      },
      { test: { name: 'pooler', include: CONTRACT, env: { TEST_POOLER: 'true' } } },
      {
        test: {
          name: 'serializable',
          include: [...CONTRACT, ...RANDOM_WRITES, 'test/concurrency/**/*.test.ts'],
          // The second counts the errors that are tried again.
          exclude: [...inContract(OF_SQLITE), 'test/concurrency/pooler.test.ts'],
          env: { TEST_ENGINE: 'serializable' },
        },
      },
      {
        test: {
          name: 'bare engine',
          include: [...CONTRACT, ...RANDOM_WRITES, ...WITHOUT_LOCKS],
          exclude: inContract([...OF_SQLITE, ...WITHOUT_BARE]),
          env: { TEST_ENGINE: 'bare' },
        },
      },
      ...['true', 'partitions'].map((tenants) => ({
        test: {
          name: tenants === 'true' ? 'tenants' : 'tenants in partitions',
          include: CONTRACT,
          exclude: inContract([...WITHOUT_TENANTS, ...(tenants === 'partitions' ? WITHOUT_PARTITIONS : [])]),
          env: { TEST_TENANTS: tenants },
        },
      })),
    ],
  },
})

function inContract(names: readonly string[]): string[] {
  return names.map((name) => `packages/fastify-crud/test/contract/${name}.test.ts`)
}
