import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../../peers/', import.meta.url)

/** Installs the peers into their own folder, unless they are there, and compiles ZenStack's schema. */
export function installPeers(): void {
  const env = {
    ...process.env,
    // npm runs on the Node that it finds first: the one that the peers are to run on.
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    DO_NOT_TRACK: '1',
  }
  const npm = (...args: string[]) =>
    execFileSync('npm', args, { cwd: fileURLToPath(FOLDER), env, stdio: ['ignore', 'inherit', 'inherit'] })
  if (!existsSync(new URL('node_modules/', FOLDER))) {
    npm('install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts')
  }
  if (!existsSync(new URL('generated/schema.ts', FOLDER))) npm('run', 'generate')
}
