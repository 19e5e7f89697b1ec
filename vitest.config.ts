import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { leftOut } from './test/support/contract-set-ups.ts'
import { withoutPgBouncer } from './test/support/pgbouncer.ts'

// The workspace's packages are taken from their sources: no build before a test.
const conditions = ['source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'examples/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // CI leaves nothing out.
    exclude: [...configDefaults.exclude, ...leftOut(process.env), ...(process.env.CI ? [] : withoutPgBouncer())],
    environment: 'node',
    // It has sources for a condition that is called as ours, and Node takes no types away below node_modules.
    server: { deps: { inline: ['@modelcontextprotocol/client', 'eventsource'] } },
    globalSetup: ['./test/support/global-setup.ts'],
    pool: 'forks',
    // The files of a worker share what they import: to load it again for each would be half of the time.
    isolate: false,
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
