import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

const { include = [], ...others } = config.test ?? {}

/**
 * All tests, as large and as long as they get, and those that are too long for every day. Then the contract once more with ids of each other
 * kind.
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
        test: { name: ids, include: ['packages/fastify-crud/test/contract/*.test.ts'], env: { TEST_IDS: ids } },
      })),
    ],
  },
})
