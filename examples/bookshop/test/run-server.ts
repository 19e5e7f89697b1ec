import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export interface RunningServer {
  /** Where it listens. */
  readonly origin: string
  /** Asks it to end; resolves to its exit code. */
  stop(): Promise<number | null>
}

const main = fileURLToPath(new URL('../src/server.ts', import.meta.url))

function run(environment: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['--conditions=source', main], {
    env: { ...process.env, LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  return { child, output: () => output }
}

/** Starts the server as its `dev` script does, on a free port; rejects with its output if it ends before it listens. */
export async function runServer(databaseUrl: string): Promise<RunningServer> {
  const { child, output } = run({ DATABASE_URL: databaseUrl, PORT: '0' })
  const exit = once(child, 'exit')
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output()) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(output())))
  })
  return {
    origin,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exit
      return code
    },
  }
}

/** Starts a server that is expected to end by itself; resolves to its exit code and what it printed. */
export async function runToItsEnd(
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = run(environment)
  const [code] = await once(child, 'close')
  return { code, output: output() }
}
