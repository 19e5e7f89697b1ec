import { defineConfig } from 'vitest/config'
import config from '../../../../vitest.config.ts'

/** Stories in a browser, of `.ci/browser`. They need Chromium, and are no part of `pnpm test`. */
export default defineConfig({
  ...config,
  root: `${import.meta.dirname}/../../../..`,
  test: {
    ...config.test,
    include: ['packages/*/test/browser/*.story.ts', 'examples/*/test/browser/*.story.ts'],
    maxWorkers: 1,
    hookTimeout: 120_000,
    testTimeout: 60_000,
    // What a page comes to is waited for, also where the machine has much to do.
    expect: { poll: { timeout: 20_000 } },
  },
})
