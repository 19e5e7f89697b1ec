import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const MAIN = join(import.meta.dirname, '../../src/commands/main.ts')

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command in a process of its own, as `npx fastify-crud` would. */
export async function run(words: readonly string[], folder: string, env: Record<string, string> = {}): Promise<Ran> {
  const { DATABASE_URL, ...others } = process.env
  const child = spawn(process.execPath, ['--conditions=source', MAIN, ...words], {
    cwd: folder,
    env: { ...others, ...env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, out, err }
}
