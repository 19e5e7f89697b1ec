import { mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** All tests, as large and as long as they get, and those that are too long for every day. */
export default mergeConfig(config, {
  test: {
    include: ['packages/*/test/**/*.test-long.ts', 'test/**/*.test-long.ts'],
    env: { TEST_LONG: 'true' },
    testTimeout: 120_000,
  },
})
