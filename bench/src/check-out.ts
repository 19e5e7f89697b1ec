import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Builds the packages of a folder, as they are published, with the Node.js that runs the benchmark. */
export function build(folder: string): void {
  const env = { ...process.env, PATH: dirname(process.execPath) + delimiter + process.env.PATH }
  execFileSync('pnpm', ['build'], { cwd: folder, env, stdio: ['ignore', 2, 2] })
}

/**
 * An older commit in a temporary folder, built, with the packages that its own lock file names.
 *
 * @throws Error if there is no such commit, or if its packages cannot be installed or built.
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
    // Nothing of it needs an install script: addons and Node.js itself are those of this version.
    run('pnpm', folder, 'install', '--frozen-lockfile', '--ignore-scripts')
    build(folder)
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
