import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * An older commit in a temporary folder, with the packages that its own lock file names. Its sources run as they are, as this
 * version's do, so there is nothing to build.
 *
 * @throws Error if there is no such commit, or if its packages cannot be installed.
 */
export async function checkOut(commit: string) {
  const folder = await mkdtemp(join(tmpdir(), 'fastify-crud-before-'))
  const run = (command: string, cwd: string, ...args: string[]) =>
    execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2] })
  const remove = () => {
    rmSync(folder, { recursive: true, force: true })
    run('git', import.meta.dirname, 'worktree', 'prune')
  }
  try {
    run('git', import.meta.dirname, 'worktree', 'add', '--detach', folder, commit)
    // No package of the benchmark needs its install script, and others are not installed.
    const ofBench = ['--filter', '@fastify-crud/bench...']
    run('pnpm', folder, 'install', '--frozen-lockfile', '--ignore-scripts', ...ofBench)
  } catch (error) {
    remove()
    throw error
  }
  return {
    /** What is imported as if from here is the older version. */
    packages: pathToFileURL(join(folder, 'bench/')),
    /** Since there are `openSqlite` and `openPostgres`. */
    opens: existsSync(join(folder, 'packages/fastify-crud/src/sqlite.ts')),
    [Symbol.asyncDispose]: async () => remove(),
  }
}
